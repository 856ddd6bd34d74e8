package turn

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// vocabulary is what turn detection knows of a language's words.
type vocabulary struct {
	unfinished   map[string]bool // last words after which a caller usually continues
	backchannels map[string]bool // words of a listener who does not want to speak
	digits       map[string]bool
	// What an agent asks for: words of its questions, and how the @ of an address is said.
	numbers, addresses, spellings, ats map[string]bool
}

// hums are backchannels in every language.
const hums = "mm-hm mhm mm hm hmm m-hm uh-huh uh um huh ah aha oh okay ok"

var vocabularies = map[string]vocabulary{
	"en": newVocabulary("and or but so because if that which the a an my to of for with at is are um uh er hmm like well",
		"right yeah yep sure alright gotcha understood", "zero oh one two three four five six seven eight nine",
		"number digits code zip postcode pin", "e-mail email mail", "spell spelling letter letters", "at"),
	"de": newVocabulary("und oder aber weil dass wenn der die das ein eine einen mein meine zu mit für von ist sind äh ähm also",
		"ja jaja genau klar gut stimmt achso", "null eins zwei zwo drei vier fünf sechs sieben acht neun",
		"nummer telefonnummer rufnummer kundennummer bestellnummer ziffern code postleitzahl pin", "e-mail email mail e-mail-adresse mailadresse", "buchstabieren buchstabiere buchstaben", "at ät klammeraffe"),
	"fr": newVocabulary("et ou mais parce que qui si le la les un une des mon ma à de du pour avec est sont euh donc alors",
		"oui ouais d'accord bien hum", "zéro un deux trois quatre cinq six sept huit neuf",
		"numéro chiffres code pin", "e-mail email mail mél courriel", "épeler épelez lettres", "arobase at"),
	"es": newVocabulary("y o pero porque que si el la los las un una mi a de del para con es son eh pues",
		"sí vale ajá claro ya bueno", "cero uno dos tres cuatro cinco seis siete ocho nueve",
		"número teléfono dígitos código pin", "correo e-mail email", "deletrear deletree deletréame letras", "arroba"),
	"it": newVocabulary("e o ma perché che se il lo la i gli le un una mio a di del per con è sono ehm allora quindi",
		"sì certo già bene mh", "zero uno due tre quattro cinque sei sette otto nove",
		"numero cifre codice pin cap", "e-mail email mail posta", "sillabare compitare lettere", "chiocciola"),
	"pt": newVocabulary("e ou mas porque que se o a os as um uma meu minha para de do da com é são hum então",
		"sim certo tá aham uhum claro", "zero um uma dois duas três quatro cinco seis meia sete oito nove",
		"número telefone dígitos código pin cep", "e-mail email", "soletrar soletre letras", "arroba"),
	"nl": newVocabulary("en of maar omdat dat als de het een mijn naar van voor met is zijn eh uhm dus",
		"ja oké precies klopt goed", "nul een één twee drie vier vijf zes zeven acht negen",
		"nummer telefoonnummer klantnummer cijfers code postcode pin", "e-mail email mail e-mailadres mailadres", "spellen spelt letters", "apenstaartje at"),
	"pl": newVocabulary("i lub albo ale bo że jeśli który to mój do od dla z w na jest są eee więc",
		"tak okej jasne dobrze rozumiem", "zero jeden dwa trzy cztery pięć sześć siedem osiem dziewięć",
		"numer numeru cyfry kod pin", "e-mail email mail adres", "przeliterować literami", "małpa at"),
}

func newVocabulary(unfinished, backchannels, digits, numbers, addresses, spellings, ats string) vocabulary {
	set := func(words string) map[string]bool {
		all := map[string]bool{}
		for _, w := range strings.Fields(words) {
			all[w] = true
		}
		return all
	}
	listening := set(hums + " " + backchannels)
	for digit := range set(digits) {
		if digit != "oh" { // but "um", Portuguese for one, is a digit
			delete(listening, digit)
		}
	}
	return vocabulary{set(unfinished), listening, set(digits), set(numbers), set(addresses), set(spellings), set(ats)}
}

// vocabularyOf returns that of a language tag; of English where it is unknown.
func vocabularyOf(language string) vocabulary {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	if v, known := vocabularies[base]; known {
		return v
	}
	return vocabularies["en"]
}

// looksUnfinished reports whether a text ends in a word after which a caller usually continues, or in a digit without a
// full stop.
func (v vocabulary) looksUnfinished(text string) bool {
	words := Words(text)
	if len(words) == 0 || strings.HasSuffix(text, "?") {
		return false
	}
	last := words[len(words)-1]
	return v.unfinished[last] || v.isDigit(last) && !strings.ContainsAny(text[len(text)-1:], ".!")
}

func (v vocabulary) isDigit(word string) bool {
	return v.digits[word] || strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// isBackchannel reports whether a text needs no answer; the empty one needs none.
func (v vocabulary) isBackchannel(text string) bool {
	for _, word := range Words(text) {
		if !v.backchannels[word] {
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
	return strings.FieldsFunc(strings.ReplaceAll(strings.ToLower(text), "’", "'"), func(r rune) bool {
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
