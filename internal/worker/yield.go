package worker

import (
	"slices"
	"time"
)

// A call that nobody has joined gives way, when the worker is full, to one
// whose caller is there, or whose worker vanished: it goes back to the queue,
// where its caller still finds it.

// arrivalWait is how long a call that was claimed because its caller was there
// does not give way: the caller is about to be seen, or has gone again.
const arrivalWait = 10 * time.Second

// yields tells whether the call may give way.
func (s *session) yields(now time.Time) bool {
	return s.waiting.Load() && (s.call.ArrivedAt.IsZero() || now.Sub(s.began) > arrivalWait)
}

// yielding are the sessions that may give way, in the order in which they do:
// always the newest call of the tenant that has most of them.
func (w *Worker) yielding() (order []*session) {
	byTenant := map[string][]*session{}
	now := time.Now()
	for _, s := range w.all() {
		if s.yields(now) {
			byTenant[s.call.TenantID] = append(byTenant[s.call.TenantID], s)
		}
	}
	type place struct {
		s    *session
		left int // that the tenant has when it is this one's turn
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

// yield gives back n calls that nobody has joined, or as many as there are: a
// caller may come to one at the very moment.
func (w *Worker) yield(n int) {
	for _, s := range w.yielding() {
		if n <= 0 {
			return
		}
		if s.waiting.CompareAndSwap(true, false) {
			s.log.Info("the call gives way to one whose caller is there")
			s.cancel(errGivenBack)
			n--
		}
	}
}
