package voice

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// minClause is the length in bytes from which a clause is spoken before its
// sentence is complete; only an answer's first one, to be heard early.
const minClause = 20

// maxPiece is the most bytes of a piece; text that goes on longer without a
// mark is cut at a space.
const maxPiece = 400

// sentences cuts a stream of text into pieces that sound right when each is
// synthesised by itself.
type sentences struct {
	pending string
	begun   bool // a piece was handed out
}

// add takes more text and returns the pieces that are complete.
func (s *sentences) add(text string) (pieces []string) {
	s.pending += text
	for {
		end := s.boundary()
		if end < 0 {
			return pieces
		}
		if piece := strings.TrimSpace(s.pending[:end]); piece != "" {
			pieces = append(pieces, piece)
			s.begun = true
		}
		s.pending = s.pending[end:]
	}
}

// rest returns what is left when the text is over.
func (s *sentences) rest() string {
	rest := strings.TrimSpace(s.pending)
	s.pending = ""
	return rest
}

// boundary is the end of the first complete piece, or -1. A mark ends a
// sentence when white space follows it and it is no abbreviation or number.
func (s *sentences) boundary() int {
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
	if len(s.pending) <= maxPiece {
		return -1
	}
	if space := strings.LastIndexByte(s.pending[:maxPiece], ' '); space > 0 {
		return space + 1
	}
	end := maxPiece
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
