// Package redact replaces personal data in text: phone numbers, e-mail addresses, payment card numbers and bank account numbers (IBAN).
//
// It decides by form and by the preceding words: digits after "order" are not a phone number, those after "call me
// at" are. It scans a text once from left to right, in linear time.
package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Replacement texts.
const (
	Phone = "[phone]"
	Email = "[email]"
	Card  = "[card]"
	IBAN  = "[iban]"
)

// replace returns the replacement of a part of a text that is personal data; label is one of the replacement texts.
type replace func(label, original string) string

func byLabel(label, _ string) string { return label }

// Text redacts a text.
func Text(s string) string { return text(s, "", byLabel) }

// text redacts a text; before is the text that precedes it.
func text(s, before string, by replace) string {
	return numbers(ibans(emails(s, by), by), before, by)
}

// JSON redacts all texts of a JSON value, field names included, and numbers that would be redacted as text. A
// field's name counts as the words before its value. An unchanged value is returned byte for byte; invalid JSON is
// redacted as text and returned as a JSON string.
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

// value redacts a decoded value under a field's name.
func value(v any, name string) (masked any, changed bool) {
	switch v := v.(type) {
	case string:
		m := text(v, name, byLabel)
		return m, m != v
	case json.Number:
		// Ten digits are as likely an amount or an id as a phone number.
		if m := text(v.String(), name, byLabel); m != v.String() && (m != Phone || said(name) == calls) {
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

// words splits a name such as callbackNumber or order_id.
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
