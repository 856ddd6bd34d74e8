// Package template resolves {{path}} and {{path | "default"}} references in texts, and conditions over the same paths.
//
// A path starts at a source (user, call, params, workflow, flags, now, today) and leads through objects and arrays: user.name,
// user.orders[0].id, user.orders.0.id. Values are data: {{…}} in a value is not rendered.
package template

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Object is a value that resolves its own fields.
type Object interface {
	Field(name string) (value any, found bool)
}

// Scope holds the sources, keyed by name. Values are what encoding/json decodes into
// an any, json.Number included, or an Object; a fmt.Stringer is rendered as its String.
type Scope map[string]any

// A path's first segment is a name; later ones may be numbers, in brackets or
// after a dot. Hyphens belong to names.
const pathPattern = `[\p{L}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_-]+|\[[0-9]+\])*`

const referencePattern = `\{\{\s*(` + pathPattern + `)\s*(?:\|\s*(?:"([^"{}]*)"|'([^'{}]*)')\s*)?\}\}`

var (
	reference = regexp.MustCompile(referencePattern)
	onePath   = regexp.MustCompile(`^(?:` + referencePattern + `|(` + pathPattern + `))$`)
)

// Path returns the path in a text, bare, as {{path}} or {{path | "default"}}, and whether it is one.
func Path(text string) (path string, ok bool) {
	m := onePath.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", false
	}
	return m[1] + m[4], true
}

// Lookup resolves a path. A missing path is not found; null is found.
func (s Scope) Lookup(path string) (value any, found bool) {
	segments := segments(path)
	value, found = s[segments[0]]
	for _, segment := range segments[1:] {
		if !found {
			return nil, false
		}
		value, found = step(value, segment)
	}
	return value, found
}

// IsFlag reports whether a path leads to a flag, which has no value until a tool sets it.
func IsFlag(path string) bool { return strings.HasPrefix(path, "flags.") }

// segments splits a path that matches pathPattern.
func segments(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '.' || r == '[' || r == ']' })
}

// step goes from an object to a key's value, or from an array to an element.
func step(value any, segment string) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		next, ok := v[segment]
		return next, ok
	case []any:
		i, err := strconv.Atoi(segment)
		if err != nil || i < 0 || i >= len(v) {
			return nil, false
		}
		return v[i], true
	case Object:
		return v.Field(segment)
	default:
		return nil, false
	}
}

// Text returns a value as text: strings unchanged, null as "", everything else as compact JSON.
func Text(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case fmt.Stringer: // a json.Number, or a source's own kind of value
		return v.String()
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "" // no JSON value: there is nothing to show
	}
	return strings.TrimSuffix(b.String(), "\n")
}
