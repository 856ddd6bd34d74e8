package languageid

import (
	"strings"
	"unicode"
)

// frequentWords are the words, by language, that short utterances have most often: trigrams alone take "when do you open" for German.
var frequentWords = map[string]map[string]bool{
	"en": set("the and you your yours are is it what when where how do does did have has had can could would will i my me we our this that to of for with not please thanks"),
	"de": set("der die das und ist sind was wann wo wie ich mich mir sie ihr ihre haben hat habe kann können möchte nicht ein eine einen einem mit für auf zu bitte danke wir uns noch"),
	"es": set("el los las y es son qué cuándo dónde cómo yo mi usted su sus tiene tengo puede puedo quiero quisiera no una un con para por favor gracias mañana a hay"),
	"fr": set("le les et est sont quoi quand où comment je mon ma vous votre vos avez ai peut pouvez voudrais veux pas une un avec pour s'il plaît merci demain des du quels quelle"),
	"it": set("il gli e è sono che quando dove come io mio mia lei suo avete ho può posso vorrei non una un con per favore grazie domani di della"),
	"pt": set("o os as e é são que quando onde como eu meu minha você seu tem tenho pode posso quero queria não uma um com para por favor obrigado obrigada amanhã do da"),
	"nl": set("de het en is zijn wat wanneer waar hoe ik mij mijn u uw jullie heeft hebben heb kan kunt wil graag niet een met voor alstublieft dank morgen naar"),
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}

// byWords returns which of some codes has the most frequent words in a text, and by how many it leads. 0: none leads.
func byWords(text string, codes []string) (code string, lead int) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	best := 0
	for _, candidate := range codes {
		base, _, _ := strings.Cut(strings.ToLower(candidate), "-")
		n := 0
		for _, word := range words {
			if frequentWords[base][word] {
				n++
			}
		}
		switch {
		case n > best:
			code, lead, best = candidate, n-best, n
		case code != "" && n > best-lead:
			lead = best - n
		}
	}
	return code, lead
}
