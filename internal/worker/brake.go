package worker

import (
	"runtime"
	"time"

	"golang.org/x/time/rate"
)

const (
	// busy is the share of the machine's processors from which on a worker
	// brakes.
	busy = 0.8
	// brakeInterval is the time between two calls that a worker takes then.
	brakeInterval = 250 * time.Millisecond
	// callsPerProcessor are the calls that a worker takes a second, for each
	// processor of the machine, after as many at once. An agent costs 10 to 15 ms
	// of processor time to enter its room: a rush is let in by an eighth of the
	// machine, and does not slow down those who talk, nor the API.
	callsPerProcessor = 10
)

// brake spreads the calls that a worker takes over time. It refuses none: what
// keeps a machine busy may be something else than calls, and a call that begins
// late is better than one that never does.
type brake struct {
	cpu  func() float64 // share of the machine that is busy; nil where nothing tells
	pace *rate.Limiter  // of calls taken
	last time.Time      // when the last call was taken
}

func newBrake(cpu func() float64) brake {
	calls := callsPerProcessor * runtime.NumCPU()
	return brake{cpu: cpu, pace: rate.NewLimiter(rate.Limit(calls), calls)}
}

// allow is how many calls a worker that runs some may take now, and, where the
// brake holds some back, when to ask again. On a busy machine that is one at a
// time, so that workers on idler machines get the others.
func (b *brake) allow(running, room int, now time.Time) (n int, again time.Duration) {
	if room <= 0 {
		return 0, 0
	}
	if b.cpu != nil && b.cpu() >= busy {
		if wait := b.last.Add(brakeInterval).Sub(now); running > 0 && wait > 0 {
			return 0, wait
		}
		return 1, brakeInterval
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

// took notes that calls were taken. What a busy machine took beyond the pace is
// not owed later.
func (b *brake) took(n int, now time.Time) {
	if n > 0 {
		b.last = now
		b.pace.AllowN(now, n)
	}
}
