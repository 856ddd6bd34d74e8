package voice

import (
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// maxGap is how long no frame may come while the caller speaks before the gap
// counts as silence: a muted microphone or a lost connection sends nothing.
const maxGap = 100 * time.Millisecond

var silentFrame = make([]int16, dialogue.ListenRate/50)

// listener turns frames into moves of the turn-taker.
type listener struct {
	vad       *audio.VAD
	turn      *TurnTaker
	lastFrame time.Time
	speaking  bool
}

func newListener(turn *TurnTaker) *listener {
	return &listener{vad: audio.NewVAD(audio.VADOptions{}), turn: turn}
}

// sound is what a frame of the caller's audio means.
type sound struct {
	move   Move
	change audio.Change
	speech time.Duration // of the caller so far, when it started
	voiced bool          // it holds speech
}

// frame takes a frame of the caller's audio.
func (l *listener) frame(pcm []int16, now time.Time) sound {
	l.lastFrame = now
	activity := l.vad.Push(pcm)
	l.speaking = activity.Speaking
	s := sound{change: activity.Change, speech: activity.Speech, voiced: activity.Voiced}
	switch {
	case activity.Change == audio.Started:
		s.move = l.turn.SpeechStarted(now.Add(-activity.Speech), now)
	case activity.Change == audio.Ended:
		s.move = l.turn.SpeechEnded(now.Add(-activity.Silence), now)
	case activity.Speaking && activity.Voiced:
		s.move = l.turn.SpeechGoesOn(now)
	}
	return s
}

// gapDue is when a gap in the caller's audio counts as silence; zero for never.
func (l *listener) gapDue() time.Time {
	if !l.speaking {
		return time.Time{}
	}
	return l.lastFrame.Add(maxGap)
}
