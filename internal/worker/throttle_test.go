package worker

import (
	"testing"
	"time"

	"golang.org/x/time/rate"
)

func TestBrake(t *testing.T) {
	now, share := time.Now(), 0.5
	b := throttle{cpu: func() float64 { return share }, limiter: rate.NewLimiter(10, 10)}
	check := func(what string, running, room, want int, again time.Duration) {
		t.Helper()
		n, wait := b.allow(running, room, now)
		if n != want || wait != again {
			t.Errorf("%s: %d calls, again in %v; want %d, %v", what, n, wait, want, again)
		}
		b.record(n, now)
	}
	const pace = 100 * time.Millisecond
	check("a few at once", 0, 4, 4, 0)
	check("a rush", 4, 36, 6, pace)
	check("what is left of the rush", 10, 30, 0, pace)
	now = now.Add(pace)
	check("a tenth of a second later", 10, 30, 1, pace)
	now = now.Add(time.Hour)
	check("calls that were not taken are not saved up", 11, 29, 10, pace)
	check("a full worker", 40, 0, 0, 0)
	share = 0.95
	check("a busy machine, just after a call", 1, 39, 0, busyInterval)
	check("the first call is never held back", 0, 40, 1, busyInterval)
	now = now.Add(busyInterval / 2)
	check("half an interval later", 1, 39, 0, busyInterval/2)
	now = now.Add(busyInterval / 2)
	check("an interval later", 1, 39, 1, busyInterval)
	now = now.Add(time.Hour)
	check("nor are they on a busy machine", 2, 38, 1, busyInterval)
	share = 0.5
	check("idle again", 3, 5, 5, 0)
	share = 0.95
	for range 100 {
		check("a busy machine whose calls end at once", 0, 40, 1, busyInterval)
	}
	share = 0.5
	check("idle again, after more than the pace allows", 0, 40, 0, pace)
	now = now.Add(pace)
	check("which is not held against it", 0, 40, 1, pace)
	unmeasured := newThrottle(nil)
	if n, again := unmeasured.allow(1, 5, now); n != 5 || again != 0 {
		t.Errorf("without a measure: %d, %v", n, again)
	}
}
