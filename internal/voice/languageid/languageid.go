// Package languageid identifies the language of a transcript by its script, its trigrams and its words.
package languageid

import (
	"strings"
	"unicode"

	"github.com/abadojack/whatlanggo"
)

// minConfidence is the least confidence of an identification among the languages in question.
const minConfidence = 0.5

// minWords and minLetters are what a transcript needs for its language to count: "ok" and names are of any language.
const (
	minWords   = 2
	minLetters = 6
)

// Enough reports whether a text has enough words for its language to count. In scripts without spaces letters count alone.
func Enough(text string) bool {
	letters, wide := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) {
				wide++
			}
		}
	}
	return wide >= minLetters/2 || letters >= minLetters && len(strings.Fields(text)) >= minWords
}

// Identify returns which of some BCP 47 codes is the language of a text; "" if that is not certain.
func Identify(text string, codes []string) string {
	options := whatlanggo.Options{Whitelist: map[whatlanggo.Lang]bool{}}
	byLanguage := map[whatlanggo.Lang]string{}
	for _, code := range codes {
		base, _, _ := strings.Cut(strings.ToLower(code), "-")
		if language := whatlanggo.CodeToLang(iso6393(base)); language >= 0 {
			options.Whitelist[language] = true
			if byLanguage[language] == "" {
				byLanguage[language] = code
			}
		}
	}
	if len(byLanguage) == 0 || !Enough(text) {
		return ""
	}
	found := whatlanggo.DetectWithOptions(text, options)
	byTrigrams := byLanguage[found.Lang]
	switch code, lead := byWords(text, codes); {
	case lead >= 2, lead > 0 && code == byTrigrams:
		return code
	case lead > 0, found.Confidence < minConfidence:
		return ""
	}
	return byTrigrams
}

// iso6393 returns the code of three letters that the library has for a language of two.
func iso6393(base string) string {
	if len(base) != 2 {
		return base
	}
	return threeLetters[base]
}

// threeLetters are the library's codes by those of ISO 639-1.
var threeLetters = func() map[string]string {
	codes := map[string]string{"zh": "cmn", "no": "nob"}
	for language := range whatlanggo.Langs {
		if two := language.Iso6391(); two != "" && codes[two] == "" {
			codes[two] = language.Iso6393()
		}
	}
	return codes
}()
