package turn

import (
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// maxGap is how long no frame may come while the caller speaks before the gap
// counts as silence: a muted microphone or a lost connection sends nothing.
const maxGap = 100 * time.Millisecond

// SpeechTracker runs the caller's frames through the voice activity detector
// and reports the beginning and end of speech to a Detector.
type SpeechTracker struct {
	vad       *audio.VAD
	detector  *Detector
	lastFrame time.Time
	speaking  bool
}

// NewSpeechTracker makes a tracker that reports to a detector.
func NewSpeechTracker(d *Detector) *SpeechTracker {
	return &SpeechTracker{vad: audio.NewVAD(audio.VADOptions{}), detector: d}
}

// Activity is what a frame of the caller's audio holds.
type Activity struct {
	Action Action
	Change audio.Change
	Speech time.Duration // of the caller so far, when it started
	Voiced bool          // the frame holds speech
}

// PushFrame handles a frame of the caller's audio.
func (s *SpeechTracker) PushFrame(pcm []int16, now time.Time) Activity {
	s.lastFrame = now
	vad := s.vad.Push(pcm)
	s.speaking = vad.Speaking
	a := Activity{Change: vad.Change, Speech: vad.Speech, Voiced: vad.Voiced}
	switch {
	case vad.Change == audio.Started:
		a.Action = s.detector.SpeechStarted(now.Add(-vad.Speech), now)
	case vad.Change == audio.Ended:
		a.Action = s.detector.SpeechEnded(now.Add(-vad.Silence), now)
	case vad.Speaking && vad.Voiced:
		a.Action = s.detector.SpeechContinues(now)
	}
	return a
}

// Speaking reports whether the caller is speaking.
func (s *SpeechTracker) Speaking() bool { return s.speaking }

// GapDue is when missing frames of the caller count as silence; zero for never.
func (s *SpeechTracker) GapDue() time.Time {
	if !s.speaking {
		return time.Time{}
	}
	return s.lastFrame.Add(maxGap)
}

// MissingFrame is a frame of silence in the place of one that did not come, and
// its time. It reports false while none is missing.
func (s *SpeechTracker) MissingFrame(now time.Time) (pcm []int16, at time.Time, missing bool) {
	if due := s.GapDue(); due.IsZero() || due.After(now) {
		return nil, time.Time{}, false
	}
	return silentFrame, s.lastFrame.Add(dialogue.FrameDuration), true
}

var silentFrame = make([]int16, dialogue.ListenRate/50)
