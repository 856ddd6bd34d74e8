package worker

import (
	"slices"
	"time"
)

// When the worker is full, a call that nobody has joined releases its slot for one whose caller is present or whose
// worker is lost: it returns to the queue, and its caller can still join it.

// arrivalWait is how long a call that was claimed because its caller was present is not released: the caller is about to
// join, or has left again.
const arrivalWait = 10 * time.Second

// isReleasable reports whether the call may release its slot.
func (s *session) isReleasable(now time.Time) bool {
	return s.waiting.Load() && (s.call.ArrivedAt.IsZero() || now.Sub(s.claimedAt) > arrivalWait)
}

// releasableSessions returns the sessions that may release their slots, in the order of release: each time the newest
// call of the tenant that has the most of them.
func (w *Worker) releasableSessions() (sessions []*session) {
	byTenant := map[string][]*session{}
	now := time.Now()
	for _, s := range w.allSessions() {
		if s.isReleasable(now) {
			byTenant[s.call.TenantID] = append(byTenant[s.call.TenantID], s)
		}
	}
	type candidate struct {
		session *session
		left    int // releasable calls of the tenant when this one is released
	}
	var candidates []candidate
	for _, of := range byTenant {
		slices.SortFunc(of, func(a, b *session) int { return b.call.CreatedAt.Compare(a.call.CreatedAt) })
		for i, s := range of {
			candidates = append(candidates, candidate{s, len(of) - i})
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		if a.left != b.left {
			return b.left - a.left
		}
		return b.session.call.CreatedAt.Compare(a.session.call.CreatedAt)
	})
	for _, c := range candidates {
		sessions = append(sessions, c.session)
	}
	return sessions
}

// releaseSlots returns up to n calls that nobody has joined to the queue; fewer if callers join meanwhile.
func (w *Worker) releaseSlots(n int) {
	for _, s := range w.releasableSessions() {
		if n <= 0 {
			return
		}
		if s.waiting.CompareAndSwap(true, false) {
			s.log.Info("call returned to the queue for one whose caller is present")
			s.cancel(errReleased)
			n--
		}
	}
}
