package speechtext

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// verdict is whether a possible boundary divides sentences.
type verdict int

const (
	divided   verdict = iota
	joined            // the sentence continues
	undecided         // what follows is not known yet
)

// rules are the exceptions of a language to the boundaries of UAX 29.
type rules struct {
	never    map[string]bool // abbreviations that never end a sentence: "dr"
	numbered map[string]bool // abbreviations before a number: "no"
	mayEnd   map[string]bool // abbreviations that may end a sentence: "etc"
	starters map[string]bool // words that begin a sentence when they are capitalised after such an abbreviation
	suffixes []string        // endings of compounds that never end a sentence: "str"
	ordinals bool            // a full stop after a number may make it an ordinal before a capitalised word
}

// closing are marks that belong to the sentence before them.
const closing = `"'”’»)]」』）】›`

// terminators are the marks that end a sentence.
const terminators = ".!?…。．！？।॥؟۔။។៕።፧፨։‼⁇⁈⁉"

func isTerminated(text string) bool {
	text = strings.TrimRight(text, closing)
	return text != "" && strings.ContainsRune(terminators, lastRune(text))
}

// added returns the end of a sentence between two positions that UAX 29 does not know, or 0: marks of scripts, and numbers after a full
// stop. open: the sentence is not known to end.
func (r rules) added(text string, from, end int, open bool) int {
	if open {
		end = len(text)
	}
	for i, c := range text[from:end] {
		at := from + i
		after := at + utf8.RuneLen(c)
		next := firstRune(text[after:])
		before := lastRune(text[:at])
		spaced := after < len(text) && unicode.IsSpace(next)
		switch {
		case c == ';' && spaced && unicode.Is(unicode.Greek, before), // the Greek question mark
			c == ':' && spaced && unicode.Is(unicode.Armenian, before),
			c == '།' && spaced,
			c == '…' && spaced && isCapital(strings.TrimLeft(text[after:], " ")),
			c == '…' && after < len(text) && next != '…' && unicode.In(next, unicode.Han, unicode.Hiragana, unicode.Katakana):
			return skipSpaces(text, after)
		case c == '.' && spaced && startsWithNumber(text[after:]) && r.judge(text[:after+1], text[after+1:]) == divided:
			return skipSpaces(text, after)
		case c == '.' && spaced && beginsWithMark(text[after:]) && r.judge(text[:after+1], text[after+1:]) == divided:
			return skipSpaces(text, after)
		case c == '.' && isGlued(text[:at], text[after:]):
			return after
		case c == ' ' && unicode.Is(unicode.Thai, before) && unicode.Is(unicode.Thai, next) && endsInParticle(text[:at]):
			return after
		}
	}
	return 0
}

// judge decides whether a possible boundary between two texts divides sentences.
func (r rules) judge(before, after string) verdict {
	sentence := strings.TrimRightFunc(before, unicode.IsSpace)
	if strings.HasSuffix(before, "\n") {
		return divided
	}
	next := strings.TrimLeftFunc(after, unicode.IsSpace)
	mark := lastRune(sentence)
	switch {
	case next != "" && (firstRune(next) == '»' || firstRune(next) == '”') && sentence != before:
		return joined // a closing mark behind a space, as in French
	case strings.ContainsRune(closing, mark) && unicode.IsLower(firstRune(next)),
		strings.ContainsRune("」』", mark) && strings.HasPrefix(next, "と"):
		return joined // the sentence continues after what was quoted
	case (mark == '!' || mark == '?') && sentence == before && after != "":
		return r.judgeUnspaced(sentence, after)
	case mark == '.':
		return r.judgeFullStop(sentence, next, len(before) == len(sentence))
	}
	return divided
}

// judgeUnspaced decides about a mark that no space follows, as in an address on the web.
func (r rules) judgeUnspaced(sentence, after string) verdict {
	word := sentence[strings.LastIndexFunc(sentence, unicode.IsSpace)+1:]
	if strings.ContainsAny(word, "/@") || !unicode.IsUpper(firstRune(after)) && firstRune(after) < unicode.MaxLatin1 {
		return joined
	}
	return divided
}

// judgeFullStop decides about a full stop: whether it ends an abbreviation or a number.
func (r rules) judgeFullStop(sentence, next string, unspaced bool) verdict {
	if unspaced && next != "" && firstRune(next) < unicode.MaxLatin1 {
		return joined
	}
	begin := strings.LastIndexFunc(sentence, unicode.IsSpace) + 1
	word := strings.TrimLeft(strings.TrimSuffix(sentence[begin:], "."), `([{"'„“«¿¡`)
	lower := strings.ToLower(word)
	switch {
	case r.never[lower], r.isCompound(lower):
		return joined
	case r.numbered[lower] && startsWithNumber(" "+next):
		return joined
	case isNumber(word) && next == "":
		return undecided // decimals may follow
	case isNumber(word):
		return r.judgeNumber(word, sentence[:begin], next)
	case r.mayEnd[lower] || isDotted(word), r.ordinals && isRoman(word):
		return r.judgeStarter(next)
	}
	return divided
}

// isCompound reports whether a word ends in an abbreviation that never ends a sentence, such as "Hauptstr".
func (r rules) isCompound(lower string) bool {
	return slices.ContainsFunc(r.suffixes, func(suffix string) bool { return strings.HasSuffix(lower, suffix) && lower != suffix })
}

// judgeNumber decides about the full stop after a number: of a list, an ordinal, or a sentence.
func (r rules) judgeNumber(number, before, next string) verdict {
	before = strings.TrimRightFunc(before, unicode.IsSpace)
	switch last := lastRune(before); {
	case utf8.RuneCountInString(number) > 3, unicode.IsDigit(last):
		return divided
	case before == "", last == ':', last == ';':
		return joined
	case r.ordinals:
		return r.judgeStarter(next)
	}
	return divided
}

// judgeStarter decides by the next word: one that begins sentences, or a mark, ends the one before.
func (r rules) judgeStarter(next string) verdict {
	next = strings.TrimLeft(next, `([{"'„“«¿¡`)
	end := strings.IndexFunc(next, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.Is(unicode.M, c) })
	switch {
	case next == "", end < 0 && len(next) < 20:
		return undecided
	case end > 0 && r.starters[next[:end]]:
		return divided
	}
	return joined
}

// isDotted reports whether a word without its last full stop is made of letters with full stops between them, such as "U.S" and "z", or
// is one letter.
func isDotted(word string) bool {
	for part := range strings.SplitSeq(strings.TrimLeft(word, "-"), ".") {
		letters := 0
		for _, c := range part {
			if !unicode.IsLetter(c) && c != '-' {
				return false
			}
			letters++
		}
		if letters == 0 || letters > 1 && !(letters == 2 && strings.Contains(word, ".")) {
			return false
		}
		if r := firstRune(part); unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return false
		}
	}
	return true
}

func isNumber(word string) bool {
	return word != "" && strings.IndexFunc(word, func(c rune) bool { return !unicode.IsDigit(c) }) < 0
}

func isRoman(word string) bool { return word != "" && strings.Trim(word, "IVXLC") == "" }

func isCapital(text string) bool { return unicode.IsUpper(firstRune(text)) }

func startsWithNumber(text string) bool {
	trimmed := strings.TrimLeftFunc(text, unicode.IsSpace)
	return trimmed != text && unicode.IsDigit(firstRune(trimmed))
}

func skipSpaces(text string, from int) int {
	return len(text) - len(strings.TrimLeftFunc(text[from:], unicode.IsSpace))
}

// beginsWithMark reports whether a text begins with a mark for the voice in angle brackets, and a capital letter behind it.
func beginsWithMark(text string) bool {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	end := strings.IndexByte(text, '>')
	return strings.HasPrefix(text, "<") && end > 0 && isCapital(strings.TrimLeft(text[end+1:], " "))
}

// isGlued reports whether a sentence begins behind a full stop without a space, as models write after a function call: "it.Then we".
func isGlued(before, after string) bool {
	word := before[strings.LastIndexFunc(before, unicode.IsSpace)+1:]
	next := strings.IndexFunc(after, unicode.IsSpace)
	if next < 2 || len(word) < 2 || strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLower(r) && !unicode.IsUpper(r) }) >= 0 {
		return false
	}
	return unicode.IsLower(lastRune(word)) && isCapital(after) && strings.IndexFunc(after[:next], func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// particles end a sentence in Thai.
var particles = []string{"ครับ", "ค่ะ", "คะ", "ค๊ะ", "จ้ะ", "จ้า"}

func endsInParticle(text string) bool {
	for _, p := range particles {
		if strings.HasSuffix(text, p) {
			return true
		}
	}
	return false
}
