package call

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// sanitize replaces characters in texts of providers and tools that PostgreSQL cannot store or that break a
// transcript's display.
func (r *Records) sanitize() {
	for i := range r.Entries {
		e := &r.Entries[i]
		e.Content, e.ToolCall = sanitizeText(e.Content), sanitizeJSON(e.ToolCall)
	}
	for i := range r.Errors {
		e := &r.Errors[i]
		e.Message, e.Details = sanitizeText(e.Message), sanitizeJSON(e.Details)
	}
	for i := range r.Transfers {
		r.Transfers[i].Summary = sanitizeText(r.Transfers[i].Summary)
	}
}

var lines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// sanitizeText replaces control characters other than line feeds and tabs, and invalid UTF-8, with U+FFFD.
func sanitizeText(text string) string {
	text = strings.ToValidUTF8(text, string(utf8.RuneError))
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return utf8.RuneError
		}
		return r
	}, lines.Replace(text))
}

// sanitizeJSON replaces what valid JSON may contain and PostgreSQL does not store with U+FFFD: the character NUL,
// unpaired surrogates, and invalid UTF-8.
func sanitizeJSON(encoded json.RawMessage) json.RawMessage {
	if utf8.Valid(encoded) && !bytes.Contains(encoded, []byte(`\u`)) {
		return encoded
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return encoded
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(withoutNUL(v)); err != nil { // a decoded value always encodes
		return encoded
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func withoutNUL(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "\x00", string(utf8.RuneError))
	case []any:
		for i := range v {
			v[i] = withoutNUL(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, of := range v {
			clean[strings.ReplaceAll(name, "\x00", string(utf8.RuneError))] = withoutNUL(of)
		}
		return clean
	}
	return v
}
