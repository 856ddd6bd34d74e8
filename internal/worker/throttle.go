package worker

import (
	"runtime"
	"time"

	"golang.org/x/time/rate"
)

const (
	// busy is the processor load of the machine above which a worker slows its claims down.
	busyLoad = 0.8
	// busyInterval is the time between two claimed calls on a busy machine.
	busyInterval = 250 * time.Millisecond
	// callsPerProcessor is how many calls a worker claims per second and processor, with a burst of the same size.
	// A join costs an agent 10 to 15 ms of processor time, so a burst of calls uses about an eighth of the machine
	// and does not slow down running conversations or the API.
	callsPerProcessor = 10
)

// throttle limits the rate of claims. It rejects none: the load may have other causes than calls, and a late call
// is better than none.
type throttle struct {
	cpu  func() float64 // busy share of the machine, 0 to 1; nil if unknown
	pace *rate.Limiter  // of claimed calls
	last time.Time      // of the last claim
}

func newThrottle(cpu func() float64) throttle {
	calls := callsPerProcessor * runtime.NumCPU()
	return throttle{cpu: cpu, pace: rate.NewLimiter(rate.Limit(calls), calls)}
}

// allow returns how many calls a worker that runs some may claim now and, if that is limited, when to ask again. On
// a busy machine it is one at a time, so that workers on other machines get the rest.
func (b *throttle) allow(running, room int, now time.Time) (n int, again time.Duration) {
	if room <= 0 {
		return 0, 0
	}
	if b.cpu != nil && b.cpu() >= busyLoad {
		if wait := b.last.Add(busyInterval).Sub(now); running > 0 && wait > 0 {
			return 0, wait
		}
		return 1, busyInterval
	}
	next := time.Duration(float64(time.Second) / float64(b.pace.Limit()))
	switch n = int(b.pace.TokensAt(now)); {
	case n >= room:
		return room, 0
	case n <= 0:
		return 0, next
	}
	return n, next
}

// record counts claimed calls. Those above the rate on a busy machine do not reduce later allowances.
func (b *throttle) record(n int, now time.Time) {
	if n > 0 {
		b.last = now
		b.pace.AllowN(now, n)
	}
}
