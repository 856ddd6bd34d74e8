package webhook

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/netguard"
	"parley/internal/seal"
)

// Options are the choices of a Deliverer. The zero value is good.
type Options struct {
	// AllowPrivate lets deliveries go to loopback and private addresses.
	AllowPrivate bool
	// InFlight bounds the attempts of all endpoints at once; 512 when zero.
	InFlight int
	// Drain is how long Run lets attempts finish once it is told to stop; 10 s
	// when zero.
	Drain time.Duration
	// Retention is how long finished deliveries stay in the log; 30 days when
	// zero.
	Retention time.Duration
	// Log gets one line for each delivery that ended.
	Log *slog.Logger

	transport *http.Transport // of a test without a network
}

// Deliverer sends the deliveries that are due. Several may run over one
// database.
type Deliverer struct {
	db      *database.DB
	bus     *event.Bus
	sender  *sender
	options Options
	log     *slog.Logger
	holder  string // names this process in leases
}

// NewDeliverer makes a deliverer.
func NewDeliverer(db *database.DB, bus *event.Bus, sealer *seal.Sealer, extras Extras, options Options) *Deliverer {
	if options.InFlight == 0 {
		options.InFlight = 512
	}
	if options.Drain == 0 {
		options.Drain = 10 * time.Second
	}
	if options.Retention == 0 {
		options.Retention = 30 * 24 * time.Hour
	}
	if options.Log == nil {
		options.Log = slog.Default()
	}
	if options.transport == nil {
		options.transport = newTransport(options.AllowPrivate)
	}
	return &Deliverer{db: db, bus: bus, options: options, log: options.Log, holder: newID("dsp_"), sender: &sender{
		sealer: sealer,
		extras: extras,
		client: netguard.NewClient(options.transport),
	}}
}

// newTransport keeps as many connections to an endpoint as it may have
// deliveries in flight.
func newTransport(allowPrivate bool) *http.Transport {
	return netguard.NewTransport(netguard.Options{AllowPrivate: allowPrivate, IdlePerHost: perEndpoint})
}

const (
	// poll finds what no announcement told of.
	poll = time.Second
	// busy is the poll of a round that claimed something: it leaves the
	// question what is due next to a quieter one.
	busy = 50 * time.Millisecond
	// pruneEvery is how often old entries of the log are looked for.
	pruneEvery = time.Hour
)

// Run delivers until ctx ends, then lets the attempts in flight finish for
// Options.Drain, hands back those that did not, and returns. A Deliverer runs
// once.
func (d *Deliverer) Run(ctx context.Context) {
	wake, unsubscribe := d.bus.Subscribe(event.Deliveries, 1)
	defer unsubscribe()
	defer d.options.transport.CloseIdleConnections()
	working, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	r := &round{Deliverer: d, flying: map[string]struct{}{}, outcomes: make(chan outcome, d.options.InFlight)}
	database := context.WithoutCancel(ctx) // outcomes are recorded after ctx ended, too
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			r.drain(database, working, abort)
			return
		case <-wake:
		case <-timer.C:
		case o := <-r.outcomes:
			r.done = append(r.done, o)
		}
		r.collect()
		timer.Reset(r.run(database, working, true))
	}
}

// round is the state of a running Deliverer, held by Run's goroutine alone.
type round struct {
	*Deliverer
	flying   map[string]struct{} // deliveries claimed and not settled
	done     []outcome           // finished and not settled
	outcomes chan outcome
	senders  sync.WaitGroup
	renewed  time.Time // when the leases were last
	pruned   time.Time // when the log was last
}

// collect takes the outcomes that are there.
func (r *round) collect() {
	for {
		select {
		case o := <-r.outcomes:
			r.done = append(r.done, o)
		default:
			return
		}
	}
}

// drain lets the attempts in flight finish, then aborts and hands back those
// that did not. What the database does not take, another run claims when the
// lease ends.
func (r *round) drain(database, working context.Context, abort func()) {
	deadline := time.NewTimer(r.options.Drain)
	defer deadline.Stop()
	ticker := time.NewTicker(poll) // leases are renewed meanwhile
	defer ticker.Stop()
	for len(r.flying) > 0 {
		select {
		case <-deadline.C:
			abort()
			r.senders.Wait()
			r.collect()
			r.run(database, working, false)
			return
		case <-ticker.C:
		case o := <-r.outcomes:
			r.done = append(r.done, o)
		}
		r.collect()
		r.run(database, working, false)
	}
	r.senders.Wait()
}

// run settles what has finished, claims what is due and starts sending it, in
// one transaction, and returns how long nothing is to be done unless something
// is announced or finishes.
func (r *round) run(ctx, working context.Context, claiming bool) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	var counted []outcome
	var jobs []job
	var pause time.Duration
	began := time.Now()
	err := r.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		err := readInOrder(ctx, tx)
		if err != nil {
			return err
		}
		if len(r.done) > 0 {
			if counted, err = settle(ctx, tx, r.holder, r.done); err != nil {
				return err
			}
		}
		if len(r.flying) > len(r.done) && began.Sub(r.renewed) > lease/3 {
			if err := renew(ctx, tx, r.holder); err != nil {
				return err
			}
			r.renewed = began
		}
		if free := r.options.InFlight - len(r.flying) + len(r.done); claiming && free > 0 {
			if jobs, err = claim(ctx, tx, r.holder, free); err != nil {
				return err
			}
		}
		if len(jobs) > 0 {
			pause = busy
			return nil
		}
		next, err := nextDue(ctx, tx)
		if err != nil {
			return err
		}
		if pause = poll; !next.IsZero() {
			pause = min(poll, next.Sub(tx.Now()))
		}
		return nil
	})
	if err != nil {
		r.log.Error("webhook deliveries wait for the database", "error", err)
		return poll
	}
	r.report(counted)
	for _, o := range r.done {
		delete(r.flying, o.job.Delivery.ID)
	}
	r.done = r.done[:0]
	for _, j := range jobs {
		if _, ours := r.flying[j.Delivery.ID]; ours {
			continue // its lease had lapsed while it is still being sent
		}
		r.flying[j.Delivery.ID] = struct{}{}
		r.senders.Go(func() { r.outcomes <- r.sender.attempt(working, j) })
	}
	if claiming && began.Sub(r.pruned) > pruneEvery {
		r.pruned = began
		r.prune(ctx)
	}
	return max(pause-time.Since(began), 0)
}

// report writes the log line of each delivery that ended.
func (r *round) report(counted []outcome) {
	for _, o := range counted {
		line := r.log.With("delivery", o.job.Delivery.ID, "event", o.job.Event.ID, "type", o.job.Event.Type, "tenant", o.job.TenantID,
			"host", host(o.job.URL), "attempt", o.job.Delivery.Attempts+1, "http_status", o.code, "duration_ms", o.duration.Milliseconds())
		switch {
		case !o.made && o.err != "":
			line.Error("webhook delivery could not be prepared", "error", o.err)
		case o.status == Delivered:
			line.Info("webhook delivered")
		case o.status == Failed:
			line.Warn("webhook delivery failed", "error", o.err)
		case o.made:
			line.Debug("webhook attempt failed", "error", o.err, "retry_in", o.wait)
		}
	}
}

func host(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}

// prune removes finished deliveries older than the retention, and what is left
// of their attempts, a thousand at a time.
func (r *round) prune(ctx context.Context) {
	for {
		var removed int64
		err := r.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			result, err := tx.ExecContext(ctx, `DELETE FROM webhook_deliveries WHERE id IN
				(SELECT id FROM webhook_deliveries WHERE finished_at < ? ORDER BY finished_at LIMIT 1000)`, tx.Now().Add(-r.options.Retention))
			if err == nil {
				removed, err = result.RowsAffected()
			}
			return err
		})
		if err != nil {
			r.log.Error("prune the webhook delivery log", "error", err)
			return
		}
		if removed < 1000 {
			return
		}
	}
}
