package caller

import (
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	// speechLevel is the level, in dBFS, above which a frame contains speech. Both voices are synthetic and have no
	// background noise, so a fixed level is exact to the frame; an adaptive detector would add delay.
	speechLevel = -45
	// wordLength is the minimum duration of speech; shorter sounds are ignored. A reply starts with the first
	// packet of it.
	wordLength = 60 * time.Millisecond
	// lapse is the time without packets after which the participant fills in frames, which fade out the last audio
	// and contain no received speech.
	lapse = 50 * time.Millisecond
	// together is the maximum distance of frames that were filled in together.
	together = 2 * time.Millisecond
	// silentGap is the time without packets that separates two segments of speech where nothing is filled in: an
	// agent does not send silence.
	silentGap = 100 * time.Millisecond
)

func voiced(frame []int16) bool { return audio.Level(frame) > speechLevel }

// speechDetector finds the agent's speech in received frames by their times of arrival.
type speechDetector struct {
	packets bool // frames are packets only: nothing is filled in

	lastFrame time.Time // time of the previous frame
	filled    bool      // the previous frame was filled in
	run       int       // consecutive frames of speech
	began     time.Time // when the first of them arrived

	first time.Time // start of the current or last segment of speech; zero before any
	last  time.Time // last packet of speech; zero before any
}

// push adds a frame that arrived at now; nil counts as speech. It reports whether a segment of speech has just been
// confirmed; it started at first.
func (e *speechDetector) push(frame []int16, now time.Time) bool {
	gap := now.Sub(e.lastFrame)
	if e.packets {
		if gap >= silentGap {
			e.run = 0
		}
	} else {
		e.filled = !e.lastFrame.IsZero() && (gap >= lapse || e.filled && gap < together)
	}
	e.lastFrame = now
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

// silence returns how long the agent has not spoken; a very long time before it first did.
func (e *speechDetector) silence(now time.Time) time.Duration { return now.Sub(e.last) }
