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
	queue   database.Scope // of claims and outcomes
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
	return &Deliverer{db: db, queue: db.System().With(queueing...), bus: bus, options: options, log: options.Log, holder: newID("dsp_"), sender: &sender{
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
	busy = 20 * time.Millisecond
	// pruneEvery is how often old entries of the log are looked for.
	pruneEvery = time.Hour
	// batch is how many outcomes are recorded at once.
	batch = 200
)

// Run delivers until ctx ends, then lets the attempts in flight finish for
// Options.Drain, hands back what was not begun or did not finish, and returns.
// A Deliverer runs once.
func (d *Deliverer) Run(ctx context.Context) {
	wake, unsubscribe := d.bus.Subscribe(event.Deliveries, 1)
	defer unsubscribe()
	defer d.options.transport.CloseIdleConnections()
	working, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	r := &run{Deliverer: d, outcomes: make(chan outcome, 2*d.options.InFlight), stopped: ctx.Done()}
	r.lanes = newLanes(d.options.InFlight, func(j job, failing bool) {
		r.senders.Go(func() {
			o := d.sender.attempt(working, j)
			o.failing = failing
			r.lanes.finished(o)
			r.outcomes <- o
		})
	})
	database := context.WithoutCancel(ctx) // outcomes are recorded after ctx ended, too
	var recording sync.WaitGroup
	recording.Go(func() { r.record(database) })
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case <-wake:
		case <-r.lanes.hungry:
		case <-timer.C:
		}
		timer.Reset(r.claim(database))
	}
	r.drain(database, abort)
	recording.Wait()
}

// run is what a running Deliverer holds. Claims and outcomes have a
// transaction each, at the same time where the database can.
type run struct {
	*Deliverer
	lanes    *lanes
	outcomes chan outcome // with room for all that is held
	senders  sync.WaitGroup
	stopped  <-chan struct{} // closed when Run is to end
	// The claiming goroutine's own:
	renewed time.Time // when the leases were last
	pruned  time.Time // when the log was last
}

// claim takes what is due and has it sent, keeps the leases, and returns how
// long nothing is to be done unless something is announced.
func (r *run) claim(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	for _, o := range r.lanes.stuck(false) {
		r.outcomes <- o
	}
	w := r.lanes.wish()
	var jobs []job
	var more map[string]bool
	var pause time.Duration
	began := time.Now()
	err := r.queue.Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		if err := r.renew(ctx, tx); err != nil {
			return err
		}
		if w.most > 0 {
			if jobs, more, err = claim(ctx, tx, r.holder, w); err != nil {
				return err
			}
		}
		if len(jobs) > 0 || w.most == 0 {
			pause = busy
			return nil
		}
		passed, err := passedBy(ctx, tx, r.holder, w)
		if err != nil || passed {
			pause = busy
			return err
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
	r.lanes.add(w, jobs, more)
	if began.Sub(r.pruned) > pruneEvery {
		r.pruned = began
		r.prune(ctx)
	}
	return max(pause-time.Since(began), 0)
}

// renew keeps the leases, now and then.
func (r *run) renew(ctx context.Context, tx database.Tx) error {
	if time.Since(r.renewed) < lease/3 {
		return nil
	}
	r.renewed = time.Now()
	if ids := r.lanes.ids(); len(ids) > 0 {
		return renew(ctx, tx, r.holder, ids)
	}
	return nil
}

// record writes outcomes as they come, as many at once as there are, until
// there will be no more. When the database is away it tries again, until Run is
// to end: what it does not take then, another run repeats when the lease ends.
func (r *run) record(ctx context.Context) {
	for o := range r.outcomes {
		done := []outcome{o}
		for more := true; more && len(done) < batch; {
			select {
			case o, more = <-r.outcomes:
				if more {
					done = append(done, o)
				}
			default:
				more = false
			}
		}
		for {
			err := r.settle(ctx, done)
			if err == nil {
				break
			}
			r.log.Error("outcomes of webhook deliveries wait for the database", "error", err)
			select {
			case <-r.stopped:
			case <-time.After(poll):
				continue
			}
			break
		}
		r.lanes.settled(done)
	}
}

// settle writes outcomes and reports them.
func (r *run) settle(ctx context.Context, done []outcome) error {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	var counted, disabled []outcome
	err := r.queue.Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		if disabled, err = verdicts(ctx, tx, r.sender.extras, done); err != nil {
			return err
		}
		counted, err = settle(ctx, tx, r.holder, done)
		return err
	})
	if err != nil {
		return err
	}
	r.report(counted)
	for _, o := range disabled {
		r.log.Warn("webhook disabled: its endpoint has failed for too long", "tenant", o.job.TenantID, "host", host(o.job.URL))
	}
	return nil
}

// drain hands back what has not begun, lets the attempts in flight finish,
// then aborts and hands back those that did not.
func (r *run) drain(ctx context.Context, abort func()) {
	for _, o := range r.lanes.stuck(true) {
		r.outcomes <- o
	}
	over := make(chan struct{})
	go func() {
		r.senders.Wait()
		close(r.outcomes)
		close(over)
	}()
	deadline := time.NewTimer(r.options.Drain)
	defer deadline.Stop()
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	for {
		select {
		case <-over:
			return
		case <-deadline.C:
			abort()
			<-over
			return
		case <-ticker.C:
			limited, cancel := context.WithTimeout(ctx, poll)
			if err := r.queue.Write(limited, r.renew); err != nil {
				r.log.Error("webhook deliveries wait for the database", "error", err)
			}
			cancel()
		}
	}
}

// report writes the log line of each delivery that ended.
func (r *run) report(counted []outcome) {
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
func (r *run) prune(ctx context.Context) {
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
