package speechtext

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

// Normalizer reads numbers, money, dates, times, phone numbers, addresses and codes in the words of a language.
type Normalizer struct {
	*locale
	rules []normalization
}

// normalization is a kind of what is not written in words. speak returns the words, or "" if it is none. before and after are the text
// around it.
type normalization struct {
	form  *regexp.Regexp
	speak func(match []string, before, after string) string
}

// normalizers are those that were made, by locale.
var normalizers sync.Map

// NewNormalizer returns the normalizer of a language, a BCP 47 code; nil for one whose words it does not know.
func NewNormalizer(language string) *Normalizer {
	l := localeOf(language)
	if l == nil {
		return nil
	}
	if known, made := normalizers.Load(l); made {
		return known.(*Normalizer)
	}
	n := &Normalizer{locale: l}
	n.rules = n.kinds()
	normalizers.Store(l, n)
	return n
}

// Apply returns a text whose numbers are spoken in words.
func (n *Normalizer) Apply(t Text) Text {
	return t.rewrite(func(text string, at int) (int, string) {
		if !n.mayBegin(text, at) {
			return 0, ""
		}
		for _, rule := range n.rules {
			match := rule.form.FindStringSubmatch(text[at:])
			if match == nil || continues(match[0], text[at+len(match[0]):]) {
				continue
			}
			if words := rule.speak(match, text[:at], text[at+len(match[0]):]); words != "" {
				return len(match[0]), words
			}
		}
		return 0, ""
	})
}

// mayBegin reports whether something to be normalised may begin at a position.
func (n *Normalizer) mayBegin(text string, at int) bool {
	r := firstRune(text[at:])
	before := lastRune(text[:at])
	if at > 0 && (isWordRune(before) || strings.ContainsRune(".@/_", before) && at > 1 && isWordRune(lastRune(text[:at-1]))) {
		return false
	}
	return isWordRune(r) || strings.ContainsRune("$€£+-−(", r)
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// continues reports whether a word or number goes on after a match.
func continues(match, after string) bool {
	next := firstRune(after)
	if after == "" || !isWordRune(lastRune(match)) {
		return false
	}
	return isWordRune(next) || strings.ContainsRune(".,", next) && len(after) > 1 && unicode.IsDigit(rune(after[1]))
}

const (
	domainForm = `[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*\.`
	topForm    = `(?:com|org|net|info|edu|gov|de|at|ch|fr|be|es|it|pt|nl|eu|uk|us|br|mx|io|ai|app|dev|biz|shop)`
)

// kinds returns the rules in their order: the first that matches counts.
func (n *Normalizer) kinds() []normalization {
	number := `\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`
	if n.commaIsDecimal {
		number = `\d{1,3}(?:[.\x{00a0}\x{202f}]\d{3})+(?:,\d+)?|\d+(?:[,.]\d+)?`
	}
	if n.spacedThousands {
		number = `[1-9]\d{0,2}(?: \d{3})+(?:,\d+)?|` + number
	}
	sign := `\$|€|£|R\$|CHF|EUR|USD|US\$|GBP|BRL`
	all := []normalization{
		{regexp.MustCompile(`^[A-Za-z0-9._%+-]*[A-Za-z0-9]@` + domainForm + `[A-Za-z]{2,}`), n.address},
		{regexp.MustCompile(`^(?:https?://|www\.)[^\s<>"]*[^\s<>".,;:!?)]`), n.address},
		{regexp.MustCompile(`^` + domainForm + topForm + `(?:/[^\s<>"]*[^\s<>".,;:!?)])?`), n.address},
		{regexp.MustCompile(`^(\d{4})-(\d{2})-(\d{2})`), func(m []string, before, _ string) string { return n.day(m[3], m[2], m[1], before) }},
		{regexp.MustCompile(`^(\d{1,2})\.(\d{1,2})\.(\d{4})?`), n.dotted},
		{regexp.MustCompile(`^(\d{1,2})/(\d{1,2})/(\d{4})`), n.slashed},
		{regexp.MustCompile(`^(\d{1,2}):(\d{2})(?:[ \x{00a0}]?(?:Uhr|uur|heures|horas|h)(?:\b|$))?`), n.clock},
		{regexp.MustCompile(`^(\d{1,2})(?:\.(\d{2}))?[ \x{00a0}](?:Uhr|uur)`), n.clock},
		{regexp.MustCompile(`^\+\d{1,3}(?:[ ./-]?\(?\d{1,5}\)?){2,8}`), n.phone},
		{regexp.MustCompile(`^\(?0\d{1,5}\)?(?:[ ./-]\d{2,9}){1,6}`), n.phone},
		{regexp.MustCompile(`^\(?\d{3}\)?[ -]\d{3}-\d{4}`), n.phone},
		{regexp.MustCompile(`^(` + sign + `)[ \x{00a0}]?(` + number + `)`), func(m []string, _, _ string) string { return n.money(m[2], m[1]) }},
		{regexp.MustCompile(`^(` + number + `)[ \x{00a0}\x{202f}]?(` + sign + `|Euro|euros?|dollars?|Dollar)`), func(m []string, _, _ string) string {
			return n.money(m[1], m[2])
		}},
		{regexp.MustCompile(`^(` + number + `)[ \x{00a0}\x{202f}]?%`), func(m []string, _, _ string) string {
			return join(" ", n.number(m[1]), n.percent)
		}},
		{regexp.MustCompile(`^([-−])?(` + number + `)[ \x{00a0}]?°(?:[ ]?(C|F))?`), n.temperature},
		{regexp.MustCompile(`^(` + number + `)`), n.bare},
		{regexp.MustCompile(`^[-−](` + number + `)`), n.negative},
		{regexp.MustCompile(`^[A-Z0-9]{2,}(?:-[A-Z0-9]+)*`), n.code},
	}
	return append(n.ordinals(), all...)
}

// number returns a number in words, decimals digit by digit; "" if it is too long.
func (n *Normalizer) number(text string) string {
	whole, decimals := text, ""
	mark := "."
	if n.commaIsDecimal {
		mark = ","
		if dot := strings.LastIndexByte(text, '.'); dot >= 0 && len(text)-dot != 4 { // 3.50, as models write it in any language
			mark = "."
		}
	}
	if head, tail, found := strings.Cut(text, mark); found {
		whole, decimals = head, tail
	}
	whole = strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, whole)
	value, err := strconv.Atoi(whole)
	if err != nil || len(whole) > 12 {
		return ""
	}
	spoken := n.cardinal(value)
	if decimals != "" {
		spoken += " " + n.decimal + " " + n.digits(decimals)
	}
	return spoken
}

// digits returns digits one by one.
func (n *Normalizer) digits(text string) string {
	var words []string
	for _, r := range text {
		if unicode.IsDigit(r) {
			words = append(words, n.cardinal(int(r-'0')))
		}
	}
	return strings.Join(words, " ")
}

// bare reads a number that stands alone: a year, a code, or a quantity.
func (n *Normalizer) bare(m []string, before, after string) string {
	text := m[0]
	digits := isNumber(text)
	value, _ := strconv.Atoi(text)
	switch {
	case digits && len(text) > 1 && text[0] == '0', digits && len(text) > 6:
		return n.digits(text)
	case digits && len(text) == 4 && value >= 1100 && value < 2100:
		return n.year(n.locale, value)
	case digits && n.gendered(value) && strings.HasPrefix(after, " ") && unicode.IsLetter(firstRune(after[1:])):
		return "" // it depends on the noun
	case digits && strings.HasPrefix(after, ". ") && (strings.TrimSpace(before) == "" || strings.HasSuffix(before, ": ")):
		return "" // of a list
	}
	return n.number(text)
}

func (n *Normalizer) negative(m []string, before, _ string) string {
	if isWordRune(lastRune(before)) || strings.HasSuffix(strings.TrimRight(before, " "), ")") {
		return ""
	}
	return join(" ", n.minus, n.number(m[1]))
}

func (n *Normalizer) temperature(m []string, _, _ string) string {
	minus := ""
	if m[1] != "" {
		minus = n.minus
	}
	scale := map[string]string{"C": "Celsius", "F": "Fahrenheit"}[m[3]]
	return join(" ", minus, n.number(m[2]), n.degrees, scale)
}

// money reads an amount.
func (n *Normalizer) money(amount, sign string) string {
	switch code := currencyCodes[sign]; {
	case code != "":
		sign = code
	case strings.HasPrefix(strings.ToLower(sign), "euro"):
		sign = "€"
	case strings.HasPrefix(strings.ToLower(sign), "dollar"):
		sign = "$"
	}
	c, known := n.currencies[sign]
	cut := strings.LastIndexAny(amount, ".,")
	whole, rest := amount, ""
	if cut >= 0 && len(amount)-cut == 3 {
		whole, rest = amount[:cut], amount[cut+1:]
	}
	spoken := n.number(whole)
	if !known || spoken == "" || cut >= 0 && rest == "" && len(amount)-cut != 4 {
		return ""
	}
	if n.beforeNoun != nil {
		spoken = n.beforeNoun(spoken)
	}
	name := c.many
	if isNumber(whole) && strings.TrimLeft(whole, "0") == "1" {
		name = c.one
	}
	spoken += " " + name
	hundredths, _ := strconv.Atoi(rest)
	if hundredths == 0 {
		return spoken
	}
	words := n.cardinal(hundredths)
	if n.hundredths {
		words += " " + map[bool]string{true: c.hundredth, false: c.hundredths}[hundredths == 1]
	}
	return fmt.Sprintf(n.cents, spoken, words)
}

// phone reads a phone number digit by digit, with a pause between its groups.
func (n *Normalizer) phone(m []string, _, _ string) string {
	digits := 0
	for _, r := range m[0] {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	if digits < 6 || digits > 15 {
		return ""
	}
	var groups []string
	for _, group := range strings.FieldsFunc(m[0], func(r rune) bool { return !unicode.IsDigit(r) }) {
		groups = append(groups, n.digits(group))
	}
	spoken := strings.Join(groups, ", ")
	if strings.HasPrefix(m[0], "+") {
		spoken = n.plus + " " + spoken
	}
	return spoken
}

// address reads an e-mail address, or an address on the web without its scheme and query.
func (n *Normalizer) address(m []string, _, _ string) string {
	text := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(m[0], "https://"), "http://"), "www.")
	text, _, _ = strings.Cut(text, "?")
	text = strings.TrimSuffix(text, "/")
	marks := map[rune]string{'@': n.at, '.': n.dot, '-': n.dash, '_': n.underscore, '/': n.slash, '+': n.plus}
	var b strings.Builder
	for _, r := range text {
		word, isMark := marks[r]
		switch {
		case unicode.IsDigit(r):
			b.WriteString(" " + n.digits(string(r)) + " ")
		case isMark:
			b.WriteString(" " + word + " ")
		default:
			b.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// words are runs of letters that are a name rather than a part of a code.
var words = regexp.MustCompile(`[A-Z]{4}`)

// code reads a code of letters and digits one by one.
func (n *Normalizer) code(m []string, _, _ string) string {
	if digits := len(m[0]) - len(strings.Map(withoutDigits, m[0])); digits < 2 || digits == len(m[0]) || len(m[0]) < 4 || words.MatchString(m[0]) {
		return ""
	}
	var spoken []string
	for _, r := range m[0] {
		switch {
		case unicode.IsDigit(r):
			spoken = append(spoken, n.digits(string(r)))
		case unicode.IsLetter(r):
			spoken = append(spoken, string(r))
		}
	}
	return strings.Join(spoken, " ")
}

func withoutDigits(r rune) rune {
	if unicode.IsDigit(r) {
		return -1
	}
	return r
}
