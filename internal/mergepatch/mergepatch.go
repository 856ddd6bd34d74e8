// Package mergepatch applies JSON Merge Patches (RFC 7396): objects merge,
// everything else replaces, null removes.
package mergepatch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"parley/internal/fault"
)

// Apply returns a document as a patch leaves it. Numbers keep their digits.
func Apply(document, patch []byte) ([]byte, error) {
	target, err := decode(document)
	if err != nil {
		return nil, fmt.Errorf("read the document to patch: %w", err)
	}
	change, err := decode(patch)
	if err != nil {
		return nil, fmt.Errorf("read the patch: %w", err)
	}
	return json.Marshal(merge(target, change))
}

// Onto sets after to what a client's patch leaves of before, by way of their
// JSON; fields that are not in it then stay as they are in after. A patch that
// is no object, or that leaves a field with a value of the wrong type, is a
// validation_error.
func Onto[T any](before any, patch []byte, after *T) error {
	document, err := json.Marshal(before)
	if err != nil {
		return fmt.Errorf("write what to patch: %w", err)
	}
	text, err := Apply(document, patch)
	if err == nil {
		err = json.Unmarshal(text, after)
	}
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return fault.Invalid([]fault.Detail{{Field: wrong.Field, Message: "must not be of type " + wrong.Value}})
	}
	return fault.Invalid([]fault.Detail{{Field: "body", Message: "must be a JSON object"}})
}

func decode(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return value, decoder.Decode(&value)
}

// merge implements MergePatch of RFC 7396, section 2.
func merge(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for name, change := range changes {
		if change == nil {
			delete(object, name)
		} else {
			object[name] = merge(object[name], change)
		}
	}
	return object
}
