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
	"parley/internal/voice"
)

// claimInterval is how often a worker looks for calls without being told; it
// is told by every dispatch, unless nodes do not hear of each other.
const claimInterval = 500 * time.Millisecond

// Options is what a worker needs.
type Options struct {
	Name     string // unique among all workers that ever ran
	Capacity int    // calls at once
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
	// HasTrunk tells whether a tenant has a trunk to dial through.
	HasTrunk func(ctx context.Context, tenantID string) (bool, error)
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
}

// Worker runs calls.
type Worker struct {
	o Options

	mu       sync.Mutex
	sessions map[string]*session // by call id
	freed    chan struct{}       // a session ended
	missed   chan struct{}       // somebody may want a call to end
	running  sync.WaitGroup
}

// New makes a worker.
func New(o Options) *Worker {
	return &Worker{o: o, sessions: map[string]*session{}, freed: make(chan struct{}, 1), missed: make(chan struct{}, 1)}
}

// Why a session is cancelled other than by its own end.
var (
	errLost     = errors.New("the call is another worker's, or over")
	errDraining = errors.New("the worker drains")
)

// Run claims and runs calls until ctx ends. Then it drains: calls that nobody
// has joined are given back, the others go on to their end. When stop ends
// they end as well, as disconnected with reason server_shutdown. Run returns
// when no call is left.
func (w *Worker) Run(ctx, stop context.Context) {
	pending, unsubscribe := w.o.Bus.Subscribe(event.Pending, 1)
	defer unsubscribe()
	// Renewals go on while draining.
	renewing, stopRenewing := context.WithCancel(context.WithoutCancel(ctx))
	var housekeeping sync.WaitGroup
	housekeeping.Go(func() { w.renew(renewing) })
	housekeeping.Go(func() { w.listenForEnds(renewing) })

	ticker := time.NewTicker(claimInterval)
	defer ticker.Stop()
	for ctx.Err() == nil {
		w.claim(ctx, stop)
		select {
		case <-ctx.Done():
		case <-pending:
		case <-w.freed:
		case <-ticker.C:
		}
	}
	w.drain()
	w.running.Wait()
	stopRenewing()
	housekeeping.Wait()
}

// claim takes as many calls as there is room for and starts their sessions.
func (w *Worker) claim(ctx, stop context.Context) {
	w.mu.Lock()
	room := w.o.Capacity - len(w.sessions)
	w.mu.Unlock()
	if room <= 0 {
		return
	}
	// A claim that was made must be heard of, or its calls wait for the lease
	// to lapse: it outlives ctx.
	claimed, err := w.o.Calls.Claim(context.WithoutCancel(ctx), w.o.Name, room)
	if err != nil {
		w.o.Log.ErrorContext(ctx, "claim", "error", err)
		return
	}
	for _, c := range claimed {
		s := newSession(w, c)
		sessionCtx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		s.cancel = cancel
		detach := context.AfterFunc(stop, func() { cancel(over{call.ServerShutdown}) })
		w.mu.Lock()
		w.sessions[c.ID] = s
		w.mu.Unlock()
		w.running.Go(func() {
			defer detach()
			defer cancel(nil)
			s.run(sessionCtx)
			w.mu.Lock()
			delete(w.sessions, c.ID)
			w.mu.Unlock()
			select {
			case w.freed <- struct{}{}:
			default:
			}
		})
	}
}

// drain gives back the calls whose caller has not come.
func (w *Worker) drain() {
	for _, s := range w.all() {
		if s.waiting.Load() {
			s.cancel(errDraining)
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
	ticker := time.NewTicker(call.LeaseRenewal)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.missed:
		case <-ticker.C:
		}
		before := w.all()
		if len(before) == 0 {
			continue
		}
		held, err := w.o.Calls.Renew(ctx, w.o.Name)
		if err != nil {
			if ctx.Err() == nil {
				w.o.Log.ErrorContext(ctx, "renew leases", "error", err)
			}
			continue
		}
		asked := map[string]bool{}
		for _, h := range held {
			asked[h.ID] = h.EndAsked
		}
		for _, s := range before {
			end, ours := asked[s.call.ID]
			switch {
			case !ours:
				s.cancel(errLost)
			case end:
				s.cancel(over{call.EndedByAPI})
			}
		}
	}
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
