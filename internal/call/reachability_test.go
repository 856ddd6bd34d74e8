package call_test

import (
	"testing"
	"time"

	"parley/internal/call"
)

func TestSight(t *testing.T) {
	const gap = 10 * time.Second
	began := time.Now()
	s := call.Reachability{Gap: gap}
	at := func(d time.Duration) time.Time { return began.Add(d) }
	seen := func(moments ...time.Duration) {
		for _, d := range moments {
			s.MarkReachable(at(d))
		}
	}
	clear := func(what string, d time.Duration, want bool) {
		t.Helper()
		if s.Stable(at(d)) != want {
			t.Errorf("%s: clear is %t", what, !want)
		}
	}
	const r = call.RecoveryTime
	recovered := func(want bool) {
		t.Helper()
		if at, ok := s.Recovered(); ok != want {
			t.Errorf("recovered at %v: %t", at, ok)
		}
	}
	clear("never seen", 0, false)
	seen(0)
	clear("just seen", 0, false)
	clear("seen for as long as it takes", r, false)
	clear("seen for longer", r+1, true)
	clear("not seen for long", gap+1, false)
	seen(gap, 2*gap)
	clear("seen all the time", 2*gap, true)

	recovered(false)
	s.MarkUnreachable()
	recovered(false)
	clear("lost", 2*gap+r, false)
	seen(2*gap + 2*r)
	clear("found again", 2*gap+2*r, false)
	recovered(true)
	clear("for a while", 2*gap+3*r+1, true)

	// The database, or this process, stalled, and no failure was reported.
	still := 4 * gap
	seen(still)
	clear("stood still", still+r, false)
	clear("a while after", still+r+1, true)

	// The clock is set, ahead and back.
	hour := still + time.Hour
	seen(hour)
	clear("an hour ahead", hour, false)
	clear("a while after that", hour+r+1, true)
	seen(still)
	clear("an hour back", still, false)
	clear("a while after that", still+r+1, true)
}
