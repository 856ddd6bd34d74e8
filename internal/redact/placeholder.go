package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// turnEnd divides the texts of a speaker in succession: a number may go on behind it. Numbers may contain it (joins).
const turnEnd = '\u2007'

// Placeholders replaces personal data by placeholders, such as [phone_1], of which each stands for one value, and puts the values back. The
// zero value has none. It may be used by several goroutines.
type Placeholders struct {
	mu     sync.Mutex
	list   []Placeholder
	counts map[string]int // by label

	cache   map[cacheKey]string
	cacheOf int // the placeholders that it was made with
}

// Placeholder is a placeholder and what it stands for.
type Placeholder struct {
	Name  string `json:"name"`
	Value string `json:"value"` // as it was said; digits and signs where it was said in words
}

// placeholderForm is the form of a placeholder in a text.
var placeholderForm = regexp.MustCompile(`(?i)\[(?:phone|email|card|iban)_[0-9]{1,6}\]`)

// Replace replaces personal data in the texts that a speaker has said one after the other. A number may go on in the next text: both have
// its placeholder then. Known values are replaced as in ReplaceKnown.
func (p *Placeholders) Replace(texts []string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		known := len(p.list)
		replaced := p.replaceAll(texts)
		if len(p.list) == known { // texts before a new value may have it, too
			return replaced
		}
	}
}

func (p *Placeholders) replaceAll(texts []string) (replaced []string) {
	before := ""
	for n := 0; n < len(texts); {
		end := n + 1
		for end < len(texts) && endsInNumber(texts[end-1]) && beginsWithNumber(texts[end]) {
			end++
		}
		if end == n+1 {
			replaced = append(replaced, p.cached(before, texts[n], p.replaceOne))
		} else {
			replaced = append(replaced, p.replaceJoined(before, texts[n:end])...)
		}
		before = texts[end-1]
		before = strings.ToValidUTF8(before[max(0, len(before)-lookBack):], "") + " "
		n = end
	}
	return replaced
}

// endMarks are what a recogniser sets at the end of a text.
const endMarks = " .,;:!?…"

func endsInNumber(s string) bool {
	s = strings.TrimRight(s, endMarks)
	word := s[strings.LastIndexByte(s, ' ')+1:]
	_, is := numerals[fold(word)]
	return is || strings.ContainsFunc(word, unicode.IsDigit)
}

func beginsWithNumber(s string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(s, " "), " ")
	_, is := numerals[fold(strings.TrimRight(word, endMarks))]
	return is || strings.ContainsFunc(word, unicode.IsDigit)
}

func (p *Placeholders) replaceOne(before, s string) string {
	s = text(s, before, p.name)
	return p.replaceKnown("", text(withoutMarks(s), before, p.name))
}

// withoutMarks returns a text with a blank in place of each end mark between two numbers, as recognisers set them where a speaker pauses
// within one: "415. 555. 2671." It is as long as before.
func withoutMarks(s string) string {
	var b []byte
	for at := 1; at+1 < len(s); at++ {
		if strings.IndexByte(".,;:!?", s[at]) < 0 || s[at-1] == ']' || s[at+1] != ' ' || !endsInNumber(s[:at]) || !beginsWithNumber(s[at+1:]) {
			continue
		}
		if b == nil {
			b = []byte(s)
		}
		b[at] = ' '
	}
	if b == nil {
		return s
	}
	return string(b)
}

// replaceJoined replaces personal data in texts of which each goes on in the next.
func (p *Placeholders) replaceJoined(before string, texts []string) []string {
	said := make([]string, len(texts))
	ends := make([]string, len(texts))
	for n, s := range texts {
		s = strings.ReplaceAll(s, string(turnEnd), " ")
		said[n] = strings.TrimRight(s, endMarks)
		ends[n] = s[len(said[n]):]
	}
	joined := text(strings.Join(said, string(turnEnd)), before, func(label, original string) string {
		return p.name(label, original) + strings.Repeat(string(turnEnd)+p.name(label, original), strings.Count(original, string(turnEnd)))
	})
	replaced := strings.Split(joined, string(turnEnd))
	for n := range replaced {
		replaced[n] = p.replaceKnown("", replaced[n]+ends[n])
	}
	return replaced
}

// maxCached bounds the texts whose replacement is remembered: each prompt has most of those of the one before.
const maxCached = 2000

type cacheKey struct{ before, text string }

// cached returns what replace returns, which depends on the known values alone.
func (p *Placeholders) cached(before, s string, replace func(before, s string) string) string {
	if p.cacheOf != len(p.list) || p.cache == nil || len(p.cache) >= maxCached {
		p.cache, p.cacheOf = map[cacheKey]string{}, len(p.list)
	}
	key := cacheKey{before, s}
	replaced, is := p.cache[key]
	if !is {
		replaced = replace(before, s)
		if p.cacheOf == len(p.list) {
			p.cache[key] = replaced
		}
	}
	return replaced
}

// knownOnly is the text before one in which only known values are replaced, in a cacheKey.
const knownOnly = "\x00"

// ReplaceKnown replaces the values in a text that have a placeholder already.
func (p *Placeholders) ReplaceKnown(s string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.list) == 0 {
		return s
	}
	return p.cached(knownOnly, s, p.replaceKnown)
}

func (p *Placeholders) replaceKnown(_, s string) string {
	if len(p.list) == 0 {
		return s
	}
	s = text(s, "", func(label, original string) string {
		if known := p.find(label, valueOf(label, original)); known != "" {
			return known
		}
		return original
	})
	for _, known := range p.list { // where they are not recognised by form
		for _, value := range []string{known.Value, digitsOf(known.Value)} {
			if len(value) >= minValue {
				s = strings.ReplaceAll(s, value, known.Name)
			}
		}
	}
	return s
}

// minValue is the length of the shortest value that counts as one wherever it is found, in bytes.
const minValue = 7

// Restore puts the values of the placeholders in a text back.
func (p *Placeholders) Restore(s string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return placeholderForm.ReplaceAllStringFunc(s, func(name string) string {
		if value := p.value(name); value != "" {
			return value
		}
		return name
	})
}

// RestoreJSON puts the values of the placeholders in a JSON value's texts back. One without placeholders is returned byte for byte.
func (p *Placeholders) RestoreJSON(encoded json.RawMessage) json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return placeholderForm.ReplaceAllFunc(encoded, func(name []byte) []byte {
		value := p.value(string(name))
		if value == "" {
			return name
		}
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(false)
		if encoder.Encode(value) != nil {
			return name
		}
		return bytes.Trim(bytes.TrimSpace(b.Bytes()), `"`)
	})
}

// At returns the length of the placeholder that begins at a position of a text, and its value; 0 for none.
func (p *Placeholders) At(s string, at int) (length int, value string) {
	if s[at] != '[' {
		return 0, ""
	}
	found := placeholderForm.FindStringIndex(s[at:])
	if found == nil || found[0] != 0 {
		return 0, ""
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if value = p.value(s[at : at+found[1]]); value == "" {
		return 0, ""
	}
	return found[1], value
}

// List returns all placeholders, for Add in another process.
func (p *Placeholders) List() []Placeholder {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.list)
}

// Add adds placeholders of List.
func (p *Placeholders) Add(list []Placeholder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, known := range list {
		label, _, _ := strings.Cut(known.Name, "_")
		p.append(label+"]", known)
	}
}

func (p *Placeholders) append(label string, known Placeholder) {
	if p.counts == nil {
		p.counts = map[string]int{}
	}
	p.counts[label]++
	p.list = append(p.list, known)
}

func (p *Placeholders) value(name string) string {
	for _, known := range p.list {
		if strings.EqualFold(known.Name, name) {
			return known.Value
		}
	}
	return ""
}

// name returns the placeholder of a value, a new one if it has none.
func (p *Placeholders) name(label, original string) string {
	value := valueOf(label, original)
	if known := p.find(label, value); known != "" {
		return known
	}
	name := fmt.Sprintf("%s_%d]", strings.TrimSuffix(label, "]"), p.counts[label]+1)
	p.append(label, Placeholder{name, value})
	return name
}

// find returns the placeholder of a value; "" for none.
func (p *Placeholders) find(label, value string) string {
	for _, known := range p.list {
		if strings.HasPrefix(known.Name, strings.TrimSuffix(label, "]")) && same(label, known.Value, value) {
			return known.Name
		}
	}
	return ""
}

// same reports whether two values are the same: a phone number also with and without the prefix of its country.
func same(label, a, b string) bool {
	if label == Email || label == IBAN {
		clean := strings.NewReplacer(" ", "", "-", "")
		return strings.EqualFold(a, b) || label == IBAN && strings.EqualFold(clean.Replace(a), clean.Replace(b))
	}
	a, b = digitsOf(a), digitsOf(b)
	if label == Phone {
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		if min(len(a), len(b)) >= minValue && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a)) {
			return true
		}
	}
	return a == b
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return rune('0' + digit(r))
		}
		return -1
	}, s)
}

// signs are the words that stand for signs when an address is spelled out.
var signs = map[string]string{"at": "@", "ät": "@", "arroba": "@", "arobase": "@", "dot": ".", "punkt": ".", "punto": ".", "point": ".",
	"dash": "-", "hyphen": "-", "minus": "-", "underscore": "_"}

// valueOf returns a value as it is written: without the words for digits and signs.
func valueOf(label, original string) string {
	original = strings.TrimSpace(strings.ReplaceAll(original, string(turnEnd), " "))
	switch {
	case label == Email && !strings.Contains(original, "@"):
		var b strings.Builder
		for _, word := range strings.Fields(original) {
			if sign, is := signs[fold(word)]; is {
				word = sign
			}
			b.WriteString(word)
		}
		return b.String()
	case label == Email || !strings.ContainsFunc(original, unicode.IsLetter):
		return original
	}
	var b strings.Builder
	at := 0
	for _, g := range groups(original) {
		b.WriteString(letters(original[at:g.start]))
		for _, d := range g.digits {
			b.WriteByte('0' + d)
		}
		at = g.end
	}
	b.WriteString(letters(original[at:]))
	return b.String()
}

// letters returns the letters, digits and plus signs of a text.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' {
			return r
		}
		return -1
	}, s)
}

// The characters that stand for what Spans finds, one for each: of the private use area, which no text has.
const firstMark, lastMark = '\ue000', '\uf8ff'

// Spans returns where a text has personal data, alone or together with what was said before it, as ranges of bytes in order.
func Spans(before, s string) [][2]int {
	if spans := spansOf(before, s); len(spans) > 0 {
		return spans
	}
	return spansOf(before, withoutMarks(s))
}

func spansOf(before, s string) (spans [][2]int) {
	if strings.ContainsFunc(before+s, func(r rune) bool { return r >= firstMark && r <= lastMark }) {
		return [][2]int{{0, len(s)}}
	}
	var found []string
	before = strings.TrimRight(before, endMarks)
	marked := text(before+string(turnEnd)+s, "", func(_, original string) string {
		found = append(found, original)
		return string(min(firstMark+rune(len(found))-1, lastMark))
	})
	at := -len(before) - utf8.RuneLen(turnEnd) // in s
	for _, r := range marked {
		if r < firstMark || r > lastMark {
			at += utf8.RuneLen(r)
			continue
		}
		end := at + len(found[r-firstMark])
		if end > 0 {
			spans = append(spans, [2]int{max(at, 0), end})
		}
		at = end
	}
	return spans
}

// MayGrow reports whether a text may be the beginning of one in which personal data is recognised: it has a digit, or something of an
// e-mail address.
func MayGrow(s string) bool {
	return len(groups(s)) > 0 || strings.ContainsFunc(s, unicode.IsDigit) || strings.IndexByte(s, '@') >= 0 || ats.MatchString(s+" ")
}
