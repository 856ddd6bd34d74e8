package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// group is digits that stand together, or one that is written as a word.
type group struct {
	start, end int    // bytes of the text
	digits     []byte // their values
	joint      string // what stands between the group before and this one
	word       bool
}

// maxJoint bounds, in bytes, what may stand between two groups of a run.
const maxJoint = 7

// groups finds the digits of a text. Digits within a word, as in "B2B" or
// "5th", are none.
func groups(s string) (found []group) {
	before := ' ' // the rune before i
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsDigit(r):
			g := group{start: i}
			for i < len(s) {
				if r, size = utf8.DecodeRuneInString(s[i:]); !unicode.IsDigit(r) {
					break
				}
				g.digits = append(g.digits, digit(r))
				i += size
			}
			g.end = i
			after, _ := utf8.DecodeRuneInString(s[i:])
			if !glues(before) && !(i < len(s) && glues(after)) {
				found = append(found, g)
			}
			before = '0'
			continue
		case unicode.IsLetter(r):
			start := i
			for i < len(s) {
				if r, size = utf8.DecodeRuneInString(s[i:]); !unicode.IsLetter(r) {
					break
				}
				before = r
				i += size
			}
			if value, is := numerals[fold(s[start:i])]; is {
				found = append(found, group{start: start, end: i, digits: []byte{value}, word: true})
			}
			continue
		}
		before = r
		i += size
	}
	return found
}

// digit is the value of a decimal digit of any script: each has its ten in a
// row (Unicode 16, 4.6).
func digit(r rune) byte {
	if r < utf8.RuneSelf {
		return byte(r - '0')
	}
	for _, table := range unicode.Nd.R16 {
		if r >= rune(table.Lo) && r <= rune(table.Hi) {
			return byte((r - rune(table.Lo)) % 10)
		}
	}
	for _, table := range unicode.Nd.R32 {
		if r >= rune(table.Lo) && r <= rune(table.Hi) {
			return byte((r - rune(table.Lo)) % 10)
		}
	}
	return 0
}

// glues tells whether a rune beside digits makes them part of a word.
func glues(r rune) bool { return r == '_' || unicode.IsLetter(r) && !unspaced(r) }

// unspaced tells whether a letter is of a script that puts no space between
// words, or between a word and a number.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// numerals are the digits as words, in English, German, Spanish and French.
var numerals = map[string]byte{}

func init() {
	for value, names := range []string{
		"zero oh null cero zéro", "one eins uno", "two zwei zwo dos deux", "three drei tres trois", "four vier cuatro quatre",
		"five fünf cinco cinq", "six sechs seis", "seven sieben siete sept", "eight acht ocho huit", "nine neun nueve neuf",
	} {
		for _, name := range strings.Fields(names) {
			numerals[name] = byte(value)
		}
	}
}

// fold is a word in lower case, or nothing when it is longer than any that is
// looked for.
func fold(word string) string {
	if len(word) > 32 {
		return ""
	}
	return strings.ToLower(word)
}

// joins tells whether two groups with s between them may belong to one number.
func joins(s string) bool {
	if s == "" || len(s) > maxJoint {
		return s == "" // a digit word beside digits, in a script without spaces
	}
	switch s {
	case "/", ".", ", ":
		return true
	}
	marks := 0
	for _, r := range s {
		switch r {
		case ' ', '\u00a0', '\u2007', '\u2009', '\u202f', '(', ')':
		case '-', '\u2010', '\u2011', '\u2012', '\u2013', '\u2212', '.':
			marks++
		default:
			return false
		}
	}
	return marks <= 1 && !strings.Contains(s, ". ")
}
