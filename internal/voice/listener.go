package voice

import (
	"time"

	"parley/internal/agent"
	"parley/internal/audio"
	"parley/internal/dialogue"
)

// silentFrame replaces a frame of the agent's echo in the recogniser's input.
var silentFrame = make([]int16, dialogue.ListenRate/50)

// energyListener is the default Listener: it detects speech by energy alone, and
// no echo.
type energyListener struct{ vad *audio.VAD }

func newEnergyListener() energyListener { return energyListener{audio.NewVAD(audio.VADOptions{})} }

func (energyListener) Configure(agent.Audio)     {}
func (energyListener) Played([]int16, time.Time) {}

func (l energyListener) Push(mic []int16, _ time.Time) ([]int16, Classification) {
	a := l.vad.Push(mic)
	return mic, Classification{Activity: a, SureSpeech: a.Speaking}
}
