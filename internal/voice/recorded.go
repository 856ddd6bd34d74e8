package voice

import (
	"time"

	"parley/internal/audio"
	"parley/internal/redact"
	"parley/internal/voice/turn"
)

const (
	// recordingMargin is how much before and after the caller's speech a recording is silenced: packets are late, and words begin quietly.
	recordingMargin = 250 * time.Millisecond
	// maxRecordedTurn is how much of a turn is kept from the recording until its words are known; after it the words so far count.
	maxRecordedTurn = time.Minute
)

// recordedTurn is the caller's speech whose words decide whether it stays in the recording (config.redaction.recordings).
type recordedTurn struct {
	from   time.Time // zero while there is none
	before string    // the words of the turn before, with which a number may have begun
}

// awaitWords keeps the caller's speech from the recording until its words are known.
func (s *Session) awaitWords(a turn.Activity, now time.Time) {
	r := s.options.Recording
	if r == nil || !s.recorded.from.IsZero() || a.Change != audio.Started && !a.Voiced || !s.router.Config().Redaction.Recordings {
		return
	}
	s.recorded.from = now.Add(-a.Speech - recordingMargin)
	r.Await(s.recorded.from)
}

// settleRecording silences the caller's speech in the recording if a value is in its words. unknown: not all of its words are known, and
// never will be.
func (s *Session) settleRecording(text string, unknown bool, now time.Time) {
	before := s.recorded.before
	s.recorded.before = text
	if s.recorded.from.IsZero() {
		return
	}
	s.recorded.from = time.Time{}
	s.options.Recording.Settle(unknown || redact.Found(before, text), now.Add(recordingMargin))
}

// settleNoise leaves sound in the recording in which no word was recognised, and decides about a long turn by its words so far.
func (s *Session) settleNoise(now time.Time) {
	switch {
	case s.recorded.from.IsZero():
	case now.Sub(s.recorded.from) > maxRecordedTurn:
		before := s.recorded.before
		s.settleRecording(s.detector.Text(), false, now)
		s.recorded.before = before
	case s.detector.Text() == "" && !s.input.speech.Speaking() && !s.detector.TranscriptDue() && now.Sub(s.input.speech.LastVoice()) > recordingMargin:
		s.recorded.from = time.Time{}
		s.options.Recording.Settle(false, now)
	}
}
