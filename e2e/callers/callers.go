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

// stall is the longest wait for the processor that is caught up; after a longer one the audio has a gap.
const stall = 200 * time.Millisecond

// Microphone sends sound as a microphone does: as much as time passes, although the process may wait for the processor.
type Microphone struct {
	participant *media.Participant
	sounds      chan []int16
	left        chan struct{}
}

// NewMicrophone starts a microphone of a caller, which sends silence until the caller leaves the room.
func NewMicrophone(p *media.Participant) *Microphone {
	m := &Microphone{participant: p, sounds: make(chan []int16), left: make(chan struct{})}
	go m.run()
	return m
}

// Play begins to send a sound at dialogue.SpeakRate once the sound before it has been sent.
func (m *Microphone) Play(pcm []int16) {
	select {
	case m.sounds <- pcm:
	case <-m.left:
	}
}

func (m *Microphone) run() {
	defer close(m.left)
	const frame = dialogue.SpeakRate / 50
	silence := make([]int16, frame)
	var sound []int16
	next := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		sounds := m.sounds
		if len(sound) >= frame {
			sounds = nil
		}
		select {
		case _, on := <-m.participant.Frames():
			if !on {
				return
			}
		case sound = <-sounds:
		case now := <-timer.C:
			if now.Sub(next) > stall {
				next = now
			}
			for ; !next.After(now); next = next.Add(dialogue.FrameDuration) {
				sent := silence
				if len(sound) >= frame {
					sent, sound = sound[:frame], sound[frame:]
				}
				_ = m.participant.Play(sent) // fails once the room is left
			}
			timer.Reset(time.Until(next))
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
