package voice

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxAsked is how many of one side's latest questions are compared with the next one.
	maxAsked = 100
	// maxQuestion is how many words of a question are compared, from its end.
	maxQuestion = 50
	// leastQuestion is how many words a question has that counts: "Hello?" and "Sorry?" are none.
	leastQuestion = 2
	// sameWords is how many words one of them may differ in, for the question to be the same.
	sameWords = 5
)

// asked are the questions that one side of a conversation has asked.
type asked struct{ questions [][]string } // the words of each

// add adds the questions of a text, and returns how many of them had been asked before, in nearly the same words: at most one word in five
// of the longer question is another one, or is missing in the shorter one, and their numbers are the same.
func (a *asked) add(text string) (repeated int) {
	for _, question := range questions(text) {
		if slices.ContainsFunc(a.questions, func(before []string) bool { return isSameQuestion(before, question) }) {
			repeated++
		}
		a.questions = append(a.questions, question)
	}
	a.questions = a.questions[max(0, len(a.questions)-maxAsked):]
	return repeated
}

// The characters that end a sentence, and those of them that end a question, of the scripts in use.
const (
	sentenceEnds = ".!?…。！？｡؟।;" + "\u037e"
	questionEnds = "?？؟" + "\u037e"
)

// questions returns the words of each question of a text: of a sentence that ends with a question mark.
func questions(text string) (list [][]string) {
	begin, size := 0, 0
	for at := 0; at < len(text); at += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[at:])
		next, _ := utf8.DecodeRuneInString(text[at+size:])
		if !strings.ContainsRune(sentenceEnds, r) || r < utf8.RuneSelf && (unicode.IsLetter(next) || unicode.IsDigit(next)) && next != utf8.RuneError {
			continue // a full stop within a word or a number
		}
		if words := splitWords(text[begin:at]); strings.ContainsRune(questionEnds, r) && len(words) >= leastQuestion {
			list = append(list, words[max(0, len(words)-maxQuestion):])
		}
		begin = at
	}
	return list
}

// isPunctuated reports whether a text ends as a sentence does.
func isPunctuated(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(text))
	return strings.ContainsRune(sentenceEnds, last)
}

// isSameQuestion reports whether two questions have nearly the same words in nearly the same order, and the same numbers.
func isSameQuestion(a, b []string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	most := len(a) / sameWords
	return len(a)-len(b) <= most && distance(a, b) <= most && slices.Equal(numbers(a), numbers(b))
}

// numbers returns the words with digits.
func numbers(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.ContainsFunc(word, unicode.IsDigit) })
}

// distance returns how many words have to be inserted, left out or replaced to make one text of the other.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i, word := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, other := range b {
			change := diagonal
			if word != other {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
