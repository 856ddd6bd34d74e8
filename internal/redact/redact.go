// Package redact masks what identifies people in text that is to be kept:
// phone numbers, e-mail addresses and payment card numbers.
//
// It looks at form, not at meaning, and at what stands just before: a run of
// digits after "order" is no phone number, one after "call me at" is. It reads
// a text once from left to right, so that its time grows with the text's length
// and with nothing else.
package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// What stands where something was masked.
const (
	Phone = "[phone]"
	Email = "[email]"
	Card  = "[card]"
)

// Text masks a text.
func Text(s string) string { return text(s, "") }

// text masks a text; before is what stands before it.
func text(s, before string) string {
	return numbers(emails(s), before)
}

// JSON masks all texts of a JSON value, names of fields included, and numbers
// that would be masked as text. A field's name says what its value is, as words
// before it would. What changes nothing is returned as it is, to the byte; what
// is no JSON is masked as text and becomes a JSON string.
func JSON(encoded json.RawMessage) json.RawMessage {
	if len(encoded) == 0 {
		return encoded
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil || decoder.More() {
		return quote(Text(string(encoded)))
	}
	masked, changed := value(v, "")
	if !changed {
		return encoded
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(masked); err != nil { // a decoded value always encodes
		return quote(Text(string(encoded)))
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func quote(s string) json.RawMessage {
	quoted, _ := json.Marshal(s) // a string always encodes
	return quoted
}

// value masks a decoded value under a field's name.
func value(v any, name string) (masked any, changed bool) {
	switch v := v.(type) {
	case string:
		m := text(v, name)
		return m, m != v
	case json.Number:
		// Ten digits are an amount or an id as likely as a phone number.
		if m := text(v.String(), name); m != v.String() && (m != Phone || said(name) == calls) {
			return m, true
		}
	case []any:
		for i := range v {
			m, c := value(v[i], name)
			v[i], changed = m, changed || c
		}
		return v, changed
	case map[string]any:
		for key, inner := range v {
			m, c := value(inner, words(key))
			k := Text(key)
			if k != key {
				delete(v, key)
				c = true
			}
			v[k], changed = m, changed || c
		}
		return v, changed
	}
	return v, false
}

// words parts a name such as callbackNumber or order_id.
func words(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case r == '_' || r == '-' || r == '.':
			b.WriteByte(' ')
			lower = false
			continue
		case r >= 'A' && r <= 'Z' && lower:
			b.WriteByte(' ')
		}
		lower = r < 'A' || r > 'Z'
		b.WriteRune(r)
	}
	b.WriteByte(' ')
	return b.String()
}
