package answering

import (
	"slices"
	"time"
)

const (
	onsetFrames  = 3 // of the last onsetWindow that are speech begin it
	onsetWindow  = 5
	utteranceGap = greetingPause // a longer silence ends an utterance
	background   = 20            // dB below whoever speaks: others in the room, or a television
	faintest     = -100          // dBFS
)

// speech is the timing of what the other side says.
type speech struct {
	recent      [onsetWindow]bool
	levels      [onsetWindow]float64 // dBFS, of the last frames that are speech
	at          int
	highest     int                     // dBFS, of three frames, which a click does not have; 0 before the first frame
	loudest     int                     // the same of frames that sound like speech
	reached     [1 - faintest]time.Time // when it first was so loud, by dB above faintest
	first, last time.Time               // of the current or last utterance
	clear       time.Duration           // of frames that sound like speech, since it was last judged from anew
	total       time.Duration           // of voiced frames since the call was answered
}

// push adds a frame of a level in dBFS, which ended at a time. clear: it sounds like speech. Each utterance counts alone if they are separate, otherwise all count as
// one. It reports the beginning of another utterance.
func (s *speech) push(voiced, clear bool, level float64, at time.Time, separate bool) (another bool) {
	if voiced {
		s.measure(level, clear, at)
		voiced = int(level) >= s.loudest-background
	}
	s.recent[s.at%onsetWindow] = voiced
	s.at++
	if !voiced {
		return false
	}
	s.total += frame
	count := 0
	for _, v := range s.recent {
		if v {
			count++
		}
	}
	switch {
	case count < onsetFrames:
		return false
	case s.first.IsZero(), separate && s.silence(at) >= utteranceGap:
		if another = !s.first.IsZero(); another {
			s.forgetLevels()
			s.measure(level, clear, at)
		}
		s.first = at.Add(-onsetFrames * frame)
	}
	s.last = at
	return another
}

// measure adds the level of a frame that may be speech.
func (s *speech) measure(level float64, clear bool, at time.Time) {
	if s.highest == 0 {
		s.forgetLevels()
	}
	copy(s.levels[:], s.levels[1:])
	s.levels[onsetWindow-1] = level
	sorted := s.levels
	slices.Sort(sorted[:])
	loud := min(int(sorted[onsetWindow-onsetFrames]), -1)
	for ; s.highest < loud; s.highest++ {
		s.reached[s.highest+1-faintest] = at.Add(-onsetFrames * frame)
	}
	if clear {
		s.loudest = max(s.loudest, loud)
	}
}

// forgetLevels measures anew.
func (s *speech) forgetLevels() {
	s.highest, s.loudest = faintest, faintest
	for i := range s.levels {
		s.levels[i] = faintest
	}
}

// begin returns when whoever is the loudest began to speak.
func (s *speech) begin() time.Time {
	if s.highest == 0 {
		return s.first
	}
	if at := s.reached[max(s.loudest-background, faintest+1)-faintest]; at.After(s.first) {
		return at
	}
	return s.first
}

// elapsed forgets a click.
func (s *speech) elapsed(now time.Time) {
	if !s.first.IsZero() && s.spoken() < leastSpeech && s.silence(now) >= utteranceGap {
		s.first, s.last = time.Time{}, time.Time{}
		s.forgetLevels()
	}
}

// isEmpty reports whether nobody has spoken.
func (s *speech) isEmpty() bool { return s.first.IsZero() }

// spoken returns the duration of the speech, with its pauses.
func (s *speech) spoken() time.Duration { return s.last.Sub(s.begin()) }

// silence returns the time since the last speech; 0 without any.
func (s *speech) silence(now time.Time) time.Duration {
	if s.last.IsZero() {
		return 0
	}
	return now.Sub(s.last)
}
