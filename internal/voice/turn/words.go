package turn

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unfinishedEndings are last words after which a caller usually continues.
var unfinishedEndings = map[string]bool{
	"and": true, "or": true, "but": true, "so": true, "because": true, "if": true, "that": true, "which": true,
	"the": true, "a": true, "an": true, "my": true, "to": true, "of": true, "for": true, "with": true, "at": true,
	"is": true, "are": true, "um": true, "uh": true, "er": true, "hmm": true, "like": true, "well": true,
}

// looksUnfinished reports whether a text ends in an unfinishedEnding, or in a digit without a full stop.
func looksUnfinished(text string) bool {
	words := Words(text)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return unfinishedEndings[last] || isDigit(last) && !strings.ContainsAny(text[len(text)-1:], ".?!")
}

var digits = map[string]bool{"zero": true, "oh": true, "one": true, "two": true, "three": true, "four": true,
	"five": true, "six": true, "seven": true, "eight": true, "nine": true}

func isDigit(word string) bool {
	return digits[word] || strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// backchannels are words of a listener who does not want to speak.
var backchannels = map[string]bool{"mm-hm": true, "mhm": true, "mm": true, "hmm": true, "uh-huh": true, "uh": true,
	"um": true, "huh": true, "ah": true, "oh": true, "okay": true, "ok": true, "right": true, "yeah": true, "yep": true}

// isBackchannel reports whether a text needs no answer; the empty one needs none.
func isBackchannel(text string) bool {
	for _, word := range Words(text) {
		if !backchannels[word] {
			return false
		}
	}
	return true
}

// isShortWord reports whether a text is one word of at most six letters: recognisers transcribe a cough as such a word.
func isShortWord(text string) bool {
	words := Words(text)
	return len(words) == 1 && utf8.RuneCountInString(words[0]) <= 6
}

// Words splits a text into lower-case words without punctuation.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '\''
	})
}

// SameWords reports whether two texts differ in punctuation and case at most.
func SameWords(a, b string) bool { return a == b || slices.Equal(Words(a), Words(b)) }

// beginsWith reports whether a text begins with the words of another.
func beginsWith(text, beginning string) bool {
	all, first := Words(text), Words(beginning)
	return len(first) <= len(all) && slices.Equal(all[:len(first)], first)
}
