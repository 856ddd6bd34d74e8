package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// run is groups that may form one number, with the surrounding text.
type run struct {
	text   string
	groups []group
	before string // text that precedes text
}

// numbers redacts card numbers and phone numbers; before is the preceding text.
func numbers(s, before string, by replace) string {
	found := groups(s)
	if len(found) == 0 {
		return s
	}
	var out strings.Builder
	done := 0
	for len(found) > 0 {
		n := 1
		for n < len(found) && joins(s[found[n-1].end:found[n].start]) {
			found[n].joint = s[found[n-1].end:found[n].start]
			n++
		}
		for _, part := range undated(found[:n]) {
			r := run{s, part, before}
			for _, m := range r.marks() {
				out.WriteString(s[done:m.start])
				out.WriteString(by(m.label, s[m.start:m.end]))
				done = m.end
			}
		}
		found = found[n:]
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// undated splits groups at dates, which are left out.
func undated(groups []group) (parts [][]group) {
	from := 0
	for i := 0; i+2 < len(groups); i++ {
		if !dated(groups, i) {
			continue
		}
		if i > from {
			parts = append(parts, groups[from:i])
		}
		from, i = i+3, i+2
	}
	if from < len(groups) {
		parts = append(parts, groups[from:])
	}
	return parts
}

// dated reports whether three groups are a date: 2026-11-21, 21.11.2026, 11/21/26, 11 21 2026.
func dated(groups []group, i int) bool {
	g := groups[i : i+3]
	joint := g[1].joint
	if joint != g[2].joint || !strings.Contains("-./ ", joint) || len(joint) != 1 {
		return false
	}
	if i > 0 && g[0].joint == joint && joint != " " || i+3 < len(groups) && groups[i+3].joint == joint && joint != " " {
		return false // part of a longer sequence, such as 06.12.34.56.78
	}
	small := func(g group) bool { return !g.word && len(g.digits) <= 2 && g.value() >= 1 && g.value() <= 31 }
	year := func(g group) bool { return len(g.digits) == 4 && g.value() >= 1900 && g.value() < 2100 }
	switch {
	case year(g[0]):
		return small(g[1]) && small(g[2])
	case small(g[0]) && small(g[1]) && (g[0].value() <= 12 || g[1].value() <= 12):
		return year(g[2]) || joint != " " && len(g[2].digits) == 2
	}
	return false
}

// value returns the number that a short group represents.
func (g group) value() (n int) {
	for _, d := range g.digits {
		n = min(n*10+int(d), 1e9)
	}
	return n
}

// mark is a range to redact.
type mark struct {
	start, end int
	label      string
}

func (r run) mark(label string) []mark {
	start, end := r.groups[0].start, r.groups[len(r.groups)-1].end
	before := r.text[:start]
	if strings.Contains(r.text[start:end], ")") {
		before = strings.TrimSuffix(before, "(")
	}
	before = strings.TrimSuffix(strings.TrimSuffix(before, "+"), "\uff0b")
	return []mark{{len(before), end, label}}
}

// marks returns the ranges of a run to redact. Expiry date and security code of a probable card number are
// included.
func (r run) marks() []mark {
	total := 0
	for _, g := range r.groups {
		total += len(g.digits)
	}
	if total < 7 {
		return nil
	}
	if total >= minCard && r.card() && !(total <= 15 && r.plus()) {
		return r.mark(Card)
	}
	if r.phone(total) {
		return r.mark(Phone)
	}
	// A phone number may be followed by others.
	var found []mark
	for i := 0; i < len(r.groups) && len(r.groups) > 1; i++ {
		for _, n := range []int{4, 3, 1} {
			if i+n > len(r.groups) {
				continue
			}
			part := run{r.text, r.groups[i : i+n], r.before}
			if part.shaped() && r.sense() != names {
				found = append(found, part.mark(Phone)...)
				i += n - 1
				break
			}
		}
	}
	return found
}

// The lengths of card numbers (ISO/IEC 7812-1).
const minCard, maxCard = 13, 19

// card reports whether groups of the run are a card number: of valid length, first digit and check digit.
func (r run) card() bool {
	var digits [maxCard]byte
	for i := range r.groups {
		if first := r.groups[i].digits[0]; first < 2 || first > 6 {
			continue
		}
		n := 0
		for _, g := range r.groups[i:] {
			if n+len(g.digits) > maxCard {
				break
			}
			n += copy(digits[n:], g.digits)
			if n >= minCard && luhn(digits[:n]) {
				return true
			}
		}
	}
	return false
}

// luhn checks the last digit (ISO/IEC 7812-1, annex B).
func luhn(digits []byte) bool {
	sum := 0
	for i, d := range digits {
		v := int(d)
		if (len(digits)-i)%2 == 0 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// phone reports whether the whole run is one or more phone numbers.
func (r run) phone(total int) bool {
	if r.plus() {
		return total <= 40
	}
	if r.amount() || r.address() || r.years() || r.counts() {
		return false
	}
	switch r.sense() {
	case names:
		return false
	case calls:
		return total <= 40
	}
	if r.shaped() {
		return true
	}
	if total > 15 {
		return false
	}
	// Dictated digit by digit, or nearly so.
	return len(r.groups) >= 7 && total < 2*len(r.groups)
}

// shaped reports whether the run has the form of a phone number, regardless of the preceding words.
func (r run) shaped() bool {
	var digits []byte
	for _, g := range r.groups {
		if len(digits)+len(g.digits) > 17 || g.joint == ", " && g.start != r.groups[0].start {
			return false
		}
		digits = append(digits, g.digits...)
	}
	g, n := r.groups, len(digits)
	if n < 7 || len(g) == 1 && r.within() || len(g) > 1 && len(g[0].digits) == 1 && g[1].joint == "." {
		return false
	}
	even := func(sizes ...int) bool {
		if len(sizes) != len(g) {
			return false
		}
		for i := range g {
			if len(g[i].digits) != sizes[i] {
				return false
			}
		}
		return true
	}
	// The numbering plan of North America: area and exchange begin with 2 to 9.
	american := func(d []byte) bool { return d[0] >= 2 && d[3] >= 2 }
	whole := len(g) == 1
	switch {
	case digits[0] == 0 && digits[1] == 0: // an international call
		return n >= 10 && digits[2] != 0
	case digits[0] == 0: // a national call, in most countries
		return n >= 9 && n <= 13
	case n == 10:
		return american(digits) && (whole || even(3, 3, 4) || even(3, 7) || even(3, 3, 2, 2))
	case n == 11 && digits[0] == 1:
		return american(digits[1:]) && (whole || even(1, 3, 3, 4) || even(1, 10)) || digits[1] >= 3 && (whole || even(3, 4, 4)) // or China's mobiles
	case n == 9:
		return even(3, 3, 3) && digits[0] >= 6 && g[1].joint != "." && g[2].joint != "."
	case n == 7:
		return even(3, 4) && digits[0] >= 2 && g[1].joint == "-"
	}
	return false
}

// plus reports whether a + precedes the run: an international number.
func (r run) plus() bool {
	s := strings.TrimRight(r.text[:r.groups[0].start], "(")
	sign, size := utf8.DecodeLastRuneInString(s)
	if sign != '+' && sign != '\uff0b' {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:len(s)-size])
	return size == len(s) || !unicode.IsDigit(before) && !glues(before)
}

// within reports whether the run is part of a path, a query or a name.
func (r run) within() bool {
	start := r.groups[0].start
	return start > 0 && strings.IndexByte("/=#&@~\\", r.text[start-1]) >= 0
}

// amount reports whether a currency or a percent sign is next to the run.
func (r run) amount() bool {
	before, _ := utf8.DecodeLastRuneInString(strings.TrimRight(r.text[:r.groups[0].start], " "))
	rest := strings.TrimLeft(r.text[r.groups[len(r.groups)-1].end:], " \u00a0")
	after, _ := utf8.DecodeRuneInString(rest)
	if unicode.Is(unicode.Sc, before) || unicode.Is(unicode.Sc, after) || after == '%' {
		return true
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(rest)
	}
	return units[fold(rest[:end])]
}

// units are words that follow an amount.
var units = set(`dollar dollars euro euros eur usd gbp chf pound pounds cent cents percent prozent franken dólares libras pesos
	people persons users items pieces bytes km kilometers kilometres miles meters metres kg tons liters litres`)

// address reports whether the run is an IP address.
func (r run) address() bool {
	if len(r.groups) != 4 {
		return false
	}
	for i, g := range r.groups {
		if i > 0 && g.joint != "." || g.value() > 255 {
			return false
		}
	}
	return true
}

// years reports whether the run is a range of two years.
func (r run) years() bool {
	if len(r.groups) != 2 {
		return false
	}
	for _, g := range r.groups {
		if v := g.value(); len(g.digits) != 4 || v < 1900 || v > 2099 {
			return false
		}
	}
	return true
}

// counts reports whether the groups form a sequence: 1 2 3 4, or 10, 20, 30.
func (r run) counts() bool {
	if len(r.groups) < 4 {
		return false
	}
	step := r.groups[1].value() - r.groups[0].value()
	for i := range r.groups[1:] {
		if r.groups[i+1].value()-r.groups[i].value() != step {
			return false
		}
	}
	return step != 0
}
