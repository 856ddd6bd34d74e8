package live

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/internal/database"
)

// How often a source refreshes without an announcement, which may be lost.
const (
	callsInterval = 2 * time.Second
	callInterval  = time.Second // while somebody watches a single call
)

// source reads the changes of one tenant's calls, or of those made with test
// keys alone, for all of its streams.
type source struct {
	scope   database.Scope
	test    bool
	log     *slog.Logger
	stop    context.CancelFunc
	changed chan struct{}

	mu    sync.Mutex
	lists map[*Stream]struct{}            // of all calls
	calls map[string]map[*Stream]struct{} // of one, by its id
	n     int

	// Only run touches these.
	known      map[string]listState // the calls as they were sent; nil while no stream is of all calls
	open       int                  // of them, not over
	readAt     time.Time            // when known was read, by the database's time
	watched    map[string]*watch    // the calls that have streams
	unreadable bool                 // the latest refresh failed
}

// watch is what all streams of a call have been sent, except the fresh.
type watch struct {
	status, reason string
	messages       int64
	handoffs       int
}

func newSource(scope database.Scope, test bool, log *slog.Logger, stop context.CancelFunc) *source {
	return &source{
		scope: scope, test: test, log: log, stop: stop, changed: make(chan struct{}, 1),
		lists: map[*Stream]struct{}{}, calls: map[string]map[*Stream]struct{}{}, watched: map[string]*watch{},
	}
}

// requestRefresh has the source refresh soon. It never waits.
func (s *source) requestRefresh() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *source) count() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *source) add(st *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	if st.call == "" {
		var t text
		id := FirstID
		if !st.since.IsZero() {
			id = sinceID(st.since)
		}
		t.add(id, Connected{"connected", st.tenant})
		st.push(Frame{t, id})
		s.lists[st] = struct{}{}
	} else {
		if s.calls[st.call] == nil {
			s.calls[st.call] = map[*Stream]struct{}{}
		}
		s.calls[st.call][st] = struct{}{}
	}
	s.requestRefresh()
}

// remove forgets a stream and returns how many are left.
func (s *source) remove(st *Stream) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n--
	delete(s.lists, st)
	if streams := s.calls[st.call]; streams != nil {
		delete(streams, st)
		if len(streams) == 0 {
			delete(s.calls, st.call)
		}
	}
	return s.n
}

// end ends all streams.
func (s *source) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.lists {
		st.end()
	}
	for _, streams := range s.calls {
		for st := range streams {
			st.end()
		}
	}
}

// run refreshes on request, and now and then. It returns when ctx ends.
func (s *source) run(ctx context.Context) {
	timer := time.NewTimer(callsInterval)
	defer timer.Stop()
	wait := func(d time.Duration, woken <-chan struct{}) bool {
		timer.Reset(d)
		select {
		case <-ctx.Done():
			return false
		case <-woken:
		case <-timer.C:
		}
		return true
	}
	for wait(s.interval(), s.changed) {
		began := time.Now()
		if err := s.refresh(ctx); err != nil && ctx.Err() == nil && !s.unreadable {
			s.unreadable = true
			s.log.WarnContext(ctx, "live streams cannot read the calls", "tenant", s.scope.TenantID(), "error", err)
		} else if err == nil {
			s.unreadable = false
		}
		if !wait(s.pause(time.Since(began)), nil) {
			return
		}
	}
}

func (s *source) interval() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) > 0 {
		return callInterval
	}
	return callsInterval
}

// pause is the time between two refreshes, after one that took so long: under load
// a source uses a fifth of a core at most, and its streams send less often.
func (s *source) pause(took time.Duration) time.Duration {
	return min(max(4*took, 5*time.Millisecond+time.Duration(s.count())*40*time.Microsecond), callInterval)
}

// refresh reads what changed and publishes it.
func (s *source) refresh(ctx context.Context) error {
	q := s.ask()
	if q.lists == nil && len(q.watching) == 0 {
		return nil
	}
	var a answer
	err := s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		a, err = q.read(ctx, tx)
		return err
	})
	if err != nil {
		q.fail()
		return err
	}
	s.publishLists(q, a)
	for id, streams := range q.watching {
		s.publishCall(id, streams, a)
	}
	return nil
}
