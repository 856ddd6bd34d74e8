package live

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"parley/internal/database"
)

// Poll intervals, for notifications that were lost.
const (
	callsInterval = 2 * time.Second
	callInterval  = time.Second // while a stream of a single call is open
)

// source reads the changes of one viewer's calls for all of its streams.
type source struct {
	scope   database.Scope
	test    bool
	pageURL PageURL // nil for none
	log     *slog.Logger
	stop    context.CancelFunc
	changed chan struct{}

	mu    sync.Mutex
	lists map[*Stream]struct{}            // of all calls
	calls map[string]map[*Stream]struct{} // of one call, by call id
	n     int

	// Used by run only.
	known      map[string]listState  // as sent; nil while no stream is of all calls
	open       int                   // number of calls in known that have not ended
	readAt     time.Time             // database time at which known was read
	watched    map[string]*sentState // by call id
	unreadable bool                  // the latest refresh failed
}

// sentState is the state of a call that all its streams have received, except
// new ones.
type sentState struct {
	status, reason string
	held           bool
	messages       int64
	handoffs       int
	transfers      int
}

func newSource(scope database.Scope, test bool, pageURL PageURL, log *slog.Logger, stop context.CancelFunc) *source {
	return &source{
		scope: scope, test: test, pageURL: pageURL, log: log, stop: stop, changed: make(chan struct{}, 1),
		lists: map[*Stream]struct{}{}, calls: map[string]map[*Stream]struct{}{}, watched: map[string]*sentState{},
	}
}

// requestRefresh schedules a refresh. It never blocks.
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

// remove removes a stream and returns the number left.
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

// run refreshes on request and at the poll interval until ctx ends.
func (s *source) run(ctx context.Context) {
	timer := time.NewTimer(callsInterval)
	defer timer.Stop()
	wait := func(d time.Duration, wake <-chan struct{}) bool {
		timer.Reset(d)
		select {
		case <-ctx.Done():
			return false
		case <-wake:
		case <-timer.C:
		}
		return true
	}
	for wait(s.interval(), s.changed) {
		began := time.Now()
		if err := s.refresh(ctx); err != nil && ctx.Err() == nil && !s.unreadable {
			s.unreadable = true
			s.log.WarnContext(ctx, "failed to read calls for live streams", "tenant", s.scope.TenantID(), "error", err)
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

// pause returns the time to wait after a refresh of the given duration: under
// load a source uses a fifth of a core at most and sends less often.
func (s *source) pause(took time.Duration) time.Duration {
	return min(max(4*took, 5*time.Millisecond+time.Duration(s.count())*40*time.Microsecond), callInterval)
}

// refresh reads what changed and publishes it.
func (s *source) refresh(ctx context.Context) error {
	q := s.buildQuery()
	if q.lists == nil && len(q.watching) == 0 {
		return nil
	}
	var a result
	err := s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		a, err = q.read(ctx, tx)
		return err
	})
	if err == nil && s.pageURL != nil {
		err = a.readLinks(ctx, s.scope.TenantID(), s.pageURL)
	}
	if err != nil {
		q.failNew()
		return err
	}
	s.publishLists(q, a)
	for id, streams := range q.watching {
		s.publishCall(id, streams, a)
	}
	return nil
}
