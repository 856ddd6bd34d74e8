package worker

import (
	"slices"
	"time"
)

// When the worker is full, a call that nobody has joined gives up its slot to one whose caller is present or whose
// worker is lost: it returns to the queue, where its caller can still join it.

// arrivalWait is how long a call that was claimed because its caller was present keeps its slot: the caller is
// about to join, or has left again.
const arrivalWait = 10 * time.Second

// releasable reports whether the call may give up its slot.
func (s *session) releasable(now time.Time) bool {
	return s.waiting.Load() && (s.call.ArrivedAt.IsZero() || now.Sub(s.began) > arrivalWait)
}

// releaseOrder returns the sessions that may give up their slots, in order: always the newest call of the tenant
// that has most of them.
func (w *Worker) releaseOrder() (order []*session) {
	byTenant := map[string][]*session{}
	now := time.Now()
	for _, s := range w.all() {
		if s.releasable(now) {
			byTenant[s.call.TenantID] = append(byTenant[s.call.TenantID], s)
		}
	}
	type place struct {
		s    *session
		left int // calls that the tenant has at this one's turn
	}
	var places []place
	for _, of := range byTenant {
		slices.SortFunc(of, func(a, b *session) int { return b.call.CreatedAt.Compare(a.call.CreatedAt) })
		for i, s := range of {
			places = append(places, place{s, len(of) - i})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.left != b.left {
			return b.left - a.left
		}
		return b.s.call.CreatedAt.Compare(a.s.call.CreatedAt)
	})
	for _, p := range places {
		order = append(order, p.s)
	}
	return order
}

// releaseSlots returns up to n calls that nobody has joined to the queue; fewer if callers join meanwhile.
func (w *Worker) releaseSlots(n int) {
	for _, s := range w.releaseOrder() {
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
