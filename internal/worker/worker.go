// Package worker claims calls and runs their conversations.
//
// A worker needs only the database and the media server: it may run inside serve or on a separate machine.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"parley/internal/call"
	"parley/internal/event"
	"parley/internal/hearing"
	"parley/internal/media"
	"parley/internal/plan"
	"parley/internal/recording"
	"parley/internal/sip"
	"parley/internal/tool"
	"parley/internal/voice"
)

// claimInterval is the polling interval for pending calls. Normally a notification of each dispatch wakes the worker; between
// nodes without a relay there is none.
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
	CPU      *CPU   // load of the machine, by which claims are throttled; nil for no throttling by load
	Calls    *call.Service
	Bus      *event.Bus
	Rooms    Rooms
	Joiner   *media.Joiner
	Tokens   media.Tokens
	MediaURL string // of the media server, for this worker
	// Providers returns the providers that a call of a tenant may use, until ctx ends.
	Providers func(ctx context.Context, tenantID string) voice.Providers
	// CallBegan is called when a call of an agent begins, in the caller's language ("" for none). It does not wait. nil does nothing.
	CallBegan func(tenantID string, p plan.Plan, agent, language string)
	// Tools runs tools; nil if none are offered.
	Tools voice.Tools
	// ToolTenant returns what the requests of a tenant's tools are made with; nil for no secrets.
	ToolTenant func(tenantID string) tool.Tenant
	// OutboundRoute returns the trunk that a tenant dials through, the one with an id or its default, or sip.ErrNoTrunk. If livemode is false, it is the
	// sandbox.
	OutboundRoute func(ctx context.Context, tenantID, trunkID string, livemode bool) (sip.OutboundRoute, error)
	// CheckDial returns why a call of a tenant may not be transferred to a number.
	CheckDial func(ctx context.Context, tenantID, number string) error
	// AuthorizePerson records that a person is dialled into a call, or returns why that is not allowed.
	AuthorizePerson func(ctx context.Context, tenantID, callID, number string) error
	// RecordTransfer records in a call's timeline what became of a transfer.
	RecordTransfer func(ctx context.Context, tenantID, callID string, outcome call.IncidentType) error
	// Phones dials numbers.
	Phones Phones
	// RingTimeout limits how long a number rings.
	RingTimeout time.Duration
	// SilenceTimeout ends a call in which nobody speaks.
	SilenceTimeout time.Duration
	// VADModel detects speech in the caller's audio.
	VADModel hearing.Model
	// Recordings stores the recordings of calls.
	Recordings *recording.Store
	// Sounds has the tenants' sounds, and bundled ones.
	Sounds Sounds
	Log    *slog.Logger
	// Tracer traces each call; nil for no traces.
	Tracer trace.Tracer
}

// Rooms manages the media server's rooms.
type Rooms interface {
	Create(ctx context.Context, name string, o media.RoomOptions) error
	Delete(ctx context.Context, name string) error
	Participants(ctx context.Context, room string) ([]media.Member, error)
	Remove(ctx context.Context, room, identity string) error
	Announce(ctx context.Context, room, identity string) error
}

// Worker runs calls.
type Worker struct {
	options Options

	mu             sync.Mutex
	sessions       map[string]*session // by call id
	sessionEnded   chan struct{}       // signals that a session ended
	endRequested   chan struct{}       // signals that an end may have been requested
	running        sync.WaitGroup
	throttle       throttle // used by the loop in Run
	callersWaiting bool     // callers may be present whose calls are pending; used by the loop in Run
	database       call.Reachability
	plans          plans

	registration sync.Mutex
	unregistered bool // claims no more calls
}

// New returns a Worker.
func New(o Options) *Worker {
	var share func() float64
	if o.CPU != nil {
		share = o.CPU.Share
	}
	return &Worker{options: o, sessions: map[string]*session{}, sessionEnded: make(chan struct{}, 1), endRequested: make(chan struct{}, 1), throttle: newThrottle(share), database: call.Reachability{Gap: 2 * call.LeaseRenewal}}
}

// Causes of a session's cancellation other than its own end.
var (
	errLost     = errors.New("the call belongs to another worker or has ended")
	errReleased = errors.New("the call is returned to the queue")
)

// Run claims and runs calls until ctx ends. Then it drains: calls that nobody has joined are returned to the queue,
// the others continue to their end. When stop ends they are ended too, as disconnected with reason server_shutdown.
// Run returns when no call is left.
func (w *Worker) Run(ctx, stop context.Context) {
	pending, unsubscribe := w.options.Bus.Subscribe(event.Pending, 1)
	defer unsubscribe()
	arrived, unsubscribe := w.options.Bus.Subscribe(event.Arrived, 1)
	defer unsubscribe()
	// Renewals continue while draining.
	renewing, stopRenewing := context.WithCancel(context.WithoutCancel(ctx))
	var housekeeping sync.WaitGroup
	housekeeping.Go(func() { w.renewLeases(renewing) })
	housekeeping.Go(func() { w.listenForEnds(renewing) })
	housekeeping.Go(func() { w.listenForControls(renewing) })
	if w.options.CPU != nil {
		housekeeping.Go(func() { w.options.CPU.Run(renewing) })
	}

	ticker := time.NewTicker(claimInterval)
	defer ticker.Stop()
	takeOver := w.register(ctx) // take over calls of a lost worker immediately, such as those of this worker's previous process
	for ctx.Err() == nil {
		if takeOver {
			w.takeOverCalls(ctx, stop)
		}
		again := w.claimCalls(ctx, stop)
		takeOver = false
		select {
		case <-ctx.Done():
		case <-pending:
		case <-arrived:
			w.callersWaiting = true
		case <-w.sessionEnded:
		case <-after(again):
		case <-ticker.C:
			takeOver, w.callersWaiting = w.database.Stable(time.Now()), true
		}
	}
	w.releaseWaiting()
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

// claimCalls claims as many calls as there are free slots and the throttle allows, and starts their sessions. It returns
// after how long to claim again without a notification; 0 for claimInterval.
func (w *Worker) claimCalls(ctx, stop context.Context) (again time.Duration) {
	from, slots := w.options.Calls.Claim, w.freeSlots()
	full, forCallers := slots <= 0, w.freeForCallers()
	if full || forCallers <= 0 {
		if !w.callersWaiting {
			return 0
		}
		from = w.options.Calls.ClaimArrived
	}
	if full {
		slots = len(w.releasableSessions())
	} else if forCallers > 0 {
		slots = min(slots, forCallers)
	}
	n, again := w.throttle.allow(w.Calls(), slots, time.Now())
	if n == 0 {
		return again
	}
	claimed := w.claimFrom(ctx, stop, from, n)
	w.throttle.record(claimed, time.Now())
	if full {
		w.releaseSlots(claimed)
	}
	if full || forCallers <= 0 {
		w.callersWaiting = claimed == n
	}
	switch {
	case claimed < n:
		return 0 // no others are waiting
	case !full && slots == forCallers:
		return max(again, time.Millisecond) // now only those whose callers are present
	}
	return again
}

// waitingPerProcessor is how many calls that nobody has joined a worker prepares at once for each processor, so that their
// agents hear the first word. Beyond these a call is claimed when its caller has come: an agent in a room costs as much
// whether somebody listens or not.
const waitingPerProcessor = 3

// freeForCallers returns how many more calls that nobody has joined the worker may prepare.
func (w *Worker) freeForCallers() int {
	free := waitingPerProcessor * runtime.NumCPU()
	for _, s := range w.allSessions() {
		if s.waiting.Load() {
			free--
		}
	}
	return free
}

// takeOverCalls takes over calls of lost workers. It ignores the throttle, and releases calls that nobody has joined if
// there are too few slots: the callers of lost workers are connected and hear nothing.
func (w *Worker) takeOverCalls(ctx, stop context.Context) {
	free := w.freeSlots()
	if most := free + len(w.releasableSessions()); most > 0 {
		w.releaseSlots(w.claimFrom(ctx, stop, w.options.Calls.TakeOver, most) - max(0, free))
	}
}

// freeSlots returns how many more calls the worker can run.
func (w *Worker) freeSlots() int { return w.options.Capacity - w.Calls() }

// claimFrom claims up to most calls with a claim function, starts their sessions and returns their number.
func (w *Worker) claimFrom(ctx, stop context.Context, from func(context.Context, string, int) ([]*call.Call, error), most int) int {
	// The claim outlives ctx, because calls of a claim whose result is lost would wait for their lease to expire.
	// It is bounded by databaseTimeout.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), databaseTimeout)
	defer cancel()
	sent := time.Now()
	claimed, err := from(limited, w.options.Name, most)
	received := time.Now()
	if err != nil {
		w.database.MarkUnreachable()
		w.options.Log.ErrorContext(ctx, "failed to claim calls", "error", err)
		return 0
	}
	w.database.MarkReachable(received)
	for _, c := range claimed {
		w.startSession(ctx, stop, c, clockOf(c.Claimed(), sent, received))
	}
	return len(claimed)
}

// startSession runs a claimed call in a goroutine.
func (w *Worker) startSession(ctx, stop context.Context, c *call.Call, clock clock) {
	s := newSession(w, c)
	s.clock.set(clock)
	sessionCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.cancel = cancel
	detach := context.AfterFunc(stop, func() { cancel(endCause{call.ServerShutdown}) })
	w.mu.Lock()
	earlier := w.sessions[c.ID]
	w.sessions[c.ID] = s
	w.mu.Unlock()
	if earlier != nil { // this process was suspended until its lease of the same call expired
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

// releaseWaiting releases the calls whose caller has not joined.
func (w *Worker) releaseWaiting() {
	for _, s := range w.allSessions() {
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

// session returns the running session of a call, or nil.
func (w *Worker) session(callID string) *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sessions[callID]
}

// allSessions returns a copy of the list of running sessions.
func (w *Worker) allSessions() []*session {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]*session, 0, len(w.sessions))
	for _, s := range w.sessions {
		all = append(all, s)
	}
	return all
}

// renewLeases renews leases and registration until ctx ends, and cancels the sessions of lost calls.
func (w *Worker) renewLeases(ctx context.Context) {
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
		if err := errors.Join(w.renewOnce(ctx), w.keepRegistered(ctx)); err != nil && ctx.Err() == nil {
			// After an outage of the database renewals are urgent: leases may have expired.
			w.database.MarkUnreachable()
			w.options.Log.ErrorContext(ctx, "failed to renew leases", "error", err)
			wait = renewRetry
		}
		next.Reset(wait)
	}
}

// renewOnce renews the leases of all sessions, and handles what it returns: calls lost, and calls whose end was requested.
func (w *Worker) renewOnce(ctx context.Context) error {
	sessions := w.allSessions()
	endRequested, clocks := map[string]bool{}, map[string]clock{}
	if len(sessions) > 0 {
		ids := make([]string, len(sessions))
		for i, s := range sessions {
			ids[i] = s.call.ID
		}
		limited, cancel := context.WithTimeout(ctx, databaseTimeout)
		defer cancel()
		sent := time.Now()
		leases, err := w.options.Calls.Renew(limited, w.options.Name, ids)
		received := time.Now()
		if err != nil {
			return err
		}
		for _, h := range leases {
			endRequested[h.ID], clocks[h.ID] = h.EndRequested, clockOf(h.Renewed(), sent, received)
		}
	}
	for _, s := range sessions {
		end, held := endRequested[s.call.ID]
		switch {
		case !held:
			s.cancel(errLost)
			continue
		case end:
			s.cancel(endCause{call.EndedByAPI})
		}
		s.clock.set(clocks[s.call.ID])
	}
	return w.findControls(ctx, sessions)
}

// listenForEnds ends calls when a notification requests it. If the notification is lost, the next renewal returns the
// request.
func (w *Worker) listenForEnds(ctx context.Context) {
	ends, unsubscribe := w.options.Bus.Subscribe(event.Ending, 64)
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
			if s := w.session(id); s != nil {
				s.cancel(endCause{call.EndedByAPI})
			}
		}
	}
}
