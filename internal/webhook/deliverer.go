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

// Options configure a Deliverer. The zero value holds the defaults.
type Options struct {
	// Name identifies the Deliverer in its leases; random when empty.
	Name string
	// AllowPrivate lets deliveries go to loopback and private addresses.
	AllowPrivate bool
	// InFlight limits concurrent attempts of all endpoints; 2,048 when zero. One
	// uses about 40 kB, more with TLS, and a file descriptor.
	InFlight int
	// Drain is how long Run waits for attempts in flight after its context ends;
	// 10 s when zero.
	Drain time.Duration
	// Retention is how long finished deliveries stay in the log; 30 days when
	// zero.
	Retention time.Duration
	// Log receives one line per finished delivery.
	Log *slog.Logger
	// Ended, if set, is called for each finished delivery, from one goroutine.
	Ended func(tenantID string, status Status)

	transport *http.Transport // of a test without a network
}

// Deliverer sends due deliveries. Several may share a database.
type Deliverer struct {
	db       *database.DB
	scope    database.Scope // of claims and results
	store    store
	bus      *event.Bus
	sender   *sender
	errorLog ErrorLog
	options  Options
	log      *slog.Logger
	holder   string // names this process in leases
}

// NewDeliverer returns a deliverer.
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
	return &Deliverer{db: db, scope: db.System().With(queueSettings...), store: newStore(db), bus: bus, errorLog: faults, options: options, log: options.Log, holder: options.Name, sender: &sender{
		sealer: sealer,
		extras: extras,
		log:    options.Log,
		client: netguard.NewClient(options.transport),
	}}
}

// newTransport keeps one idle connection per delivery that an endpoint may have in
// flight.
func newTransport(allowPrivate bool) *http.Transport {
	return netguard.NewTransport(netguard.Options{AllowPrivate: allowPrivate, IdlePerHost: perEndpoint})
}

const (
	// poll is the interval at which the queue is read without a notification, which may be lost.
	poll = time.Second
	// busyPoll is the same after deliveries were claimed.
	busyPoll = 20 * time.Millisecond
	// claimGap is the minimum time between claims requested by endpoint queues, so that one claim serves many of them.
	claimGap = 5 * time.Millisecond
)

// Run sends deliveries until ctx ends, waits up to Options.Drain for attempts in
// flight, returns the rest to the queue, and returns. Call it once.
func (d *Deliverer) Run(ctx context.Context) {
	wake, unsubscribe := d.bus.Subscribe(event.Deliveries, 1)
	defer unsubscribe()
	changed, unsubscribe := d.bus.Subscribe(event.Webhooks, 64)
	defer unsubscribe()
	defer d.options.transport.CloseIdleConnections()
	working, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	r := &run{Deliverer: d, results: make(chan *result, 2*d.options.InFlight), stopped: ctx.Done()}
	r.queues = newEndpointQueues(d.options.InFlight, func(j job, failing bool) {
		r.senders.Go(func() {
			result := d.sender.sendAttempt(working, j)
			result.failing = failing
			if result.unreadable {
				r.unreadable.add(j.ID)
			}
			r.queues.finishAttempt(result)
			r.results <- &result
		})
	})
	lasting := context.WithoutCancel(ctx) // results are recorded after ctx ended, too
	var background sync.WaitGroup
	background.Go(func() { r.recordResults(lasting) })
	background.Go(func() { r.prune(ctx) })
	timer := time.NewTimer(0)
	defer timer.Stop()
	var claimed time.Time
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case <-wake:
		case webhookID := <-changed:
			r.unreadable.remove(webhookID)
			r.returnUnstarted(r.queues.returnReady(webhookID))
		case <-r.queues.needsClaim:
			if gap := claimGap - time.Since(claimed); gap > 0 {
				timer.Reset(gap)
				continue
			}
		case <-timer.C:
		}
		timer.Reset(r.claim(lasting))
		claimed = time.Now()
	}
	r.drain(lasting, abort)
	background.Wait()
}

// run is the state of a running Deliverer. Claims and results use separate
// transactions, concurrently where the database allows.
type run struct {
	*Deliverer
	queues     *endpointQueues
	results    chan *result // with room for all that is held
	senders    sync.WaitGroup
	stopped    <-chan struct{} // closed when Run is to end
	renewedAt  time.Time       // when the leases were last; the claiming goroutine's own
	unreadable unreadable
}

// returnUnstarted returns claimed deliveries that were not started to the queue.
func (r *run) returnUnstarted(unstarted []result) {
	for _, result := range unstarted {
		r.results <- &result
	}
}

// claim claims and starts due deliveries, renews leases, and returns the time until
// the next claim unless one is requested.
func (r *run) claim(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	r.returnUnstarted(r.queues.removeOverdue())
	budget := r.queues.claimBudget()
	r.unreadable.exclude(budget)
	if budget.total == 0 && !r.renewalDue() { // the queues request a claim when attempts end
		return poll
	}
	var jobs []job
	var more map[string]bool
	wait := poll
	began := time.Now()
	err := r.scope.Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		if err := r.renewLeases(ctx, tx); err != nil || budget.total == 0 {
			return err
		}
		if jobs, more, err = r.store.claim(ctx, tx, r.holder, budget); err != nil {
			return err
		}
		if len(jobs) > 0 { // what is due next can be asked when nothing is
			wait = busyPoll
			return nil
		}
		wait, err = r.nextClaimIn(ctx, tx, budget)
		return err
	})
	if err != nil {
		r.log.Error("webhook delivery is waiting for the database", "error", err)
		return poll
	}
	if budget.total > 0 {
		r.queues.addClaimed(budget, jobs, more)
	}
	return max(wait-time.Since(began), 0)
}

// nextClaimIn returns the time until the next claim after one that found nothing, at most poll.
func (r *run) nextClaimIn(ctx context.Context, tx database.Tx, budget claimBudget) (time.Duration, error) {
	if skipped, err := r.store.skipped(ctx, tx, r.holder, budget); err != nil || skipped {
		return busyPoll, err
	}
	next, err := r.store.nextDue(ctx, tx)
	if err != nil || next.IsZero() {
		return poll, err
	}
	return min(poll, next.Sub(tx.Now())), nil
}

// renewalDue reports whether the leases must be renewed.
func (r *run) renewalDue() bool { return time.Since(r.renewedAt) >= lease/3 }

// renewLeases renews the leases if due.
func (r *run) renewLeases(ctx context.Context, tx database.Tx) error {
	if !r.renewalDue() {
		return nil
	}
	r.renewedAt = time.Now()
	if ids := r.queues.heldIDs(); len(ids) > 0 {
		return r.store.renew(ctx, tx, r.holder, ids)
	}
	return nil
}

// drain returns unstarted deliveries to the queue and waits for attempts in flight,
// then aborts the remaining ones and returns them too.
func (r *run) drain(ctx context.Context, abort func()) {
	r.returnUnstarted(r.queues.close())
	over := make(chan struct{})
	go func() {
		r.senders.Wait()
		close(r.results)
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
			if err := r.scope.Write(limited, r.renewLeases); err != nil {
				r.log.Error("webhook delivery is waiting for the database", "error", err)
			}
			cancel()
		}
	}
}
