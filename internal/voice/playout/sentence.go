package playout

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minClause is the length in bytes from which an answer's first clause is a segment
// of its own, for an early first audio.
const minClause = 20

// maxSegment is the most bytes of a segment; longer text without a punctuation
// mark is cut at a space.
const maxSegment = 400

// SentenceSplitter splits a stream of text into sentences, the segments of synthesis.
// The zero value is ready.
type SentenceSplitter struct {
	pending string
	begun   bool // a segment was returned
}

// Push adds text and returns the segments that are complete.
func (s *SentenceSplitter) Push(text string) (segments []string) {
	s.pending += text
	for {
		end := s.boundary()
		if end < 0 {
			return segments
		}
		if segment := strings.TrimSpace(s.pending[:end]); segment != "" {
			segments = append(segments, segment)
			s.begun = true
		}
		s.pending = s.pending[end:]
	}
}

// Flush returns the rest at the end of the text.
func (s *SentenceSplitter) Flush() string {
	rest := strings.TrimSpace(s.pending)
	s.pending = ""
	return rest
}

// boundary returns the end of the first complete segment, or -1. A mark ends a sentence when white space follows it and
// it is part of no abbreviation or number.
func (s *SentenceSplitter) boundary() int {
	for i, r := range s.pending {
		after := i + utf8.RuneLen(r)
		switch r {
		case '.', '!', '?':
			if next, _ := utf8.DecodeRuneInString(s.pending[after:]); next == utf8.RuneError || !unicode.IsSpace(next) {
				continue
			}
			if r == '.' && endsInAbbreviation(s.pending[:i]) {
				continue
			}
			return after
		case '\n', '。', '！', '？':
			return after
		case ',', ';', ':':
			if next, _ := utf8.DecodeRuneInString(s.pending[after:]); !s.begun && i >= minClause && unicode.IsSpace(next) {
				return after
			}
		}
	}
	if len(s.pending) <= maxSegment {
		return -1
	}
	if space := strings.LastIndexByte(s.pending[:maxSegment], ' '); space > 0 {
		return space + 1
	}
	end := maxSegment
	for !utf8.RuneStart(s.pending[end]) {
		end--
	}
	return max(end, 1)
}

var abbreviations = map[string]bool{"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true,
	"vs": true, "etc": true, "e.g": true, "i.e": true, "no": true, "approx": true, "inc": true, "ltd": true}

func endsInAbbreviation(text string) bool {
	last := text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
	return abbreviations[strings.ToLower(last)] || utf8.RuneCountInString(last) == 1 && unicode.IsUpper([]rune(last)[0])
}
