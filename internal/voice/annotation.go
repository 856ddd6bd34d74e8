package voice

import (
	"regexp"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/voice/turn"
)

// annotation matches what recognisers write about sound that is no speech: [BLANK_AUDIO], <|nospeech|>, <noise>, *coughs*, ♪ la la ♪.
var annotation = regexp.MustCompile(`<\|[^|<>]*\|>|</?[\p{L}_ .-]{1,40}>|\[[^\[\]]{0,80}\]|【[^】]{0,80}】|\*[\p{L}_ .-]{1,40}\*|♪[^♪]*♪|[♪♫]+`)

// remark matches text in parentheses without a digit, as a telephone number has them.
var remark = regexp.MustCompile(`[(（][^()（）\d]{0,80}[)）]`)

// soundWords are what a remark within speech is about if it is an annotation. A transcript of remarks alone is one whatever they say.
var soundWords = regexp.MustCompile(`(?i)silen[ct]|blank|audio|music|noise|speech|speaking|inaudible|unintelligible|indistinct|applaus|laugh|cough|sigh|breath|sniff|clear|` +
	`static|beep|ring|click|typing|chatter|background|foreign language|musik|stille|gelächter|husten|musique|rires|música|risas|musica|risate|音楽|拍手|笑|沈黙|музыка|смех|тишина`)

// withoutAnnotations returns a transcript without what its recogniser writes about sound that is no speech. If nothing else is left,
// nothing was said.
func withoutAnnotations(t dialogue.Transcript) dialogue.Transcript {
	text := annotation.ReplaceAllString(t.Text, " ")
	if rest := remark.ReplaceAllString(text, " "); len(turn.Words(rest)) == 0 {
		text = rest
	} else {
		text = remark.ReplaceAllStringFunc(text, func(remark string) string {
			if soundWords.MatchString(remark) {
				return " "
			}
			return remark
		})
	}
	if text == t.Text {
		return t
	}
	t.Text = strings.Join(strings.Fields(text), " ")
	if len(turn.Words(t.Text)) == 0 {
		return dialogue.Transcript{Final: t.Final, SpeechStarted: t.SpeechStarted}
	}
	return t
}
