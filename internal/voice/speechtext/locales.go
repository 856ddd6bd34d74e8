package speechtext

import (
	"fmt"
	"strings"
)

// locale is how a language writes and speaks numbers, addresses and times.
type locale struct {
	numerals
	spacedThousands                        bool // 1 250, with any space
	ordinalDays                            bool // 3. Mai
	commaIsDecimal                         bool
	decimal, minus, percent, degrees       string
	at, dot, dash, underscore, slash, plus string
	months                                 []string // from January, as written with a day
	monthFirst                             bool     // 5/3/2026 is in May
	currencies                             map[string]currency
	cents                                  string // between the units and the hundredths of an amount; %s are both
	hundredths                             bool   // the name of the hundredths is spoken
	time                                   func(l *locale, hour, minute int) string
	date                                   func(l *locale, day, month int, before string) string
	year                                   func(l *locale, year int) string
	beforeNoun                             func(spoken string) string // a number before a masculine noun, such as a currency
	ofMonth                                string                     // between a day and the name of its month
	ofYear                                 string                     // between a day and its year; "" for a space
}

// currency is the names of a currency and its hundredths.
type currency struct{ one, many, hundredth, hundredths string }

func same(name string) currency { return currency{name, name, name, name} }

var locales = map[string]*locale{
	"en": {
		ofYear:   ", ",
		numerals: numerals{cardinalEN, ordinalEN, never},
		decimal:  "point", minus: "minus", percent: "percent", degrees: "degrees",
		at: "at", dot: "dot", dash: "dash", underscore: "underscore", slash: "slash", plus: "plus",
		months:     strings.Fields("January February March April May June July August September October November December"),
		monthFirst: true,
		currencies: map[string]currency{
			"$": {"dollar", "dollars", "cent", "cents"}, "€": {"euro", "euros", "cent", "cents"}, "£": {"pound", "pounds", "penny", "pence"},
		},
		cents: "%s and %s", hundredths: true,
		time: timeEN, date: dateEN, year: yearEN,
	},
	"de": {
		ordinalDays:    true,
		numerals:       numerals{cardinalDE, noOrdinal, func(n int) bool { return n == 1 }},
		commaIsDecimal: true,
		decimal:        "Komma", minus: "minus", percent: "Prozent", degrees: "Grad",
		at: "ät", dot: "Punkt", dash: "Bindestrich", underscore: "Unterstrich", slash: "Schrägstrich", plus: "plus",
		months:     strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
		currencies: map[string]currency{"$": same("Dollar"), "€": same("Euro"), "£": same("Pfund"), "CHF": same("Franken")},
		cents:      "%s %s",
		time:       timeDE, date: dateDE, year: yearDE,
		beforeNoun: func(s string) string {
			if strings.HasSuffix(s, "eins") {
				return strings.TrimSuffix(s, "s")
			}
			return s
		},
	},
	"fr": {
		spacedThousands: true,
		numerals:        numerals{cardinalFR, noOrdinal, func(n int) bool { return endsInOne(n) && n%100 != 71 && n%100 != 91 }},
		commaIsDecimal:  true,
		decimal:         "virgule", minus: "moins", percent: "pour cent", degrees: "degrés",
		at: "arobase", dot: "point", dash: "tiret", underscore: "tiret bas", slash: "barre oblique", plus: "plus",
		months: strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
		currencies: map[string]currency{
			"$": {"dollar", "dollars", "", ""}, "€": {"euro", "euros", "", ""}, "£": {"livre", "livres", "", ""}, "CHF": {"franc", "francs", "", ""},
		},
		cents: "%s %s",
		time:  timeFR, date: firstOfMonth("premier"), year: plainYear,
	},
	"es": {
		numerals:       numerals{cardinalES, noOrdinal, func(n int) bool { return endsInOne(n) || n >= 200 && n%1000 >= 200 }},
		commaIsDecimal: true,
		decimal:        "coma", minus: "menos", percent: "por ciento", degrees: "grados",
		at: "arroba", dot: "punto", dash: "guion", underscore: "guion bajo", slash: "barra", plus: "más",
		months:     strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
		currencies: map[string]currency{"$": {"dólar", "dólares", "", ""}, "€": {"euro", "euros", "", ""}},
		cents:      "%s con %s", ofMonth: "de ",
		time: timeES, date: ofMonth("de"), year: plainYear, ofYear: " de ",
		beforeNoun: apocope,
	},
	"it": {
		numerals:       numerals{cardinalIT, noOrdinal, func(n int) bool { return n == 1 }},
		commaIsDecimal: true,
		decimal:        "virgola", minus: "meno", percent: "per cento", degrees: "gradi",
		at: "chiocciola", dot: "punto", dash: "trattino", underscore: "trattino basso", slash: "barra", plus: "più",
		months:     strings.Fields("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
		currencies: map[string]currency{"$": {"dollaro", "dollari", "", ""}, "€": same("euro"), "CHF": {"franco", "franchi", "", ""}},
		cents:      "%s e %s",
		time:       timeIT, date: firstOfMonth("primo"), year: plainYear,
		beforeNoun: func(s string) string {
			if s == "uno" {
				return "un"
			}
			return s
		},
	},
	"pt": {
		numerals:       numerals{cardinalPT, noOrdinal, func(n int) bool { return endsInOne(n) || n%10 == 2 && n%100 != 12 || n%1000 >= 200 }},
		commaIsDecimal: true,
		decimal:        "vírgula", minus: "menos", percent: "por cento", degrees: "graus",
		at: "arroba", dot: "ponto", dash: "hífen", underscore: "underline", slash: "barra", plus: "mais",
		months: strings.Fields("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro"),
		currencies: map[string]currency{
			"R$": {"real", "reais", "centavo", "centavos"}, "€": {"euro", "euros", "cêntimo", "cêntimos"}, "$": {"dólar", "dólares", "centavo", "centavos"},
		},
		cents: "%s e %s", hundredths: true, ofMonth: "de ",
		time: timePT, date: ofMonth("de"), year: plainYear, ofYear: " de ",
	},
	"nl": {
		numerals:       numerals{cardinalNL, noOrdinal, never},
		commaIsDecimal: true,
		decimal:        "komma", minus: "min", percent: "procent", degrees: "graden",
		at: "apenstaartje", dot: "punt", dash: "streepje", underscore: "laag streepje", slash: "schuine streep", plus: "plus",
		months:     strings.Fields("januari februari maart april mei juni juli augustus september oktober november december"),
		currencies: map[string]currency{"$": same("dollar"), "€": same("euro"), "£": same("pond")},
		cents:      "%s %s",
		time:       timeNL, date: plainDate, year: plainYear,
	},
}

// currencyCodes are the codes of currencies that have a sign.
var currencyCodes = map[string]string{"EUR": "€", "USD": "$", "US$": "$", "GBP": "£", "BRL": "R$"}

// variants are the languages that a region writes or speaks otherwise.
var (
	britishEnglish     = variant("en", func(l *locale) { l.monthFirst = false })
	europeanPortuguese = variant("pt", func(l *locale) {
		l.cardinal = func(n int) string { return europeanNumbers.Replace(cardinalPT(n)) }
	})
	europeanNumbers = strings.NewReplacer("dezesseis", "dezasseis", "dezessete", "dezassete", "dezenove", "dezanove", "quatorze", "catorze")
)

func variant(language string, change func(*locale)) *locale {
	l := *locales[language]
	change(&l)
	return &l
}

// localeOf returns the locale of a language by its BCP 47 code; nil for one whose numbers are left to the voice.
func localeOf(language string) *locale {
	base, region, _ := strings.Cut(strings.ToLower(language), "-")
	switch {
	case base == "en" && region != "" && region != "us":
		return britishEnglish
	case base == "pt" && region == "pt":
		return europeanPortuguese
	}
	return locales[base]
}

func timeEN(l *locale, hour, minute int) string {
	switch {
	case minute == 0 && hour > 12:
		return l.cardinal(hour) + " hundred"
	case minute == 0:
		return l.cardinal(hour) + " o'clock"
	case minute < 10:
		return l.cardinal(hour) + " oh " + l.cardinal(minute)
	}
	return l.cardinal(hour) + " " + l.cardinal(minute)
}

func timeDE(l *locale, hour, minute int) string {
	spoken := l.beforeNoun(l.cardinal(hour)) + " Uhr"
	if minute > 0 {
		spoken += " " + l.cardinal(minute)
	}
	return spoken
}

func timeFR(l *locale, hour, minute int) string {
	spoken := l.cardinal(hour) + " heures"
	if hour < 2 || hour == 21 {
		spoken = strings.Replace(spoken, "un heures", "une heures", 1)
	}
	if hour < 2 {
		spoken = strings.TrimSuffix(spoken, "s")
	}
	if minute > 0 {
		spoken += " " + l.cardinal(minute)
	}
	return spoken
}

// feminine returns a number of Romance languages as it is before "hour".
func feminine(spoken, masculine, ending string) string {
	if head, found := strings.CutSuffix(spoken, masculine); found {
		return head + ending
	}
	return spoken
}

func timeES(l *locale, hour, minute int) string {
	spoken := feminine(l.cardinal(hour), "uno", "una")
	switch minute {
	case 0:
		return spoken
	case 30:
		return spoken + " y media"
	case 15:
		return spoken + " y cuarto"
	}
	return spoken + " y " + l.cardinal(minute)
}

func timeIT(l *locale, hour, minute int) string {
	spoken := l.cardinal(hour)
	if hour == 1 {
		spoken = "una"
	}
	if minute == 0 {
		return spoken
	}
	return spoken + " e " + l.cardinal(minute)
}

func timePT(l *locale, hour, minute int) string {
	spoken := feminine(feminine(l.cardinal(hour), "um", "uma"), "dois", "duas") + " horas"
	if hour == 1 {
		spoken = "uma hora"
	}
	if minute > 0 {
		spoken += " e " + l.cardinal(minute)
	}
	return spoken
}

func timeNL(l *locale, hour, minute int) string {
	spoken := l.cardinal(hour) + " uur"
	if minute > 0 {
		spoken += " " + l.cardinal(minute)
	}
	return spoken
}

func dateEN(l *locale, day, month int, _ string) string {
	return l.months[month-1] + " " + l.ordinal(day)
}

// datives are the words before a German day that is in the dative or accusative.
var datives = wordSet("am vom zum dem den bis ab seit im beim")

func dateDE(l *locale, day, month int, before string) string {
	return inflectDE(ordinalDE(day), before) + " " + l.months[month-1]
}

// inflectDE returns an ordinal with the ending that the word before it asks for.
func inflectDE(stem, before string) string {
	switch word := lastWord(before); {
	case datives[word], word == "der" && strings.Contains(strings.ToLower(before), "in der"):
		return stem + "en"
	case word == "der", word == "die", word == "das":
		return stem + "e"
	}
	return stem + "er"
}

func plainDate(l *locale, day, month int, _ string) string {
	return l.cardinal(day) + " " + l.months[month-1]
}

// firstOfMonth returns the dates of languages that have an ordinal for the first day alone.
func firstOfMonth(first string) func(*locale, int, int, string) string {
	return func(l *locale, day, month int, before string) string {
		if day == 1 {
			return first + " " + l.months[month-1]
		}
		return plainDate(l, day, month, before)
	}
}

func ofMonth(of string) func(*locale, int, int, string) string {
	return func(l *locale, day, month int, _ string) string {
		return fmt.Sprintf("%s %s %s", l.cardinal(day), of, l.months[month-1])
	}
}

func plainYear(l *locale, year int) string { return l.cardinal(year) }

func yearEN(l *locale, year int) string {
	high, low := year/100, year%100
	switch {
	case year >= 2000 && year < 2010, year < 1100 || year > 2099:
		return l.cardinal(year)
	case low == 0:
		return l.cardinal(high) + " hundred"
	case low < 10:
		return l.cardinal(high) + " oh " + l.cardinal(low)
	}
	return l.cardinal(high) + " " + l.cardinal(low)
}

func yearDE(l *locale, year int) string {
	if year >= 1100 && year < 2000 {
		return l.cardinal(year/100) + "hundert" + tailOf(l.cardinal, year%100)
	}
	return l.cardinal(year)
}
