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

// listener turns frames into moves of the turn-taker, and passes them on to
// the recogniser.
type listener struct {
	vad       *audio.VAD
	turn      *TurnTaker
	lastFrame time.Time
	speaking  bool
}

func newListener(turn *TurnTaker) *listener {
	return &listener{vad: audio.NewVAD(audio.VADOptions{}), turn: turn}
}

// frame takes a frame of the caller's audio; ended tells that the caller fell
// silent with it, so that a transcript is wanted.
func (l *listener) frame(pcm []int16, recognition dialogue.Recognition, now time.Time) (move Move, ended bool, err error) {
	l.lastFrame = now
	if recognition != nil {
		err = recognition.Write(pcm)
	}
	activity := l.vad.Push(pcm)
	l.speaking = activity.Speaking
	switch {
	case activity.Change == audio.Started:
		move = l.turn.SpeechStarted(now.Add(-activity.Speech), now)
	case activity.Change == audio.Ended:
		move, ended = l.turn.SpeechEnded(now.Add(-activity.Silence), now), true
	case activity.Speaking && activity.Voiced:
		move = l.turn.SpeechGoesOn(now)
	}
	return move, ended, err
}

// gapDue is when a gap in the caller's audio counts as silence; zero for never.
func (l *listener) gapDue() time.Time {
	if !l.speaking {
		return time.Time{}
	}
	return l.lastFrame.Add(maxGap)
}
