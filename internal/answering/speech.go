package answering

import "time"

const (
	onsetFrames  = 3 // of the last onsetWindow that are speech begin it
	onsetWindow  = 5
	utteranceGap = greetingPause // a longer silence ends an utterance
)

// speech is the timing of what the other side says.
type speech struct {
	recent      [onsetWindow]bool
	at          int
	first, last time.Time     // of the current or last utterance
	clear       time.Duration // of frames that sound like speech, since it was last judged from anew
	total       time.Duration // of voiced frames since the call was answered
}

// push adds a frame, which ended at a time. Each utterance counts alone if they are separate, otherwise all count as
// one. It reports the beginning of another utterance.
func (s *speech) push(voiced bool, at time.Time, separate bool) (another bool) {
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
		another = !s.first.IsZero()
		s.first = at.Add(-onsetFrames * frame)
	}
	s.last = at
	return another
}

// elapsed forgets a click.
func (s *speech) elapsed(now time.Time) {
	if !s.first.IsZero() && s.spoken() < leastSpeech && s.silence(now) >= utteranceGap {
		s.first, s.last = time.Time{}, time.Time{}
	}
}

// isEmpty reports whether nobody has spoken.
func (s *speech) isEmpty() bool { return s.first.IsZero() }

// spoken returns the duration of the speech, with its pauses.
func (s *speech) spoken() time.Duration { return s.last.Sub(s.first) }

// silence returns the time since the last speech; 0 without any.
func (s *speech) silence(now time.Time) time.Duration {
	if s.last.IsZero() {
		return 0
	}
	return now.Sub(s.last)
}
