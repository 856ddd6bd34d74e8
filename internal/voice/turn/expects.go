package turn

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// expectation is what the agent has asked for that callers say in groups, with pauses between.
type expectation int

const (
	anything expectation = iota
	number               // digits: a phone number, a code
	address              // an e-mail address
	spelling             // letters
)

// AgentAsked handles what the agent said before the caller's turn. Where it asked for a number, an e-mail address or a
// spelling, a part of one does not end the turn before endpoint_unfinished_ms, whatever the recogniser makes of it.
func (d *Detector) AgentAsked(text string) {
	d.expects = d.vocabulary.asksFor(text)
	d.part = d.vocabulary.isPart(d.text, d.expects)
}

// asksFor returns what the last sentence of a text asks for.
func (v vocabulary) asksFor(text string) expectation {
	asked := anything
	for _, word := range Words(lastSentence(text)) {
		switch {
		case v.spellings[word]:
			return spelling
		case v.addresses[word]:
			asked = address
		case v.numbers[word] && asked == anything:
			asked = number
		}
	}
	return asked
}

// lastSentence returns the end of a text from its last but one full stop, question or exclamation mark on.
func lastSentence(text string) string {
	text = strings.TrimRight(text, ".?! \n")
	return text[strings.LastIndexAny(text, ".?!")+1:]
}

// shortAnswer is how many words may be the beginning of an address, before its @.
const shortAnswer = 3

// isPart reports whether a text is only a part of what is expected. Of a number that is any that ends in digits: how many
// it has is not known.
func (v vocabulary) isPart(text string, e expectation) bool {
	words := Words(text)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	switch e {
	case number:
		// A single word may be no digit: "I don't have one".
		digitBefore := len(words) > 1 && v.isDigit(words[len(words)-2])
		return v.isDigit(last) && (digitBefore || !v.digits[last])
	case address:
		begun := strings.Contains(text, "@") || slices.ContainsFunc(words, func(w string) bool { return v.ats[w] || dots[w] })
		return !v.isWholeAddress(text, words) && (begun || len(words) <= shortAnswer)
	case spelling:
		return utf8.RuneCountInString(last) == 1
	}
	return false
}

// isWholeAddress reports whether a text ends in the last part of an e-mail address: a dot, or the word for one, and letters
// after an @ or the word for it.
func (v vocabulary) isWholeAddress(text string, words []string) bool {
	at := strings.LastIndexByte(text, '@')
	if at >= 0 {
		_, end, dotted := strings.Cut(strings.TrimRight(text[at:], ". "), ".")
		return dotted && len(end) >= 2
	}
	said := false
	for i, word := range words {
		said = said || v.ats[word]
		if said && dots[word] && i+1 < len(words) && i+2 >= len(words) && len(words[i+1]) >= 2 {
			return true
		}
	}
	return false
}

// dots are the words for the dot of an address.
var dots = map[string]bool{"dot": true, "punkt": true, "point": true, "punto": true, "ponto": true, "punt": true, "kropka": true}
