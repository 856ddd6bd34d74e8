package recording

import (
	"math"
	"slices"
	"sync"
	"time"
)

// redactedLag is how long a position of a recording with redaction is kept open before it is known that the caller speaks.
const redactedLag = 1500 * time.Millisecond

// maxAwait is how much of a recording is kept in memory, 11 MB a call; what the caller says beyond it is silenced.
const maxAwait = 2 * time.Minute

// redaction is what of the caller's side of a recording is replaced by silence.
type redaction struct {
	mu       sync.Mutex
	from     time.Time // what is recorded from then on is not settled; zero for all is
	silenced [][2]time.Time
}

// Await keeps what is recorded from a time on from being written, until Settle. A later time while it is kept changes nothing.
func (r *Recorder) Await(from time.Time) {
	r.redaction.mu.Lock()
	defer r.redaction.mu.Unlock()
	if r.redaction.from.IsZero() {
		r.redaction.from = from
	}
}

// Settle ends Await. The caller's side is silent in each of the spans.
func (r *Recorder) Settle(silenced ...[2]time.Time) {
	r.redaction.mu.Lock()
	defer r.redaction.mu.Unlock()
	r.redaction.silenced = append(r.redaction.silenced, silenced...)
	r.redaction.from = time.Time{}
}

// end settles what is not when the recording ends: nobody knows any more what was said.
func (d *redaction) end(now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.from.IsZero() {
		d.silenced = append(d.silenced, [2]time.Time{d.from, now.Add(redactedLag)})
		d.from = time.Time{}
	}
}

// spans are positions in a recording, in samples.
type spans struct {
	open     int // from there on nothing is settled
	silenced [][2]int
}

// spans returns what is silenced of a recording that began at start.
func (d *redaction) spans(start time.Time) spans {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := time.Now(); !d.from.IsZero() && now.Sub(d.from) > maxAwait {
		d.silenced = append(d.silenced, [2]time.Time{d.from, now})
		d.from = now
	}
	s := spans{open: math.MaxInt}
	if !d.from.IsZero() {
		s.open = samples(d.from.Sub(start))
	}
	d.silenced = slices.DeleteFunc(d.silenced, func(span [2]time.Time) bool { return time.Since(span[1]) > maxAwait+redactedLag+time.Second })
	for _, span := range d.silenced {
		s.silenced = append(s.silenced, [2]int{samples(span[0].Sub(start)), samples(span[1].Sub(start))})
	}
	return s
}

// silence silences the caller's side of a frame of both channels that begins at a position.
func (s spans) silence(stereo []int16, at int) {
	for _, span := range s.silenced {
		for i := max(0, span[0]-at); i < min(len(stereo)/2, span[1]-at); i++ {
			stereo[2*i+int(caller)] = 0
		}
	}
}
