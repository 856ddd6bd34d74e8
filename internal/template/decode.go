package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Decode parses one JSON value for a Scope: numbers are json.Number and keep their digits.
func Decode(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON value")
	}
	return value, nil
}

// DecodeObject is like Decode, for a JSON object; null is nil.
func DecodeObject(text []byte) (map[string]any, error) {
	value, err := Decode(text)
	if err != nil || value == nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("not a JSON object")
	}
	return object, nil
}

// Canonical returns a JSON text so that two texts with the same value have the same one: white space, field order and
// number notation are ignored, digits are not. Invalid JSON is returned as it is.
func Canonical(text []byte) string {
	value, err := Decode(text)
	if err != nil {
		return string(text)
	}
	return Text(canonical([]any{value})) // in a list, for a text and the text of a number are not the same
}

// canonical writes the numbers in a value in their common notation.
func canonical(value any) any {
	switch v := value.(type) {
	case json.Number:
		if d, ok := parseDecimal(v.String()); ok {
			return d.value()
		}
	case []any:
		for i := range v {
			v[i] = canonical(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = canonical(v[name])
		}
	}
	return value
}

// Same reports whether two JSON texts represent the same value, as Canonical does.
func Same(a, b []byte) bool { return Canonical(a) == Canonical(b) }

// PlainNumber returns a number in the common notation of its value: 100000 for 1E5, 0.1 for 0.10, 0 for -0. ok is
// false for a text that is not a number.
func PlainNumber(text string) (plain string, ok bool) {
	d, ok := parseDecimal(text)
	return d.value().String(), ok
}

// WholeNumber reports whether a text is a number without a fraction.
func WholeNumber(text string) bool {
	d, ok := parseDecimal(text)
	return ok && d.whole()
}
