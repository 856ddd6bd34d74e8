package speechtext

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/clipperhouse/uax29/v2/sentences"
)

// SettleAfter is how long a growing text that ends in the mark of a sentence is waited for, before it counts as a sentence.
const SettleAfter = 300 * time.Millisecond

const (
	// maxSegment is the most bytes of a segment. Longer text without the end of a sentence is cut at white space.
	maxSegment = 400
	// minClause is the number of characters from which an answer's first clause is a segment of its own, for an early first audio.
	minClause = 20
	// minPhrase and minFirstPhrase are the numbers of characters after which a space ends a segment in scripts that divide phrases
	// and not words, such as Thai.
	minPhrase, minFirstPhrase = 60, 15
)

// Segmenter cuts the growing text of an answer into sentences without Markdown, the segments of synthesis. Boundaries are those of
// Unicode (UAX 29) with exceptions by language, as in CLDR, and are taken once what follows cannot change them.
type Segmenter struct {
	markdown markdown
	rules    rules
	pending  Text
	begun    bool // a segment was returned
}

// NewSegmenter makes a segmenter for a text whose language is a BCP 47 code; "" if it is not known.
func NewSegmenter(language string) *Segmenter { return &Segmenter{rules: rulesOf(language)} }

// Push adds text and returns the segments that are complete. A long text is cut a part at a time, so that the time that it takes grows
// with its length alone.
func (s *Segmenter) Push(text string) (segments []Text) {
	for text != "" {
		n := min(maxSegment, len(text))
		s.pending.append(s.markdown.push(text[:n]))
		segments = append(segments, s.segments(false)...)
		text = text[n:]
	}
	return segments
}

// Flush returns the rest at the end of the text.
func (s *Segmenter) Flush() []Text {
	s.pending.append(s.markdown.flush())
	return s.segments(true)
}

// Unsettled reports whether the text so far ends in the mark of a sentence that is neither an abbreviation's nor a number's, and nothing
// has followed that proves its end.
func (s *Segmenter) Unsettled() bool {
	text := strings.TrimRightFunc(s.pending.Spoken(), unicode.IsSpace)
	return text != "" && isTerminated(text) && s.rules.judge(text, "") == divided
}

// Settle returns the text so far as a segment: nothing has followed for SettleAfter.
func (s *Segmenter) Settle() []Text {
	if !s.Unsettled() {
		return nil
	}
	return s.segments(true)
}

// segments removes the complete segments from the pending text; with final set, all of it.
func (s *Segmenter) segments(final bool) (segments []Text) {
	for {
		spoken := s.pending.Spoken()
		end := s.boundary(spoken, final)
		if end < 0 {
			return segments
		}
		segment, rest := s.pending.split(end, true)
		if strings.TrimSpace(segment.Spoken()) == "" { // its marks stay with the next sentence
			if len(rest) == 0 {
				return segments
			}
			silent := Text{}
			silent.add(writtenOf(segment), "")
			silent.append(rest)
			s.pending = silent
			continue
		}
		segments = append(segments, segment.trimmed())
		s.pending, s.begun = rest, true
	}
}

func writtenOf(t Text) string {
	var b strings.Builder
	for _, s := range t {
		b.WriteString(s.Written)
	}
	return b.String()
}

// boundary returns the end of the first segment of a text, or -1 while it is not known. final: no text follows.
func (s *Segmenter) boundary(text string, final bool) int {
	if text == "" {
		return -1
	}
	end := s.sentence(text, final)
	until := text
	if end >= 0 {
		until = text[:end]
	}
	if clause := s.clause(until); clause > 0 {
		return clause
	}
	if len(until) > maxSegment {
		return longest(until)
	}
	return end
}

// sentence returns the end of the first sentence, or -1 while it is not known.
func (s *Segmenter) sentence(text string, final bool) int {
	for from := 0; ; {
		length, _, _ := sentences.SplitFunc([]byte(text[from:]), final)
		end := from + length
		early := s.rules.added(text, from, end, length == 0)
		if early > 0 {
			end = early
		} else if length == 0 {
			return -1
		}
		if end == len(text) {
			if final {
				return end
			}
			return -1
		}
		if early > 0 {
			return end
		}
		switch verdict := s.rules.judge(text[:end], text[end:]); {
		case verdict == divided || verdict == undecided && final:
			return end
		case verdict == undecided:
			return -1
		}
		from = end
	}
}

// clause returns the end of the first clause where it is long enough to be spoken before its sentence is complete, or of a phrase in
// scripts whose spaces divide phrases; 0 for none.
func (s *Segmenter) clause(text string) int {
	characters := 0
	for i, r := range text {
		after := i + utf8.RuneLen(r)
		next := firstRune(text[after:])
		characters += width(r)
		switch {
		case strings.ContainsRune("，、；：،؛၊፣፤", r) && !s.begun && characters >= minClause && after < len(text):
			return after
		case strings.ContainsRune(",;:–—", r) && !s.begun && characters > minClause && unicode.IsSpace(next):
			return after
		case r == ' ' && dividesPhrases(lastRune(text[:i])) && dividesPhrases(next) && characters >= s.minPhrase():
			return after
		}
	}
	return 0
}

func (s *Segmenter) minPhrase() int {
	if s.begun {
		return minPhrase
	}
	return minFirstPhrase
}

// width is how many letters of an alphabet a character of a script counts for: a Han character is a word or half of one.
func width(r rune) int {
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
		return 2
	case unicode.Is(unicode.M, r):
		return 0
	}
	return 1
}

// dividesPhrases reports whether a character is of a script that has spaces between phrases only.
func dividesPhrases(r rune) bool {
	return unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// longest returns where to cut a text that is too long: behind the last white space, or else between two characters.
func longest(text string) int {
	if space := strings.LastIndexByte(text[:maxSegment], ' '); space > 0 {
		return space + 1
	}
	end := 0
	for clusters := graphemes.FromString(text); clusters.Next() && (end == 0 || clusters.End() <= maxSegment); {
		end = clusters.End()
	}
	return end
}
