// Package callers has people in calls, for tests and measurements.
package callers

import (
	"time"

	"parley/internal/dialogue"
	"parley/internal/media"
)

// StayQuiet sends what a microphone in a silent room does, and listens to nothing, until the room is left.
func StayQuiet(p *media.Participant) {
	silence := make([]int16, dialogue.SpeakRate/50)
	tick := time.NewTicker(dialogue.FrameDuration)
	defer tick.Stop()
	for {
		select {
		case _, on := <-p.Frames():
			if !on {
				return
			}
		case <-tick.C:
			_ = p.Play(silence) // fails once the room is left
		}
	}
}
