package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// group is a sequence of digits, or a digit written as a word.
type group struct {
	start, end int    // bytes of the text
	digits     []byte // their values
	joint      string // text between the previous group and this one
	word       bool
}

// maxJoint limits the text between two groups of a run, in bytes.
const maxJoint = 7

// groups returns the digits in a text, except those within words, such as "B2B" or "5th".
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
			word := fold(s[start:i])
			if value, is := numerals[word]; is {
				found = append(found, group{start: start, end: i, digits: []byte{value}, word: true})
			} else if times := repeats[word]; times > 0 {
				if value, end := repeated(s, i); end > 0 {
					found = append(found, group{start: start, end: end, digits: slices.Repeat([]byte{value}, times), word: true})
					i, before = end, '0'
				}
			}
			continue
		}
		before = r
		i += size
	}
	return found
}

// repeats are words before a digit that is said once for several.
var repeats = map[string]int{"double": 2, "triple": 3, "treble": 3}

// repeated returns the digit after such a word, which ends at from, and where it ends; an end of 0 for none.
func repeated(s string, from int) (value byte, end int) {
	if !strings.HasPrefix(s[from:], " ") {
		return 0, 0
	}
	end = from + 1
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		end += size
	}
	word := s[from+1 : end]
	if value, is := numerals[fold(word)]; is {
		return value, end
	}
	if r, size := utf8.DecodeRuneInString(word); size == len(word) && unicode.IsDigit(r) {
		return digit(r), end
	}
	return 0, 0
}

// digit returns the value of a decimal digit of any script, whose ten digits are consecutive (Unicode 16, 4.6).
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

// glues reports whether a rune beside digits makes them part of a word.
func glues(r rune) bool { return r == '_' || unicode.IsLetter(r) && !unspaced(r) }

// unspaced reports whether a letter belongs to a script without spaces between words, or between a word and a
// number.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// numerals are digits written as words in English, German, Spanish and French.
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

// fold returns a word in lower case; "" for words longer than any in the tables.
func fold(word string) string {
	if len(word) > 32 {
		return ""
	}
	return strings.ToLower(word)
}

// joins reports whether two groups separated by s may belong to one number.
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
