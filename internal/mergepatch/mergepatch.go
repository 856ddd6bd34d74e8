// Package mergepatch applies JSON Merge Patches (RFC 7396): objects merge,
// everything else replaces, null removes.
package mergepatch

import (
	"bytes"
	"encoding/json"
	"fmt"
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

func decode(text []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return value, decoder.Decode(&value)
}

// merge is MergePatch of RFC 7396, section 2.
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
