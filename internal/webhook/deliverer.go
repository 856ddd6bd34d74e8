package webhook

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/netguard"
	"parley/internal/seal"
)

// Options are the choices of a Deliverer. The zero value is good.
type Options struct {
	// Name names the Deliverer in its leases, and no other one ever; one is made
	// up when empty.
	Name string
	// AllowPrivate lets deliveries go to loopback and private addresses.
	AllowPrivate bool
	// InFlight bounds the attempts of all endpoints at once; 2,048 when zero. One
	// that waits for an answer costs some 40 kB, more with TLS, and a file.
	InFlight int
	// Drain is how long Run lets attempts finish once it is told to stop; 10 s
	// when zero.
	Drain time.Duration
	// Retention is how long finished deliveries stay in the log; 30 days when
	// zero.
	Retention time.Duration
	// Log gets one line for each delivery that ended.
	Log *slog.Logger
	// Ended, if set, is called for each delivery that ended, by one goroutine.
	Ended func(tenantID string, status Status)

	transport *http.Transport // of a test without a network
}

// Deliverer sends the deliveries that are due. Several may run over one
// database.
type Deliverer struct {
	db      *database.DB
	queue   database.Scope // of claims and outcomes
	bus     *event.Bus
	sender  *sender
	faults  ErrorLog
	options Options
	log     *slog.Logger
	holder  string // names this process in leases
}

// NewDeliverer makes a deliverer.
func NewDeliverer(db *database.DB, bus *event.Bus, sealer *seal.Sealer, extras Extras, faults ErrorLog, options Options) *Deliverer {
	if options.Name == "" {
		options.Name = "deliverer-" + rand.Text()
	}
	if options.InFlight == 0 {
		options.InFlight = 2048
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
	return &Deliverer{db: db, queue: db.System().With(queueing...), bus: bus, faults: faults, options: options, log: options.Log, holder: options.Name, sender: &sender{
		sealer: sealer,
		extras: extras,
		log:    options.Log,
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
)

// Run delivers until ctx ends, then lets the attempts in flight finish for
// Options.Drain, hands back what was not begun or did not finish, and returns.
// A Deliverer runs once.
func (d *Deliverer) Run(ctx context.Context) {
	wake, unsubscribe := d.bus.Subscribe(event.Deliveries, 1)
	defer unsubscribe()
	changed, unsubscribe := d.bus.Subscribe(event.Webhooks, 64)
	defer unsubscribe()
	defer d.options.transport.CloseIdleConnections()
	working, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	r := &run{Deliverer: d, outcomes: make(chan *outcome, 2*d.options.InFlight), stopped: ctx.Done()}
	r.lanes = newLanes(d.options.InFlight, func(j job, failing bool) {
		r.senders.Go(func() {
			o := d.sender.attempt(working, j)
			o.failing = failing
			if o.unopened {
				r.leave(j.TenantID)
			}
			r.lanes.finished(o)
			r.outcomes <- &o
		})
	})
	lasting := context.WithoutCancel(ctx) // outcomes are recorded after ctx ended, too
	var beside sync.WaitGroup
	beside.Go(func() { r.record(lasting) })
	beside.Go(func() { r.prune(ctx) })
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case <-wake:
		case tenant := <-changed:
			r.comeBack(tenant)
			r.handBack(r.lanes.recall(tenant))
		case <-r.lanes.hungry:
		case <-timer.C:
		}
		timer.Reset(r.claim(lasting))
	}
	r.drain(lasting, abort)
	beside.Wait()
}

// run is what a running Deliverer holds. Claims and outcomes have a
// transaction each, at the same time where the database can.
type run struct {
	*Deliverer
	lanes    *lanes
	outcomes chan *outcome // with room for all that is held
	senders  sync.WaitGroup
	stopped  <-chan struct{} // closed when Run is to end
	renewed  time.Time       // when the leases were last; the claiming goroutine's own
	unopened unopened
}

// handBack has what was claimed, and not begun, written back to the queue.
func (r *run) handBack(unbegun []outcome) {
	for _, o := range unbegun {
		r.outcomes <- &o
	}
}

// claim takes what is due and has it sent, keeps the leases, and returns how
// long nothing is to be done unless something is announced.
func (r *run) claim(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	r.handBack(r.lanes.overdue())
	w := r.lanes.wish()
	r.omit(w.rooms)
	if w.most == 0 && !r.renews() { // whoever makes room tells
		return poll
	}
	var jobs []job
	var more map[string]bool
	var rest time.Duration
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
		switch {
		case w.most == 0:
			rest = poll
			return nil
		case len(jobs) > 0:
			rest = busy
			return nil
		}
		passed, err := passedBy(ctx, tx, r.holder, w)
		if err != nil || passed {
			rest = busy
			return err
		}
		next, err := nextDue(ctx, tx)
		if err != nil {
			return err
		}
		if rest = poll; !next.IsZero() {
			rest = min(poll, next.Sub(tx.Now()))
		}
		return nil
	})
	if err != nil {
		r.log.Error("webhook deliveries wait for the database", "error", err)
		return poll
	}
	r.lanes.add(w, jobs, more)
	return max(rest-time.Since(began), 0)
}

// renews tells whether it is time to renew the leases.
func (r *run) renews() bool { return time.Since(r.renewed) >= lease/3 }

// renew keeps the leases, now and then.
func (r *run) renew(ctx context.Context, tx database.Tx) error {
	if !r.renews() {
		return nil
	}
	r.renewed = time.Now()
	if ids := r.lanes.ids(); len(ids) > 0 {
		return renew(ctx, tx, r.holder, ids)
	}
	return nil
}

// drain hands back what has not begun, lets the attempts in flight finish,
// then aborts and hands back those that did not.
func (r *run) drain(ctx context.Context, abort func()) {
	r.handBack(r.lanes.close())
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
