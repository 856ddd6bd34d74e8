package caller

import (
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	// speechLevel is the level, in dBFS, above which a frame holds speech, said or heard. Both voices are synthetic and
	// have no background, so a level is exact to the frame, where a detector that adapts to noise would take its time.
	speechLevel = -45
	// wordLength is how much unbroken speech is no click: a reply begins with the first packet of that much.
	wordLength = 60 * time.Millisecond
	// lapse is how long nothing came when the participant begins to fill in: the frames that it then hands over in one
	// go fade out what was last heard; no packet held them.
	lapse = 50 * time.Millisecond
	// together is how close frames that were handed over in one go come.
	together = 2 * time.Millisecond
	// silentGap is how long no packet comes between two stretches of speech, where nothing is filled in: an agent does
	// not send silence.
	silentGap = 100 * time.Millisecond
)

func voiced(frame []int16) bool { return audio.Level(frame) > speechLevel }

// ear finds the agent's speech in the frames that come, by the times at which they came.
type ear struct {
	packets bool // what comes are packets alone: nothing is filled in

	came   time.Time // the frame before
	filled bool      // the frame before was not received
	run    int       // frames of speech in a row
	began  time.Time // when the first of them came

	first time.Time // when the stretch of speech at hand, or the last one, began; zero before any
	last  time.Time // when the last packet of speech came; zero before any
}

// hear takes a frame that came now; nil counts as speech. It tells whether a stretch of speech has just become certain: since then first is
// its beginning.
func (e *ear) hear(frame []int16, now time.Time) bool {
	gap := now.Sub(e.came)
	if e.packets {
		if gap >= silentGap {
			e.run = 0
		}
	} else {
		e.filled = !e.came.IsZero() && (gap >= lapse || e.filled && gap < together)
	}
	e.came = now
	if e.filled || frame != nil && !voiced(frame) {
		e.run = 0
		return false
	}
	if e.run++; e.run == 1 {
		e.began = now
	}
	const certain = int(wordLength / dialogue.FrameDuration)
	if e.run >= certain {
		e.last = now
	}
	if e.run == certain {
		e.first = e.began
	}
	return e.run == certain
}

// silence is how long the agent has not spoken by now; for ever, before it first did.
func (e *ear) silence(now time.Time) time.Duration { return now.Sub(e.last) }
