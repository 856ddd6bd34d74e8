package providers

import (
	"slices"
	"time"

	"parley/internal/dialogue"
)

const (
	// positionStep is how far apart positions are kept while the audio is written as it comes, and maxPositions how many: of three minutes.
	positionStep, maxPositions = 200 * time.Millisecond, 900
	// uneven is how much the audio may come earlier or later than expected before another position is kept.
	uneven = 20 * time.Millisecond
)

// positions are when the audio came that was written to a recognition: audio is left out, and written late.
type positions struct {
	of   dialogue.Recognition
	end  time.Duration // of what was written
	list []position
}

type position struct {
	at   time.Duration // in what was written
	time time.Time     // when the audio from there on came
}

// begin begins again with another recognition.
func (p *positions) begin(of dialogue.Recognition) {
	if p.of != of {
		*p = positions{of: of, list: p.list[:0]}
	}
}

// add adds samples of which the first came at a time.
func (p *positions) add(samples int, came time.Time) {
	last := len(p.list) - 1
	if last < 0 || p.end-p.list[last].at >= positionStep || came.Sub(p.list[last].time.Add(p.end-p.list[last].at)).Abs() > uneven {
		if len(p.list) == maxPositions {
			p.list = slices.Delete(p.list, 0, maxPositions/10)
		}
		p.list = append(p.list, position{p.end, came})
	}
	p.end += duration(samples)
}

func (p *positions) timeOf(of dialogue.Recognition, at time.Duration) (time.Time, bool) {
	if p.of != of || of == nil || at > p.end+positionStep {
		return time.Time{}, false
	}
	n, found := slices.BinarySearchFunc(p.list, at, func(q position, at time.Duration) int { return int(q.at - at) })
	if !found {
		n--
	}
	if n < 0 {
		return time.Time{}, false
	}
	return p.list[n].time.Add(at - p.list[n].at), true
}
