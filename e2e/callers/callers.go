// Package callers provides callers for tests and benchmarks.
package callers

import (
	"time"

	"parley/internal/audio"
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

// Microphone sends sound as a microphone does.
type Microphone struct {
	participant *media.Participant
	sounds      chan []int16
}

// NewMicrophone starts a microphone of a caller, which sends silence until the caller leaves the room.
func NewMicrophone(p *media.Participant) *Microphone {
	m := &Microphone{participant: p, sounds: make(chan []int16, 1)}
	go m.run()
	return m
}

// Play sends a sound at dialogue.SpeakRate in place of the one being sent.
func (m *Microphone) Play(pcm []int16) { m.sounds <- pcm }

func (m *Microphone) run() {
	const frame = dialogue.SpeakRate / 50
	silence := make([]int16, frame)
	var sound []int16
	tick := time.NewTicker(dialogue.FrameDuration)
	defer tick.Stop()
	for {
		select {
		case _, on := <-m.participant.Frames():
			if !on {
				return
			}
		case sound = <-m.sounds:
		case <-tick.C:
			sent := silence
			if len(sound) >= frame {
				sent, sound = sound[:frame], sound[frame:]
			}
			_ = m.participant.Play(sent) // fails once the room is left
		}
	}
}

// Echo sends back the received audio, after a delay and with a gain, as a speakerphone in a room does, until the participant
// leaves.
func Echo(p *media.Participant, delay time.Duration, gain float64) {
	const frame = dialogue.SpeakRate / 50
	resampler := audio.NewResampler(dialogue.ListenRate, dialogue.SpeakRate)
	silence := int(delay/dialogue.FrameDuration) * frame
	var late []int16
	buffer := make([]int16, 0, 2*frame)
	for heard := range p.Frames() {
		for _, sample := range resampler.Process(heard, buffer) {
			late = append(late, int16(gain*float64(sample)))
		}
		if len(late) < silence+frame {
			continue
		}
		_ = p.Play(late[:frame]) // fails once the room is left
		late = late[:copy(late, late[frame:])]
	}
}
