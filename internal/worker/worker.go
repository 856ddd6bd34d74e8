// Package worker claims calls and runs their conversations.
//
// A worker needs only the database and the media server: it may run inside serve or on a separate machine.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"parley/internal/call"
	"parley/internal/event"
	"parley/internal/hearing"
	"parley/internal/media"
	"parley/internal/recording"
	"parley/internal/sip"
	"parley/internal/voice"
)

// claimInterval is the polling interval for calls; normally every dispatch wakes the worker, unless nodes are not
// connected.
const claimInterval = 500 * time.Millisecond

const (
	// renewRetry is the wait after a failed renewal.
	renewRetry = 500 * time.Millisecond
	// databaseTimeout bounds a claim and a renewal.
	databaseTimeout = 5 * time.Second
)

// Options configures a Worker.
type Options struct {
	Name     string // unique among all workers ever run
	Capacity int    // concurrent calls
	CPU      *CPU   // for throttling on a busy machine; nil for no throttling
	Calls    *call.Service
	Bus      *event.Bus
	Rooms    Rooms
	Joiner   *media.Joiner
	Tokens   media.Tokens
	MediaURL string // of the media server, as this worker reaches it
	// Providers returns the providers that a call of a tenant may use, until ctx ends.
	Providers func(ctx context.Context, tenantID string) voice.Providers
	// Tools runs tools; nil if none are offered.
	Tools voice.Tools
	// Route returns the trunk that a tenant dials through, or sip.ErrNoTrunk. If livemode is false, it is the
	// sandbox.
	Route func(ctx context.Context, tenantID string, livemode bool) (sip.OutboundRoute, error)
	// CheckDial returns why a call of a tenant may not be transferred to a number.
	CheckDial func(ctx context.Context, tenantID, number string) error
	// Phones dials numbers; nil if this server has no SIP gateway.
	Phones Phones
	// RingTimeout limits how long a number rings.
	RingTimeout time.Duration
	// SilenceTimeout ends a call in which nobody speaks.
	SilenceTimeout time.Duration
	// VADModel judges whether the caller's sound is speech.
	VADModel hearing.Model
	// Recordings stores the recordings of calls.
	Recordings *recording.Store
	Log        *slog.Logger
	// Tracer traces each call; nil for none.
	Tracer trace.Tracer
}

// Rooms manages the media server's rooms.
type Rooms interface {
	Create(ctx context.Context, name string, o media.RoomOptions) error
	Delete(ctx context.Context, name string) error
	Participants(ctx context.Context, room string) ([]media.Member, error)
}

// Worker runs calls.
type Worker struct {
	o Options

	mu             sync.Mutex
	sessions       map[string]*session // by call id
	sessionEnded   chan struct{}       // signals that a session ended
	endRequested   chan struct{}       // signals that an end may have been requested
	running        sync.WaitGroup
	throttle       throttle // used by the loop in Run
	callersWaiting bool     // callers may be waiting; used by the loop in Run
	database       call.Reachability

	registration sync.Mutex
	unregistered bool // claims no more calls
}

// New returns a Worker.
func New(o Options) *Worker {
	var share func() float64
	if o.CPU != nil {
		share = o.CPU.Share
	}
	return &Worker{o: o, sessions: map[string]*session{}, sessionEnded: make(chan struct{}, 1), endRequested: make(chan struct{}, 1), throttle: newThrottle(share), database: call.Reachability{Gap: 2 * call.LeaseRenewal}}
}

// Causes of a session's cancellation other than its own end.
var (
	errLost     = errors.New("the call belongs to another worker or has ended")
	errReleased = errors.New("the call is returned") // to the queue, unchanged
)

// Run claims and runs calls until ctx ends. Then it drains: calls that nobody has joined are returned to the queue,
// the others continue to their end. When stop ends they are ended too, as disconnected with reason server_shutdown.
// Run returns when no call is left.
func (w *Worker) Run(ctx, stop context.Context) {
	pending, unsubscribe := w.o.Bus.Subscribe(event.Pending, 1)
	defer unsubscribe()
	arrived, unsubscribe := w.o.Bus.Subscribe(event.Arrived, 1)
	defer unsubscribe()
	// Renewals continue while draining.
	renewing, stopRenewing := context.WithCancel(context.WithoutCancel(ctx))
	var housekeeping sync.WaitGroup
	housekeeping.Go(func() { w.renew(renewing) })
	housekeeping.Go(func() { w.listenForEnds(renewing) })
	if w.o.CPU != nil {
		housekeeping.Go(func() { w.o.CPU.Run(renewing) })
	}

	ticker := time.NewTicker(claimInterval)
	defer ticker.Stop()
	look := w.register(ctx) // take over calls of a lost worker immediately, such as those of this worker's previous process
	for ctx.Err() == nil {
		if look {
			w.takeOver(ctx, stop)
		}
		again := w.claim(ctx, stop)
		look = false
		select {
		case <-ctx.Done():
		case <-pending:
		case <-arrived:
			w.callersWaiting = true
		case <-w.sessionEnded:
		case <-after(again):
		case <-ticker.C:
			look, w.callersWaiting = w.database.Stable(time.Now()), true
		}
	}
	w.drain()
	w.unregister(ctx)
	w.running.Wait()
	stopRenewing()
	housekeeping.Wait()
}

// after is like time.After; 0 never fires.
func after(d time.Duration) <-chan time.Time {
	if d == 0 {
		return nil
	}
	return time.After(d)
}

// claim claims as many calls as there are free slots and the throttle allows, and starts their sessions. again is
// when to claim again without a wake-up; 0 for the default.
func (w *Worker) claim(ctx, stop context.Context) (again time.Duration) {
	from, room := w.o.Calls.Claim, w.freeSlots()
	full := room <= 0
	if full {
		if !w.callersWaiting {
			return 0
		}
		from, room = w.o.Calls.ClaimArrived, len(w.releaseOrder())
	}
	n, again := w.throttle.allow(w.Calls(), room, time.Now())
	if n == 0 {
		return again
	}
	claimed := w.claimFrom(ctx, stop, from, n)
	w.throttle.record(claimed, time.Now())
	if full {
		w.releaseSlots(claimed)
		w.callersWaiting = claimed == n
	}
	if claimed < n {
		return 0 // no others are waiting
	}
	return again
}

// takeOver takes over calls of lost workers. It ignores the throttle, and returns calls that nobody has joined to
// the queue to free slots, because these callers are connected and wait in silence.
func (w *Worker) takeOver(ctx, stop context.Context) {
	room := w.freeSlots()
	if most := room + len(w.releaseOrder()); most > 0 {
		w.releaseSlots(w.claimFrom(ctx, stop, w.o.Calls.TakeOver, most) - max(0, room))
	}
}

// freeSlots returns how many more calls the worker can run.
func (w *Worker) freeSlots() int { return w.o.Capacity - w.Calls() }

// claimFrom claims up to most calls by from, starts their sessions and returns their number.
func (w *Worker) claimFrom(ctx, stop context.Context, from func(context.Context, string, int) ([]*call.Call, error), most int) int {
	// The claim outlives ctx, because calls of a claim whose result is lost would wait for their lease to expire.
	// It is bounded by databaseTimeout.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), databaseTimeout)
	defer cancel()
	asked := time.Now()
	claimed, err := from(limited, w.o.Name, most)
	answered := time.Now()
	if err != nil {
		w.database.MarkUnreachable()
		w.o.Log.ErrorContext(ctx, "failed to claim calls", "error", err)
		return 0
	}
	w.database.MarkReachable(answered)
	for _, c := range claimed {
		w.start(ctx, stop, c, clockOf(c.Claimed(), asked, answered))
	}
	return len(claimed)
}

// start runs a claimed call.
func (w *Worker) start(ctx, stop context.Context, c *call.Call, clock clock) {
	s := newSession(w, c)
	s.clock.set(clock)
	sessionCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.cancel = cancel
	detach := context.AfterFunc(stop, func() { cancel(endCause{call.ServerShutdown}) })
	w.mu.Lock()
	earlier := w.sessions[c.ID]
	w.sessions[c.ID] = s
	w.mu.Unlock()
	if earlier != nil { // this process was paused until its own lease expired
		earlier.cancel(errLost)
	}
	w.running.Go(func() {
		defer detach()
		defer cancel(nil)
		s.run(sessionCtx)
		w.mu.Lock()
		if w.sessions[c.ID] == s {
			delete(w.sessions, c.ID)
		}
		w.mu.Unlock()
		select {
		case w.sessionEnded <- struct{}{}:
		default:
		}
	})
}

// drain returns the calls whose caller has not joined to the queue.
func (w *Worker) drain() {
	for _, s := range w.all() {
		if s.waiting.CompareAndSwap(true, false) {
			s.cancel(errReleased)
		}
	}
}

// Calls returns how many calls the worker runs.
func (w *Worker) Calls() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.sessions)
}

func (w *Worker) all() []*session {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]*session, 0, len(w.sessions))
	for _, s := range w.sessions {
		all = append(all, s)
	}
	return all
}

// renew renews the leases, and cancels the sessions of lost calls.
func (w *Worker) renew(ctx context.Context) {
	next := time.NewTimer(call.LeaseRenewal)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.endRequested:
		case <-next.C:
		}
		wait := call.LeaseRenewal
		if err := errors.Join(w.renewAll(ctx), w.keepRegistered(ctx)); err != nil && ctx.Err() == nil {
			// After an outage of the database renewals are urgent: leases may have expired.
			w.database.MarkUnreachable()
			w.o.Log.ErrorContext(ctx, "failed to renew leases", "error", err)
			wait = renewRetry
		}
		next.Reset(wait)
	}
}

func (w *Worker) renewAll(ctx context.Context) error {
	before := w.all()
	endAsked, clocks := map[string]bool{}, map[string]clock{}
	if len(before) > 0 {
		ids := make([]string, len(before))
		for i, s := range before {
			ids[i] = s.call.ID
		}
		limited, cancel := context.WithTimeout(ctx, databaseTimeout)
		defer cancel()
		asked := time.Now()
		held, err := w.o.Calls.Renew(limited, w.o.Name, ids)
		answered := time.Now()
		if err != nil {
			return err
		}
		for _, h := range held {
			endAsked[h.ID], clocks[h.ID] = h.EndRequested, clockOf(h.Renewed(), asked, answered)
		}
	}
	for _, s := range before {
		end, ours := endAsked[s.call.ID]
		switch {
		case !ours:
			s.cancel(errLost)
			continue
		case end:
			s.cancel(endCause{call.EndedByAPI})
		}
		s.clock.set(clocks[s.call.ID])
	}
	return nil
}

// listenForEnds ends calls when their end is requested. Requests whose notification is lost are found by the next
// renewal.
func (w *Worker) listenForEnds(ctx context.Context) {
	ends, unsubscribe := w.o.Bus.Subscribe(event.Ending, 64)
	defer unsubscribe()
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-ends:
			if id == "" {
				select {
				case w.endRequested <- struct{}{}:
				default:
				}
				continue
			}
			w.mu.Lock()
			s := w.sessions[id]
			w.mu.Unlock()
			if s != nil {
				s.cancel(endCause{call.EndedByAPI})
			}
		}
	}
}
