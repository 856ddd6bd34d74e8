package voice

import (
	"slices"
	"strings"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/redact"
	"parley/internal/voice/turn"
)

const (
	// recordingMargin is how much before and after the caller's speech a recording is silenced: packets are late, and words begin quietly.
	recordingMargin = 250 * time.Millisecond
	// maxRecordedTurn is how much of a turn is kept from the recording until its words are known; after it the words so far count.
	maxRecordedTurn = time.Minute
)

// recordedTurn is the caller's speech whose words decide what of it stays in the recording (config.redaction.recordings).
type recordedTurn struct {
	from   time.Time // zero while there is none
	before string    // the words of the turn before, with which a number may have begun

	words []recordedWord
	timed bool // words are all of the turn's
}

// recordedWord is a word of the turn, and when it was spoken.
type recordedWord struct {
	text       string
	start, end time.Time
}

// awaitWords keeps the caller's speech from the recording until its words are known.
func (s *Session) awaitWords(a turn.Activity, now time.Time) {
	r := s.options.Recording
	if r == nil || !s.recorded.from.IsZero() || a.Change != audio.Started && !a.Voiced || !s.router.Config().Redaction.Recordings {
		return
	}
	s.recorded.from, s.recorded.words, s.recorded.timed = now.Add(-a.Speech-recordingMargin), nil, true
	r.Await(s.recorded.from)
}

// timeWords adds the words of a transcript with their times.
func (s *Session) timeWords(t dialogue.Transcript) {
	r := &s.recorded
	if r.from.IsZero() || !t.Final || t.Text == "" {
		return
	}
	if t.Words == nil {
		r.timed = false
		return
	}
	for _, w := range *t.Words {
		start, known := s.input.audio.TimeOf(s.providers.Recognition(), w.Start)
		end, both := s.input.audio.TimeOf(s.providers.Recognition(), w.End)
		r.timed = r.timed && known && both
		r.words = append(r.words, recordedWord{w.Text, start, end})
	}
}

// settleRecording silences the caller's speech in the recording where a value is in its words. unknown: not all of its words are known, and
// never will be.
func (s *Session) settleRecording(text string, unknown bool, now time.Time) {
	r := &s.recorded
	from, before := r.from, r.before
	r.from, r.before = time.Time{}, text
	if from.IsZero() {
		return
	}
	spans := redact.Spans(before, text)
	switch {
	case unknown:
		s.options.Recording.Settle([2]time.Time{from, now.Add(recordingMargin)})
	case len(spans) == 0:
		s.options.Recording.Settle()
	default:
		s.options.Recording.Settle(r.silenced(text, spans, from, now.Add(recordingMargin))...)
	}
}

// silenced returns when the words of spans of the turn's text were spoken; the whole turn if that is not known.
func (r *recordedTurn) silenced(text string, spans [][2]int, from, until time.Time) (silenced [][2]time.Time) {
	whole := [][2]time.Time{{from, until}}
	at := 0
	for _, w := range r.words {
		next := strings.Index(text[at:], w.text)
		if next < 0 || strings.TrimSpace(text[at:at+next]) != "" { // other words than the turn's
			return whole
		}
		start := at + next
		at = start + len(w.text)
		if slices.ContainsFunc(spans, func(span [2]int) bool { return start < span[1] && at > span[0] }) {
			silenced = append(silenced, [2]time.Time{w.start.Add(-recordingMargin), w.end.Add(recordingMargin)})
		}
	}
	if !r.timed || strings.TrimSpace(text[at:]) != "" || len(silenced) == 0 {
		return whole
	}
	return silenced
}

// settleNoise leaves sound in the recording in which no word was recognised, and decides about a long turn by its words so far.
func (s *Session) settleNoise(now time.Time) {
	switch {
	case s.recorded.from.IsZero():
	case now.Sub(s.recorded.from) > maxRecordedTurn:
		before := s.recorded.before
		s.recorded.timed = false
		s.settleRecording(s.detector.Text(), false, now)
		s.recorded.before = before
	case s.detector.Text() == "" && !s.input.speech.Speaking() && !s.detector.TranscriptDue() && now.Sub(s.input.speech.LastVoice()) > recordingMargin:
		s.recorded.from = time.Time{}
		s.options.Recording.Settle()
	}
}
