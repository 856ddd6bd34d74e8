package tool

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/template"
)

// masked replaces a value of the caller's context.
const masked = "***"

const (
	// minMasked is the minimum length of a value that is masked, in characters: a shorter one, such as a language or a yes, is as
	// likely a word of its own.
	minMasked = 6
	// minSecret is that of a value whose name says that it is a credential, within a longer text; a shorter one is masked as a whole text.
	minSecret = 4
)

// credential matches names of values that are credentials, whatever their length.
var credential = regexp.MustCompile(`(?i)pass|secret|token|key|pin$|^pin|code|cvv|cvc|otp|auth`)

// Mask masks the values of a call's user_context in what is stored or logged, because they may be credentials. The
// zero value masks nothing.
type Mask struct {
	whole  map[string]bool // numbers as they are written, and in plain notation
	long   []string        // those that are masked within longer texts, sorted
	within *strings.Replacer
}

// NewMask returns the mask of a user_context: its values of minMasked characters or more, and those whose names say that they are credentials.
func NewMask(user map[string]any) Mask {
	m := Mask{whole: map[string]bool{}}
	var gather func(value any, least int)
	gather = func(value any, least int) {
		switch v := value.(type) {
		case nil, bool:
			return
		case map[string]any:
			for name, inner := range v {
				if credential.MatchString(name) {
					gather(inner, 1)
				} else {
					gather(inner, least)
				}
			}
			return
		case []any:
			for _, inner := range v {
				gather(inner, least)
			}
			return
		}
		text := template.Text(value)
		m.add(text, least)
		if _, isText := value.(string); isText {
			m.add(strings.Join(strings.Fields(text), " "), least) // vendors' messages are put on one line
		} else if plain, ok := template.PlainNumber(text); ok {
			m.add(plain, least)
		}
	}
	gather(user, minMasked)
	slices.SortFunc(m.long, func(a, b string) int { return len(b) - len(a) }) // the longest match wins
	var pairs []string
	for _, text := range m.long {
		pairs = append(pairs, text, masked)
	}
	m.within = strings.NewReplacer(pairs...)
	slices.Sort(m.long)
	return m
}

func (m *Mask) add(text string, least int) {
	length := utf8.RuneCountInString(text)
	if strings.TrimSpace(text) == "" || m.whole[text] || length < least {
		return
	}
	m.whole[text] = true
	if length >= minSecret {
		m.long = append(m.long, text)
	}
}

// Text masks a text.
func (m Mask) Text(text string) string {
	switch {
	case m.within == nil:
		return text
	case m.whole[text]:
		return masked
	}
	return m.cutOff(m.within.Replace(text))
}

// cutOff masks the rest of a value at the end of a truncated message: what stands before … and begins a value.
func (m Mask) cutOff(text string) string {
	if !strings.Contains(text, "…") {
		return text
	}
	parts := strings.Split(text, "…")
	for n, part := range parts[:len(parts)-1] {
		for at := 0; at+minSecret <= len(part); at++ {
			if m.begins(part[at:]) {
				parts[n] = part[:at] + masked
				break
			}
		}
	}
	return strings.Join(parts, "…")
}

// begins reports whether a value begins with a text, and is longer.
func (m Mask) begins(text string) bool {
	at, whole := slices.BinarySearch(m.long, text)
	if whole {
		at++
	}
	return at < len(m.long) && strings.HasPrefix(m.long[at], text)
}

// JSON masks the texts and numbers within a JSON value. Invalid JSON becomes an empty object.
func (m Mask) JSON(value json.RawMessage) json.RawMessage {
	tree := decoded(value)
	if tree == nil {
		return json.RawMessage("{}")
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(m.tree(tree)) != nil {
		return json.RawMessage("{}")
	}
	return bytes.TrimSpace(b.Bytes())
}

func (m Mask) tree(value any) any {
	switch v := value.(type) {
	case string:
		return m.Text(v)
	case json.Number:
		if plain, _ := template.PlainNumber(v.String()); m.whole[v.String()] || m.whole[plain] {
			return masked
		}
	case []any:
		for i := range v {
			v[i] = m.tree(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = m.tree(v[name])
		}
	}
	return value
}
