package speechtext

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pronunciations are words and how they are spoken. Whole words are replaced. A word in lower case stands for it in any case; one with a
// capital letter for itself alone. The longest that fits counts.
type Pronunciations struct {
	byRune map[rune][]pronunciation // by the lower case of a word's first character, longest first
}

type pronunciation struct {
	word, spoken string
	exact        bool // the case counts
}

// NewPronunciations makes the pronunciations of words; nil for none.
func NewPronunciations(words map[string]string) *Pronunciations {
	if len(words) == 0 {
		return nil
	}
	p := &Pronunciations{byRune: map[rune][]pronunciation{}}
	for word, spoken := range words {
		first := unicode.ToLower(firstRune(word))
		p.byRune[first] = append(p.byRune[first], pronunciation{word, spoken, word != strings.ToLower(word)})
	}
	for _, list := range p.byRune {
		slices.SortFunc(list, func(a, b pronunciation) int {
			if a.exact != b.exact && len(a.word) == len(b.word) {
				return map[bool]int{true: -1, false: 1}[a.exact]
			}
			return cmp.Or(cmp.Compare(len(b.word), len(a.word)), cmp.Compare(a.word, b.word))
		})
	}
	return p
}

// Apply returns a text whose words are spoken as they are pronounced.
func (p *Pronunciations) Apply(t Text) Text {
	return t.rewrite(func(text string, at int) (int, string) {
		for _, candidate := range p.byRune[unicode.ToLower(firstRune(text[at:]))] {
			length := candidate.matches(text[at:])
			if length > 0 && divides(text, at) && divides(text, at+length) {
				return length, candidate.spoken
			}
		}
		return 0, ""
	})
}

// matches returns the length of the word at the beginning of a text; 0 if it is another.
func (p pronunciation) matches(text string) int {
	if p.exact {
		if strings.HasPrefix(text, p.word) {
			return len(p.word)
		}
		return 0
	}
	length := 0
	for _, want := range p.word {
		got, size := utf8.DecodeRuneInString(text[length:])
		if size == 0 || unicode.ToLower(got) != want {
			return 0
		}
		length += size
	}
	return length
}

// divides reports whether words are divided at a position: it has no letter, digit or mark on one side, or a script without spaces on
// both.
func divides(text string, at int) bool {
	if at == 0 || at == len(text) {
		return true
	}
	before, after := lastRune(text[:at]), firstRune(text[at:])
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) }
	if unicode.Is(unicode.M, after) {
		return false
	}
	return !inWord(before) || !inWord(after) || isUnspaced(before) || isUnspaced(after)
}

// isUnspaced reports whether a character is of a script without spaces between words.
func isUnspaced(r rune) bool {
	return dividesPhrases(r) || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
