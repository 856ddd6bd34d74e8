package turn

import "time"

// pauseMargin is by how much an endpoint exceeds the caller's longest pause.
const pauseMargin = 150 * time.Millisecond

// reactionTime is how long a caller has heard the agent's answer, the way through the network included, who interrupts it or replies
// to it. One who speaks earlier goes on with a turn that was taken to be over.
const reactionTime = 500 * time.Millisecond

// pauses records the caller's recent pauses within turns, of one kind: after words that the recogniser judged complete, or after
// words that nothing indicated to be complete or unfinished. Endpoints grow with them.
type pauses struct {
	longest   [5]time.Duration // in each of the last turns; a ring
	turn      int              // index of the current one
	candidate time.Duration    // the pause before the current speech, until it has a word; 0 for none
	turnEnd   time.Time        // when the caller last spoke in a turn that ended at such words; zero for another
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

// notePause notes how long the caller paused before speech that began at start: within the turn or, if the turn has no words yet,
// since the end of the one before.
func (d *Detector) notePause(start time.Time) {
	since := func(last time.Time) time.Duration {
		if last.IsZero() {
			return 0
		}
		return max(0, start.Sub(last))
	}
	d.pauses.candidate, d.misjudged.candidate = 0, 0
	switch {
	case d.text == "" && d.audible && start.Sub(d.audibleFrom) > reactionTime: // the agent's answer was heard
	case d.text == "":
		d.pauses.candidate, d.misjudged.candidate = since(d.pauses.turnEnd), since(d.misjudged.turnEnd)
	case d.complete:
		d.misjudged.candidate = since(d.lastSpeech)
	case !d.unfinished:
		d.pauses.candidate = since(d.lastSpeech)
	}
}

// endTurnOfPauses ends the caller's turn. If the caller continues at once, its end was a pause of the kind that its last words
// indicated.
func (d *Detector) endTurnOfPauses() {
	var pause, misjudged time.Time
	switch {
	case d.complete:
		misjudged = d.lastSpeech
	case !d.unfinished:
		pause = d.lastSpeech
	}
	d.pauses.endTurn(pause)
	d.misjudged.endTurn(misjudged)
}
