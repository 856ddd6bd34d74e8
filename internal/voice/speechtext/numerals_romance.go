package speechtext

import "strings"

var (
	frUnits = strings.Fields("zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept " +
		"dix-huit dix-neuf")
	frTens = strings.Fields("- - vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt")
)

func cardinalFR(n int) string {
	switch unit, count, rest := scale(n, billion, million, thousand, 100); unit {
	case billion, million:
		name := map[int]string{million: "million", billion: "milliard"}[unit]
		if count > 1 {
			name += "s"
		}
		return join(" ", cardinalFR(count)+" "+name, tailOf(cardinalFR, rest))
	case thousand:
		if count == 1 {
			return join(" ", "mille", tailOf(cardinalFR, rest))
		}
		return join(" ", strings.TrimSuffix(strings.Replace(cardinalFR(count), "cents", "cent", 1), "s")+" mille", tailOf(cardinalFR, rest))
	case 100:
		spoken := "cent"
		if count > 1 {
			spoken = frUnits[count] + " cent"
			if rest == 0 {
				spoken += "s"
			}
		}
		return join(" ", spoken, tailOf(cardinalFR, rest))
	}
	if n < 20 {
		return frUnits[n]
	}
	tens, units := n/10, n%10
	if tens == 7 || tens == 9 {
		units += 10
	}
	switch {
	case n == 80:
		return "quatre-vingts"
	case units == 0:
		return frTens[tens]
	case units == 1 && tens < 8, n == 71:
		return frTens[tens] + " et " + frUnits[units]
	}
	return frTens[tens] + "-" + frUnits[units]
}

func tailOf(cardinal func(int) string, rest int) string {
	if rest == 0 {
		return ""
	}
	return cardinal(rest)
}

var (
	esUnits = strings.Fields("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete " +
		"dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete " +
		"veintiocho veintinueve")
	esTens     = strings.Fields("- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa")
	esHundreds = strings.Fields("- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos")
)

func cardinalES(n int) string {
	switch unit, count, rest := scale(n, million, thousand, 100); unit {
	case million:
		if count == 1 {
			return join(" ", "un millón", tailOf(cardinalES, rest))
		}
		return join(" ", apocope(cardinalES(count))+" millones", tailOf(cardinalES, rest))
	case thousand:
		if count == 1 {
			return join(" ", "mil", tailOf(cardinalES, rest))
		}
		return join(" ", apocope(cardinalES(count))+" mil", tailOf(cardinalES, rest))
	case 100:
		if n == 100 {
			return "cien"
		}
		return join(" ", esHundreds[count], tailOf(cardinalES, rest))
	}
	switch {
	case n < 30:
		return esUnits[n]
	case n%10 == 0:
		return esTens[n/10]
	}
	return esTens[n/10] + " y " + esUnits[n%10]
}

// apocope returns a Spanish number as it is before a masculine noun: veintiún, un.
func apocope(spoken string) string {
	if head, found := strings.CutSuffix(spoken, "veintiuno"); found {
		return head + "veintiún"
	}
	if strings.HasSuffix(spoken, "uno") {
		return strings.TrimSuffix(spoken, "o")
	}
	return spoken
}

var (
	itUnits = strings.Fields("zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici " +
		"diciassette diciotto diciannove")
	itTens = strings.Fields("- - venti trenta quaranta cinquanta sessanta settanta ottanta novanta")
)

func cardinalIT(n int) string {
	switch unit, count, rest := scale(n, billion, million, thousand, 100); unit {
	case billion, million:
		names := map[int][2]string{million: {"milione", "milioni"}, billion: {"miliardo", "miliardi"}}[unit]
		if count == 1 {
			return join(" ", "un "+names[0], tailOf(cardinalIT, rest))
		}
		return join(" ", cardinalIT(count)+" "+names[1], tailOf(cardinalIT, rest))
	case thousand:
		if count == 1 {
			return "mille" + tailIT(rest)
		}
		head := cardinalIT(count)
		if stem, accented := strings.CutSuffix(head, "é"); accented {
			head = stem + "e"
		}
		return head + "mila" + tailIT(rest)
	case 100:
		head := "cento"
		if count > 1 {
			head = itUnits[count] + head
		}
		return head + tailIT(rest)
	}
	tens, units := n/10, n%10
	switch {
	case n < 20:
		return itUnits[n]
	case units == 0:
		return itTens[tens]
	case units == 1 || units == 8:
		return itTens[tens][:len(itTens[tens])-1] + itUnits[units]
	case units == 3:
		return itTens[tens] + "tré"
	}
	return itTens[tens] + itUnits[units]
}

// tailIT returns the end of an Italian number, whose three has an accent there.
func tailIT(rest int) string {
	if rest == 3 {
		return "tré"
	}
	return tailOf(cardinalIT, rest)
}

var (
	ptUnits = strings.Fields("zero um dois três quatro cinco seis sete oito nove dez onze doze treze quatorze quinze dezesseis dezessete " +
		"dezoito dezenove")
	ptTens     = strings.Fields("- - vinte trinta quarenta cinquenta sessenta setenta oitenta noventa")
	ptHundreds = strings.Fields("- cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos")
)

func cardinalPT(n int) string {
	link := func(head string, rest int) string {
		switch {
		case rest == 0:
			return head
		case rest <= 100 || rest < thousand && rest%100 == 0:
			return head + " e " + cardinalPT(rest)
		}
		return head + " " + cardinalPT(rest)
	}
	switch unit, count, rest := scale(n, billion, million, thousand, 100); unit {
	case billion, million:
		names := map[int][2]string{million: {"milhão", "milhões"}, billion: {"bilhão", "bilhões"}}[unit]
		if count == 1 {
			return link("um "+names[0], rest)
		}
		return link(cardinalPT(count)+" "+names[1], rest)
	case thousand:
		if count == 1 {
			return link("mil", rest)
		}
		return link(cardinalPT(count)+" mil", rest)
	case 100:
		if n == 100 {
			return "cem"
		}
		return join(" e ", ptHundreds[count], tailOf(cardinalPT, rest))
	}
	switch {
	case n < 20:
		return ptUnits[n]
	case n%10 == 0:
		return ptTens[n/10]
	}
	return ptTens[n/10] + " e " + ptUnits[n%10]
}
