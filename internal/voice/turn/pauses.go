package turn

import "time"

// pauseMargin is by how much an endpoint exceeds the caller's longest pause.
const pauseMargin = 150 * time.Millisecond

// pauses records the caller's recent pauses within turns, where neither the words nor the recogniser indicated that the
// turn was unfinished. Endpoints grow with them.
type pauses struct {
	longest   [5]time.Duration // in each of the last turns; a ring
	turn      int              // index of the current one
	candidate time.Duration    // the pause before the current speech, until it has a word; 0 for none
	turnEnd   time.Time        // when the caller last spoke in a turn that ended after endpoint_default_ms; zero for another
}

// recordWord handles a new word: the caller continued after the pause, unless it was longer than most.
func (p *pauses) recordWord(most time.Duration) {
	if p.candidate <= most {
		p.longest[p.turn] = max(p.longest[p.turn], p.candidate)
	}
	p.candidate = 0
}

// endTurn ends the turn; end is the new turnEnd.
func (p *pauses) endTurn(end time.Time) {
	p.turn = (p.turn + 1) % len(p.longest)
	p.longest[p.turn], p.candidate, p.turnEnd = 0, 0, end
}

// endpoint returns the silence, between least and most, that ends a turn of this caller.
func (p *pauses) endpoint(least, most time.Duration) time.Duration {
	longest := time.Duration(0)
	for _, l := range p.longest {
		longest = max(longest, l)
	}
	if longest == 0 {
		return least
	}
	return max(least, min(longest+pauseMargin, most))
}

// pauseBefore returns how long the caller paused before speech that began at start, within the turn or, if the turn has
// no words yet, since the one that ended without a sign of completeness; 0 for no such pause.
func (d *Detector) pauseBefore(start time.Time) time.Duration {
	last := d.lastSpeech
	switch {
	case d.text == "":
		last = d.pauses.turnEnd
	case d.complete || d.unfinished:
		return 0
	}
	if last.IsZero() {
		return 0
	}
	return max(0, start.Sub(last))
}
