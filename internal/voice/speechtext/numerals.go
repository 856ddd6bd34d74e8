package speechtext

import "strings"

// numerals are the words of a language's numbers. Numbers are below 10^12.
type numerals struct {
	cardinal func(n int) string
	ordinal  func(n int) string // "" if it is not known
	// gendered reports whether a number has another form before some nouns, so that it is left to the voice there.
	gendered func(n int) bool
}

func never(int) bool { return false }

func endsInOne(n int) bool { return n%10 == 1 && n%100 != 11 }

// scale splits a number by a power of a thousand.
func scale(n int, units ...int) (unit, count, rest int) {
	for _, u := range units {
		if n >= u {
			return u, n / u, n % u
		}
	}
	return 1, n, 0
}

func join(sep string, words ...string) string {
	var spoken []string
	for _, w := range words {
		if w != "" {
			spoken = append(spoken, w)
		}
	}
	return strings.Join(spoken, sep)
}

const thousand, million, billion = 1_000, 1_000_000, 1_000_000_000

var (
	enUnits = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen " +
		"seventeen eighteen nineteen")
	enTens = strings.Fields("- - twenty thirty forty fifty sixty seventy eighty ninety")
)

func cardinalEN(n int) string {
	switch unit, count, rest := scale(n, billion, million, thousand, 100); unit {
	case 1:
		if n < 20 {
			return enUnits[n]
		}
		if n%10 == 0 {
			return enTens[n/10]
		}
		return enTens[n/10] + "-" + enUnits[n%10]
	default:
		name := map[int]string{billion: "billion", million: "million", thousand: "thousand", 100: "hundred"}[unit]
		spoken := cardinalEN(count) + " " + name
		if rest > 0 {
			spoken += " " + cardinalEN(rest)
		}
		return spoken
	}
}

func ordinalEN(n int) string {
	irregular := map[string]string{
		"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth", "twelve": "twelfth",
	}
	spoken := cardinalEN(n)
	cut := strings.LastIndexAny(spoken, " -") + 1
	last := spoken[cut:]
	switch {
	case irregular[last] != "":
		last = irregular[last]
	case strings.HasSuffix(last, "y"):
		last = strings.TrimSuffix(last, "y") + "ieth"
	default:
		last += "th"
	}
	return spoken[:cut] + last
}

var (
	deUnits = strings.Fields("null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn " +
		"siebzehn achtzehn neunzehn")
	deTens = strings.Fields("- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
)

func cardinalDE(n int) string {
	ein := func(n int) string { // before another word
		if spoken := cardinalDE(n); strings.HasSuffix(spoken, "eins") {
			return strings.TrimSuffix(spoken, "s")
		} else {
			return spoken
		}
	}
	tail := func(n int) string {
		if n == 0 {
			return ""
		}
		return cardinalDE(n)
	}
	switch unit, count, rest := scale(n, billion, million, thousand, 100); unit {
	case 100:
		return ein(count) + "hundert" + tail(rest)
	case thousand:
		return ein(count) + "tausend" + tail(rest)
	case million, billion:
		names := map[int][2]string{million: {"Million", "Millionen"}, billion: {"Milliarde", "Milliarden"}}[unit]
		if count == 1 {
			return join(" ", "eine "+names[0], tail(rest))
		}
		return join(" ", cardinalDE(count)+" "+names[1], tail(rest))
	}
	switch {
	case n < 20:
		return deUnits[n]
	case n%10 == 0:
		return deTens[n/10]
	}
	return ein(n%10) + "und" + deTens[n/10]
}

// ordinalDE returns the stem, to which e or en is added.
func ordinalDE(n int) string {
	switch n % 100 {
	case 1, 3, 7, 8:
		head := ""
		if n > 100 {
			head = cardinalDE(n - n%100)
		}
		return head + map[int]string{1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}[n%100]
	}
	if n%100 < 20 && n%100 > 0 {
		return cardinalDE(n) + "t"
	}
	return cardinalDE(n) + "st"
}

var (
	nlUnits = strings.Fields("nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien " +
		"achttien negentien")
	nlTens = strings.Fields("- - twintig dertig veertig vijftig zestig zeventig tachtig negentig")
)

func cardinalNL(n int) string {
	switch unit, count, rest := scale(n, billion, million, thousand, 100); unit {
	case billion, million:
		name := map[int]string{million: "miljoen", billion: "miljard"}[unit]
		return join(" ", cardinalNL(count)+" "+name, tailOf(cardinalNL, rest))
	case thousand, 100:
		head := map[int]string{thousand: "duizend", 100: "honderd"}[unit]
		if count > 1 {
			head = cardinalNL(count) + head
		}
		return join(map[bool]string{true: " ", false: ""}[unit == thousand], head, tailOf(cardinalNL, rest))
	}
	switch {
	case n < 20:
		return nlUnits[n]
	case n%10 == 0:
		return nlTens[n/10]
	case n%10 == 2 || n%10 == 3:
		return nlUnits[n%10] + "ën" + nlTens[n/10]
	}
	return nlUnits[n%10] + "en" + nlTens[n/10]
}

func noOrdinal(int) string { return "" }
