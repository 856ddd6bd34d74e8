package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/template"
)

// arguments validates the arguments of a call: {{params.*}}. Errors are worded so that the model can correct them.
// null counts as missing.
func (c Config) arguments(given json.RawMessage) (params map[string]any, faults []string) {
	values := map[string]json.RawMessage{}
	if text := bytes.TrimSpace(given); len(text) > 0 && string(text) != "null" {
		if json.Unmarshal(text, &values) != nil {
			return nil, []string{"the arguments must be a JSON object"}
		}
	}
	params = map[string]any{}
	for _, p := range c.Parameters {
		value, exists := values[p.Name]
		delete(values, p.Name)
		if !exists || string(bytes.TrimSpace(value)) == "null" {
			value = p.Default
		}
		switch {
		case value == nil && p.Required:
			faults = append(faults, p.Name+" is required")
		case value == nil:
		default:
			problems := p.within().faults(p.Name, value)
			faults = append(faults, problems...)
			if len(problems) == 0 {
				params[p.Name] = decoded(value)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		faults = append(faults, fmt.Sprintf("there is no parameter %s", name))
	}
	return params, faults
}

func raw(values []json.RawMessage) (texts [][]byte) {
	for _, v := range values {
		texts = append(texts, v)
	}
	return texts
}

// decoded returns a JSON value for templates, with numbers unchanged; nil for invalid JSON.
func decoded(value []byte) any {
	tree, err := template.Decode(value)
	if err != nil {
		return nil
	}
	return tree
}

// mend returns the result that asks a model to correct its call.
func mend(faults []string) string {
	return "The function was not run: " + strings.Join(faults, "; ") + ". Call it again with arguments that fit, or ask the caller."
}
