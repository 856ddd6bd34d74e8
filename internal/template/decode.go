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

// Same reports whether two JSON texts represent the same value: white space, field order and number notation are
// ignored, digits are not. Invalid JSON is compared as text.
func Same(a, b []byte) bool {
	x, err := Decode(a)
	if err != nil {
		return bytes.Equal(a, b)
	}
	y, err := Decode(b)
	return err == nil && same(x, y)
}

func same(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		if !ok {
			return false
		}
		m, _ := number(x) // decoded numbers are numbers
		n, _ := number(y)
		return m == n
	case []any, map[string]any:
		return equalElements(a, b, same)
	}
	return a == b
}

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
