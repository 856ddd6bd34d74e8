package worker

import (
	"runtime"
	"time"

	"golang.org/x/time/rate"
)

const (
	// busyLoad is the processor load of the machine above which a worker slows its claims down.
	busyLoad = 0.8
	// busyInterval is the time between two claimed calls on a busy machine.
	busyInterval = 100 * time.Millisecond
	// callsPerProcessor is how many calls a worker claims per second and processor, with a burst of the same size.
	// A join costs an agent 10 to 15 ms of processor time, so a burst of calls uses about an eighth of the machine
	// and does not slow down running conversations or the API.
	callsPerProcessor = 10
)

// throttle limits the rate of claims (load shedding). It delays calls but rejects none: the load may have other causes.
type throttle struct {
	cpu     func() float64 // load of the machine, 0 to 1; nil if unknown
	limiter *rate.Limiter  // of claimed calls
	last    time.Time      // of the last claim
}

func newThrottle(cpu func() float64) throttle {
	calls := callsPerProcessor * runtime.NumCPU()
	return throttle{cpu: cpu, limiter: rate.NewLimiter(rate.Limit(calls), calls)}
}

// allow returns how many calls, up to free, may be claimed now, and, if the throttle limits that, after how long to call it
// again. On a busy machine it is one call at a time, so that workers on other machines claim the others.
func (t *throttle) allow(running, free int, now time.Time) (n int, again time.Duration) {
	if free <= 0 {
		return 0, 0
	}
	if t.cpu != nil && t.cpu() >= busyLoad {
		if wait := t.last.Add(busyInterval).Sub(now); running > 0 && wait > 0 {
			return 0, wait
		}
		return 1, busyInterval
	}
	next := time.Duration(float64(time.Second) / float64(t.limiter.Limit()))
	switch n = int(t.limiter.TokensAt(now)); {
	case n >= free:
		return free, 0
	case n <= 0:
		return 0, next
	}
	return n, next
}

// record counts claimed calls. On a busy machine those beyond the rate do not reduce later allowances.
func (t *throttle) record(n int, now time.Time) {
	if n > 0 {
		t.last = now
		t.limiter.AllowN(now, n)
	}
}
