package turn

import (
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	// maxGap is how long no frame may arrive while the caller speaks before the gap
	// counts as silence: a muted microphone or a lost connection sends nothing.
	maxGap = 100 * time.Millisecond
	// maxSilence is the silence that ends the caller's speech.
	maxSilence = 200 * time.Millisecond
	// maxNoise is how long sound that is classified as noise still counts as speech
	// while the agent does not speak: the classification of single words may be wrong.
	maxNoise = 500 * time.Millisecond
	// restOfWords is how long no new word may arrive in noise before a final
	// transcript of the last ones is requested.
	restOfWords = 400 * time.Millisecond
)

// Classification is the classification of a frame of the caller's audio.
type Classification struct {
	audio.Activity
	Echo       bool    // the sound is the agent's own voice
	Noise      bool    // the sound is no speech, but music, hum or traffic
	Speech     float64 // probability that somebody speaks, 0 to 1
	SureSpeech bool    // the caller speaks, beyond doubt
}

// SpeechTracker finds the beginning and end of the caller's speech in frames of audio, and reports them to a Detector.
type SpeechTracker struct {
	detector  *Detector
	lastFrame time.Time
	lastVoice time.Time // last frame of the caller's speech
	speaking  bool
	noise     time.Duration // of sound that is no speech, without interruption
	ignored   int           // frames of the current sound that are echo or noise
	noisiness noisiness
	dismissed bool      // the current sound counts as noise
	requested time.Time // when a final transcript of it was last requested
}

// NewSpeechTracker makes a tracker that reports to a detector.
func NewSpeechTracker(d *Detector) *SpeechTracker { return &SpeechTracker{detector: d} }

// Activity is what a frame of the caller's audio changes.
type Activity struct {
	Action Action
	Change audio.Change
	Speech time.Duration // duration of the speech so far, at Change audio.Started
	Voiced bool          // the frame holds speech
	// Ignored is why a sound of pause_after_ms is no speech, once for each such
	// sound; "" otherwise.
	Ignored OverlapCause
}

// PushFrame handles the classification of a frame of the caller's audio.
func (s *SpeechTracker) PushFrame(e Classification, now time.Time) Activity {
	s.lastFrame = now
	s.noisiness.push(e, now)
	s.detector.noisy = s.noisiness.isNoisy()
	a := s.classifyFrame(e, now)
	a.Ignored = s.countIgnored(e)
	return a
}

// noisiness classifies the caller's current or last sound by its last second of frames.
type noisiness struct {
	noise  [50]bool // of each frame with sound; a ring
	frames int      // with sound, ever
	sure   bool     // one of them is speech beyond doubt
	last   time.Time
}

const (
	// speechFrames are the frames of a short word (160 ms): a sound with as many that may be speech is not noisy.
	speechFrames = 8
	// soundGap is the silence that separates two sounds.
	soundGap = 300 * time.Millisecond
)

func (n *noisiness) push(e Classification, now time.Time) {
	if !e.Voiced {
		return
	}
	if now.Sub(n.last) > soundGap {
		n.frames, n.sure = 0, false
	}
	n.sure = n.sure || e.SureSpeech
	n.noise[n.frames%len(n.noise)] = e.Noise
	n.frames++
	n.last = now
}

// isNoisy reports whether most of the frames are noise, and fewer than speechFrames are not.
func (n *noisiness) isNoisy() bool {
	counted, noise := min(n.frames, len(n.noise)), 0
	for _, is := range n.noise[:counted] {
		if is {
			noise++
		}
	}
	return !n.sure && noise > counted/2 && counted-noise < speechFrames
}

// countIgnored counts the frames of a sound that are echo or noise, and returns Activity.Ignored.
func (s *SpeechTracker) countIgnored(e Classification) OverlapCause {
	switch {
	case !e.Speaking || e.SureSpeech:
		s.ignored = 0
		return ""
	case !e.Voiced || !e.Echo && !e.Noise:
		return ""
	}
	if s.ignored++; s.ignored != int(s.detector.options.PauseAfter/dialogue.FrameDuration) {
		return ""
	}
	if e.Echo {
		return Echo
	}
	return Noise
}

func (s *SpeechTracker) classifyFrame(e Classification, now time.Time) Activity {
	if e.Voiced {
		s.noise += dialogue.FrameDuration
		if !e.Noise {
			s.noise = 0
		}
	}
	noise := e.Noise && (s.noise > maxNoise || s.detector.state.agentsTurn())
	voiced := e.Voiced && (e.SureSpeech || !e.Echo && !noise)
	if voiced {
		s.lastVoice = now
		if !s.speaking {
			s.detector.loudest = e.Level
		}
		s.detector.loudest = max(s.detector.loudest, e.Level)
	}
	if e.Voiced {
		s.detector.echo = e.Echo && !e.SureSpeech
	}
	switch {
	case s.dismissed:
		return s.pushNoise(e, now)
	case s.speaking && (!e.Speaking || now.Sub(s.lastVoice) >= maxSilence):
		s.speaking = false
		return Activity{Change: audio.Ended, Action: s.detector.SpeechEnded(s.lastVoice, now)}
	case s.speaking && s.detector.IsNoise(now):
		s.speaking, s.dismissed, s.requested = false, true, now
		return Activity{Change: audio.Ended, Action: s.detector.SpeechDismissed(s.detector.lastSpeechSign(), now)}
	case s.speaking && voiced:
		return Activity{Voiced: true, Action: s.detector.SpeechContinues(now, e.SureSpeech)}
	case !s.speaking && e.Speaking && voiced:
		return s.startSpeech(e, now)
	}
	return Activity{}
}

// startSpeech starts the caller's speech. It includes the sound before the frame in which it was classified as speech.
func (s *SpeechTracker) startSpeech(e Classification, now time.Time) Activity {
	a := Activity{Change: audio.Started, Speech: min(e.Activity.Speech, maxSilence), Voiced: true}
	s.speaking = true
	a.Action = s.detector.SpeechStarted(now.Add(-a.Speech), now, e.SureSpeech)
	return a
}

// pushNoise handles a frame of a sound that counts as noise, until it ends or is
// speech beyond doubt.
func (s *SpeechTracker) pushNoise(e Classification, now time.Time) Activity {
	switch words := s.detector.wordAt; {
	case e.SureSpeech && e.Speaking:
		s.dismissed = false
		return s.startSpeech(e, now)
	case !e.Speaking:
		s.dismissed = false
		s.detector.dismissed = false
	case words.After(s.requested) && now.Sub(words) >= restOfWords:
		s.requested = now
		return Activity{Change: audio.Ended}
	}
	return Activity{}
}

// Speaking reports whether the caller is speaking.
func (s *SpeechTracker) Speaking() bool { return s.speaking }

// LastVoice returns when the last frame of the caller's speech came; zero before the first.
func (s *SpeechTracker) LastVoice() time.Time { return s.lastVoice }

// GapDue returns when missing frames of the caller count as silence; zero for never.
func (s *SpeechTracker) GapDue() time.Time {
	if !s.speaking {
		return time.Time{}
	}
	return s.lastFrame.Add(maxGap)
}

// MissingFrame returns a frame of silence in place of one that did not come, and its time. It reports false while none
// is missing.
func (s *SpeechTracker) MissingFrame(now time.Time) (pcm []int16, at time.Time, missing bool) {
	if due := s.GapDue(); due.IsZero() || due.After(now) {
		return nil, time.Time{}, false
	}
	return silentFrame, s.lastFrame.Add(dialogue.FrameDuration), true
}

var silentFrame = make([]int16, dialogue.ListenRate/50)
