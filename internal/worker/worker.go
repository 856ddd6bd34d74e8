// Package worker claims calls and runs their conversations.
//
// A worker needs the database and the media server, nothing else of Parley: it
// may run inside serve or on a machine of its own.
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
	"parley/internal/media"
	"parley/internal/recording"
	"parley/internal/sip"
	"parley/internal/voice"
)

// claimInterval is how often a worker looks for calls without being told; it
// is told by every dispatch, unless nodes do not hear of each other.
const claimInterval = 500 * time.Millisecond

const (
	// renewRetry is the wait after a renewal that did not reach the database.
	renewRetry = 500 * time.Millisecond
	// databaseWait bounds a claim and a renewal.
	databaseWait = 5 * time.Second
)

// Options is what a worker needs.
type Options struct {
	Name     string // unique among all workers that ever ran
	Capacity int    // calls at once
	CPU      *CPU   // slows the worker down on a busy machine; nil for never
	Calls    *call.Service
	Bus      *event.Bus
	Rooms    Rooms
	Joiner   *media.Joiner
	Tokens   media.Tokens
	MediaURL string // of the media server, as this worker reaches it
	// Providers are those that one call of a tenant may use, as long as ctx
	// lasts.
	Providers func(ctx context.Context, tenantID string) voice.Providers
	// Tools runs tools; without it none is offered.
	Tools voice.Tools
	// Route is the trunk that a tenant dials through, or sip.ErrNoTrunk. That of
	// calls made with test keys, where livemode is false, is no live one.
	Route func(ctx context.Context, tenantID string, livemode bool) (sip.Route, error)
	// MayDial tells why a call of a tenant may not be transferred to a number.
	MayDial func(ctx context.Context, tenantID, number string) error
	// Phones rings numbers; nil when this server has no gateway to the telephone
	// network.
	Phones Phones
	// RingTimeout is how long a number rings.
	RingTimeout time.Duration
	// SilenceTimeout ends a call in which nobody speaks.
	SilenceTimeout time.Duration
	// Recordings keeps the sound of calls whose agents want it kept.
	Recordings *recording.Store
	Log        *slog.Logger
	// Tracer makes a trace of each call; nil for none.
	Tracer trace.Tracer
}

// Rooms is what a worker needs of the media server's rooms.
type Rooms interface {
	Create(ctx context.Context, name string, o media.RoomOptions) error
	Delete(ctx context.Context, name string) error
	Participants(ctx context.Context, room string) ([]media.Member, error)
}

// Worker runs calls.
type Worker struct {
	o Options

	mu       sync.Mutex
	sessions map[string]*session // by call id
	freed    chan struct{}       // a session ended
	missed   chan struct{}       // somebody may want a call to end
	running  sync.WaitGroup
	brake    brake // of the loop in Run
	called   bool  // likewise: there may be callers whose calls wait
	sight    call.Sight

	presence sync.Mutex
	left     bool // takes no more calls
}

// New makes a worker.
func New(o Options) *Worker {
	var share func() float64
	if o.CPU != nil {
		share = o.CPU.Share
	}
	return &Worker{o: o, sessions: map[string]*session{}, freed: make(chan struct{}, 1), missed: make(chan struct{}, 1), brake: newBrake(share), sight: call.Sight{Gap: 2 * call.LeaseRenewal}}
}

// Why a session is cancelled other than by its own end.
var (
	errLost      = errors.New("the call is another worker's, or over")
	errGivenBack = errors.New("the call is given back") // to the queue, as it was
)

// Run claims and runs calls until ctx ends. Then it drains: calls that nobody
// has joined are given back, the others go on to their end. When stop ends
// they end as well, as disconnected with reason server_shutdown. Run returns
// when no call is left.
func (w *Worker) Run(ctx, stop context.Context) {
	pending, unsubscribe := w.o.Bus.Subscribe(event.Pending, 1)
	defer unsubscribe()
	arrived, unsubscribe := w.o.Bus.Subscribe(event.Arrived, 1)
	defer unsubscribe()
	// Renewals go on while draining.
	renewing, stopRenewing := context.WithCancel(context.WithoutCancel(ctx))
	var housekeeping sync.WaitGroup
	housekeeping.Go(func() { w.renew(renewing) })
	housekeeping.Go(func() { w.listenForEnds(renewing) })
	if w.o.CPU != nil {
		housekeeping.Go(func() { w.o.CPU.Run(renewing) })
	}

	ticker := time.NewTicker(claimInterval)
	defer ticker.Stop()
	look := w.present(ctx) // for calls whose worker vanished: for those of a predecessor at once
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
			w.called = true
		case <-w.freed:
		case <-after(again):
		case <-ticker.C:
			look, w.called = w.sight.Clear(time.Now()), true
		}
	}
	w.drain()
	w.leave(ctx)
	w.running.Wait()
	stopRenewing()
	housekeeping.Wait()
}

// after is time.After, never for 0.
func after(d time.Duration) <-chan time.Time {
	if d == 0 {
		return nil
	}
	return time.After(d)
}

// claim takes as many calls as there is room for and the brake allows, and
// starts their sessions. again says when to claim anew without being told to; 0
// for the usual.
func (w *Worker) claim(ctx, stop context.Context) (again time.Duration) {
	from, room := w.o.Calls.Claim, w.room()
	full := room <= 0
	if full {
		if !w.called {
			return 0
		}
		from, room = w.o.Calls.ClaimArrived, len(w.yielding())
	}
	n, again := w.brake.allow(w.Calls(), room, time.Now())
	if n == 0 {
		return again
	}
	claimed := w.take(ctx, stop, from, n)
	w.brake.took(claimed, time.Now())
	if full {
		w.yield(claimed)
		w.called = claimed == n
	}
	if claimed < n {
		return 0 // no other waits
	}
	return again
}

// takeOver takes calls whose worker vanished. Their callers are on the line and
// hear nothing: the brake does not hold them back, and calls that nobody has
// joined give way.
func (w *Worker) takeOver(ctx, stop context.Context) {
	room := w.room()
	if most := room + len(w.yielding()); most > 0 {
		w.yield(w.take(ctx, stop, w.o.Calls.TakeOver, most) - max(0, room))
	}
}

// room is how many calls more the worker can run.
func (w *Worker) room() int { return w.o.Capacity - w.Calls() }

// take takes up to most calls, starts their sessions and returns how many.
func (w *Worker) take(ctx, stop context.Context, from func(context.Context, string, int) ([]*call.Call, error), most int) int {
	// A claim that was made must be heard of, or its calls wait for the lease
	// to lapse: it outlives ctx. A database that does not answer is no reason to
	// wait for ever.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), databaseWait)
	defer cancel()
	asked := time.Now()
	claimed, err := from(limited, w.o.Name, most)
	answered := time.Now()
	if err != nil {
		w.sight.Lost()
		w.o.Log.ErrorContext(ctx, "claim", "error", err)
		return 0
	}
	w.sight.Seen(answered)
	for _, c := range claimed {
		w.start(ctx, stop, c, clockOf(c.Claimed(), asked, answered))
	}
	return len(claimed)
}

// start runs a call that was claimed.
func (w *Worker) start(ctx, stop context.Context, c *call.Call, clock clock) {
	s := newSession(w, c)
	s.clock.set(clock)
	sessionCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.cancel = cancel
	detach := context.AfterFunc(stop, func() { cancel(over{call.ServerShutdown}) })
	w.mu.Lock()
	earlier := w.sessions[c.ID]
	w.sessions[c.ID] = s
	w.mu.Unlock()
	if earlier != nil { // this process stood still until its own lease lapsed
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
		case w.freed <- struct{}{}:
		default:
		}
	})
}

// drain gives back the calls whose caller has not come.
func (w *Worker) drain() {
	for _, s := range w.all() {
		if s.waiting.CompareAndSwap(true, false) {
			s.cancel(errGivenBack)
		}
	}
}

// Calls is how many calls the worker runs.
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

// renew keeps the leases, and lets go of calls that are lost.
func (w *Worker) renew(ctx context.Context) {
	next := time.NewTimer(call.LeaseRenewal)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.missed:
		case <-next.C:
		}
		wait := call.LeaseRenewal
		if err := errors.Join(w.renewAll(ctx), w.stay(ctx)); err != nil && ctx.Err() == nil {
			// When the database is back, whoever was cut off from it has to be
			// quick: their leases may have lapsed.
			w.sight.Lost()
			w.o.Log.ErrorContext(ctx, "renew leases", "error", err)
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
		limited, cancel := context.WithTimeout(ctx, databaseWait)
		defer cancel()
		asked := time.Now()
		held, err := w.o.Calls.Renew(limited, w.o.Name, ids)
		answered := time.Now()
		if err != nil {
			return err
		}
		for _, h := range held {
			endAsked[h.ID], clocks[h.ID] = h.EndAsked, clockOf(h.Renewed(), asked, answered)
		}
	}
	for _, s := range before {
		end, ours := endAsked[s.call.ID]
		switch {
		case !ours:
			s.cancel(errLost)
			continue
		case end:
			s.cancel(over{call.EndedByAPI})
		}
		s.clock.set(clocks[s.call.ID])
	}
	return nil
}

// listenForEnds ends calls that somebody wants to end at once; a renewal tells
// of those that were not heard of.
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
				case w.missed <- struct{}{}:
				default:
				}
				continue
			}
			w.mu.Lock()
			s := w.sessions[id]
			w.mu.Unlock()
			if s != nil {
				s.cancel(over{call.EndedByAPI})
			}
		}
	}
}
