package speechtext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"en", "It costs $3.50, or €1,250.", "It costs three dollars and fifty cents, or one thousand two hundred fifty euros."},
		{"en", "$1 or £1.01", "one dollar or one pound and one penny"},
		{"en", "On May 3 at 3:05 p.m. or 15:30", "On May third at three oh five p.m. or fifteen thirty"},
		{"en", "May 3rd, 2026 and 2026-05-03", "May third, twenty twenty-six and May third, twenty twenty-six"},
		{"en", "at 3:00 pm, at 9:00", "at three pm, at nine o'clock"},
		{"en", "5/3/2026", "May third, twenty twenty-six"},
		{"en-GB", "5/3/2026", "March fifth, twenty twenty-six"},
		{"en", "In 1999 and 2005, 21 of 101", "In nineteen ninety-nine and two thousand five, twenty-one of one hundred one"},
		{"en", "Call +1 (415) 555-0100 or 415-555-0100.", "Call plus one, four one five, five five five, zero one zero zero or four one five, five five five, zero one zero zero."},
		{"en", "Write to anna.meier-2@example.co.uk!", "Write to anna dot meier dash two at example dot co dot uk!"},
		{"en", "See https://www.example.com/hours?x=1.", "See example dot com slash hours."},
		{"en", "Go to example.com. Then", "Go to example dot com. Then"},
		{"en", "Code 004512, order X7K-2P9", "Code zero zero four five one two, order X seven K two P nine"},
		{"en", "3.5% of -20°C and 1,000,000", "three point five percent of minus twenty degrees Celsius and one million"},
		{"en", "the 1st, 22nd, 13th", "the first, twenty-second, thirteenth"},
		{"en", "COVID-19, B2B, and the USA", "COVID-nineteen, B2B, and the USA"},
		{"de", "am 3. Mai um 15:30 Uhr", "am dritten Mai um fünfzehn Uhr dreißig"},
		{"de", "Der 1. Mai 2026, der 24.12.2026 und am 3.5.", "Der erste Mai zweitausendsechsundzwanzig, der vierundzwanzigste Dezember zweitausendsechsundzwanzig und am dritten Mai."},
		{"de", "Im 2. Stock", "Im zweiten Stock"},
		{"de", "1. Öffnen Sie 2 Türen.", "1. Öffnen Sie zwei Türen."},
		{"de", "Das macht 3,50 € oder 1.250,00 Euro, 1 Euro", "Das macht drei Euro fünfzig oder eintausendzweihundertfünfzig Euro, ein Euro"},
		{"de", "1 Zimmer für 21 Tage, 101 Gäste", "1 Zimmer für einundzwanzig Tage, einhunderteins Gäste"},
		{"de", "um 8.30 Uhr, um 1 Uhr", "um acht Uhr dreißig, um ein Uhr"},
		{"de", "Tel. 030 1234567 oder +49 30 1234567", "Tel. null drei null, eins zwei drei vier fünf sechs sieben oder plus vier neun, drei null, eins zwei drei vier fünf sechs sieben"},
		{"de", "info@beispiel.de, 1989, 25 %, 2,5 kg", "info ät beispiel Punkt de, neunzehnhundertneunundachtzig, fünfundzwanzig Prozent, zwei Komma fünf kg"},
		{"fr", "Le 1er mai à 15:30, 71 ou 80 pour 3,50 €", "Le premier mai à quinze heures trente, soixante et onze ou quatre-vingts pour trois euros cinquante"},
		{"fr", "1 250 € et 200, 3 000 000, 95", "mille deux cent cinquante euros et deux cents, trois millions, quatre-vingt-quinze"},
		{"fr", "le 3 mai 2026, à 1:00", "le trois mai deux mille vingt-six, à une heure"},
		{"es", "El 3 de mayo a las 3:30, 21 €, 100", "El tres de mayo a las tres y media, veintiún euros, cien"},
		{"es", "Son 1.250,50 €, 555, 31 días", "Son mil doscientos cincuenta euros con cincuenta, quinientos cincuenta y cinco, 31 días"},
		{"it", "Il 1° maggio alle 15:30, 3,50 €, 28 e 33", "Il primo maggio alle quindici e trenta, tre euro e cinquanta, ventotto e trentatré"},
		{"it", "1.000, 2.500, 1.000.000", "mille, duemilacinquecento, un milione"},
		{"pt", "R$ 3,50 às 15:30, 1.250", "três reais e cinquenta centavos às quinze horas e trinta, mil duzentos e cinquenta"},
		{"pt-PT", "16", "dezasseis"},
		{"pt", "16", "dezesseis"},
		{"nl", "Op 3 mei om 15.30 uur, € 3,50, 22 en 1.250", "Op drie mei om vijftien uur dertig, drie euro vijftig, tweeëntwintig en duizend tweehonderdvijftig"},
	} {
		got := NewNormalizer(c.language).Apply(Plain(c.text))
		if got.Spoken() != c.want {
			t.Errorf("%s %q\n got %q\nwant %q", c.language, c.text, got.Spoken(), c.want)
		}
		if written := writtenOf(got); written != c.text {
			t.Errorf("%q is written as %q", c.text, written)
		}
	}
	if NewNormalizer("hi") != nil || NewNormalizer("") != nil {
		t.Error("there is a normalizer for a language whose words are not known")
	}
}

func TestCardinals(t *testing.T) {
	for language, want := range map[string]map[int]string{
		"en": {0: "zero", 40: "forty", 115: "one hundred fifteen", 2_000_001: "two million one"},
		"de": {16: "sechzehn", 17: "siebzehn", 31: "einunddreißig", 100: "einhundert", 1001: "eintausendeins", 1_000_000: "eine Million", 21_000: "einundzwanzigtausend"},
		"fr": {21: "vingt et un", 70: "soixante-dix", 77: "soixante-dix-sept", 81: "quatre-vingt-un", 91: "quatre-vingt-onze", 99: "quatre-vingt-dix-neuf", 200_000: "deux cent mille", 80_000: "quatre-vingt mille", 1_000_000: "un million"},
		"es": {16: "dieciséis", 22: "veintidós", 31: "treinta y uno", 101: "ciento uno", 21_000: "veintiún mil", 1_000_000: "un millón"},
		"it": {21: "ventuno", 23: "ventitré", 38: "trentotto", 103: "centotré", 123: "centoventitré", 23_000: "ventitremila"},
		"pt": {21: "vinte e um", 100: "cem", 101: "cento e um", 1100: "mil e cem", 2345: "dois mil trezentos e quarenta e cinco"},
		"nl": {21: "eenentwintig", 33: "drieëndertig", 101: "honderdeen", 1000: "duizend", 2500: "tweeduizend vijfhonderd"},
	} {
		for n, words := range want {
			if got := localeOf(language).cardinal(n); got != words {
				t.Errorf("%s %d: %q, want %q", language, n, got, words)
			}
		}
	}
}

// FuzzNormalize: whatever is written stays mapped to what is spoken, in each language.
func FuzzNormalize(f *testing.F) {
	f.Add("On 3. Mai 2026 $3.50 +49 30 12345 a@b.de X7K2 15:30 1° -5 %")
	f.Add("1/2/2026 0 00 999999999999 9999999999999 1.000.000,5")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || len(text) > 500 {
			return
		}
		for language := range locales {
			spans := NewNormalizer(language).Apply(Plain(text))
			if writtenOf(spans) != text {
				t.Errorf("%s: %q is written as %q", language, text, writtenOf(spans))
			}
			if strings.TrimSpace(text) != "" && strings.TrimSpace(spans.Spoken()) == "" {
				t.Errorf("%s: nothing is spoken of %q", language, text)
			}
		}
	})
}

// Marks for the voice and words that are pronounced otherwise are not changed any more.
func TestMarksOfTheVoiceStay(t *testing.T) {
	s := NewSegmenter("en")
	segments := append(s.Push(`<speed ratio="1.05"/>Wait 5 minutes in room 24/7. `), s.Flush()...)
	text := NewPronunciations(map[string]string{"24/7": "24 slash 7", "ratio": "share"}).Apply(segments[0])
	for range 2 {
		text = NewNormalizer("en").Apply(text)
		if want := `<speed ratio="1.05"/>Wait five minutes in room 24 slash 7.`; text.Spoken() != want {
			t.Errorf("spoken is %q, want %q", text.Spoken(), want)
		}
	}
}
