package recognition

import "strings"

// IsComplete reports whether a transcript ends with a question or exclamation mark, for vendors that do not judge whether an utterance is
// complete. A full stop says less: models that punctuate end what was cut off with one too.
func IsComplete(text string) bool {
	text = strings.TrimRight(text, " \"'”’»）)")
	for _, mark := range []string{"?", "!", "？", "！", "؟"} {
		if strings.HasSuffix(text, mark) {
			return true
		}
	}
	return false
}
