package offline

import (
	"slices"
	"strings"

	"parley/internal/dialogue"
)

// joinWithin is the limit, in samples after Finalize, within which speech continues an incomplete sentence: a turn ends after
// 0.6 s of silence, of which 0.2 s precede Finalize, and speech is detected 0.2 s after it begins.
const joinWithin = dialogue.ListenRate * 7 / 10

// fragment reports whether a result of the grammar is an incomplete sentence. The caller need not have stopped: the
// closure of a plosive, as in "large pizza", can be long enough to count as silence.
func (h hypothesis) fragment() bool {
	return h.text != "" && !h.complete && h.score > scoreDoubt
}

// continueSegment recognises a segment together with the previous one if that was incomplete, because the second half of a
// word alone is not recognised. Its speech was found after so many samples.
func (r *recognition) continueSegment(p *process, s *segment, found int) error {
	before := s.before
	s.before = nil
	if before == nil || found > joinWithin || s.asked || s.second != nil {
		return nil
	}
	if before.verdict == nil { // the open model need not be waited for
		r.settle(before, before.closed.text, false)
	}
	s.delivered, s.audio = before.whole, slices.Concat(before.audio, s.audio)
	if err := p.send('Z', nil); err != nil {
		return err
	}
	return sendAudio(p, s.audio)
}

// news returns what a text of this segment adds to the transcript of the previous one.
func (s *segment) news(text string) string {
	delivered, words := strings.Fields(s.delivered), strings.Fields(text)
	n := 0
	for n < len(delivered) && n < len(words) && delivered[n] == words[n] {
		n++
	}
	return strings.Join(words[n:], " ")
}
