// Package callers provides callers for tests and benchmarks.
package callers

import (
	"time"

	"parley/internal/dialogue"
	"parley/internal/media"
)

// StayQuiet sends silence as a microphone does, until the room is left.
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
