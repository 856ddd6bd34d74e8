package worker

import (
	"time"

	"parley/internal/agent"
	"parley/internal/hearing"
	"parley/internal/voice"
)

// listener adapts a hearing.Listener to voice.Listener.
type listener struct{ listener *hearing.Listener }

// newListener returns the listener of a call.
func newListener(m hearing.Model) listener {
	return listener{hearing.New(m.Options())}
}

func (l listener) Configure(a agent.Audio) {
	l.listener.SetSuppressNoise(a.NoiseSuppression == agent.SuppressionOn)
}

func (l listener) Played(pcm []int16, at time.Time) { l.listener.Played(pcm, at) }

func (l listener) Push(mic []int16, at time.Time) ([]int16, voice.Classification) {
	clean, e := l.listener.Push(mic, at)
	return clean, voice.Classification(e)
}
