package worker

import "time"

const (
	// busy is the share of the machine's processors from which on a worker
	// brakes.
	busy = 0.8
	// brakeInterval is the time between two calls that a worker takes then.
	brakeInterval = 250 * time.Millisecond
)

// brake slows a worker down on a busy machine: it takes one call at a time, so
// that workers on idler machines get the others, and a burst is spread over
// seconds. It refuses none: what keeps the machine busy may be something else
// than calls, and a call that begins late is better than one that never does.
type brake struct {
	cpu  func() float64 // share of the machine that is busy
	last time.Time      // when the last call was taken
}

// allow is how many calls a worker that runs some may take now, and, where the
// brake holds some back, when to ask again.
func (b *brake) allow(running, room int, now time.Time) (n int, again time.Duration) {
	if room <= 0 {
		return 0, 0
	}
	if b.cpu == nil || b.cpu() < busy {
		return room, 0
	}
	if wait := b.last.Add(brakeInterval).Sub(now); running > 0 && wait > 0 {
		return 0, wait
	}
	return 1, brakeInterval
}

// took notes that calls were taken.
func (b *brake) took(n int, now time.Time) {
	if n > 0 {
		b.last = now
	}
}
