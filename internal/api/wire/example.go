package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/internal/mergepatch"
)

// Term is the description and example of all fields of a name. A field's own doc and example tags have precedence.
type Term struct {
	Doc     string
	Example any
	Null    bool // the example is null
}

// DescriptionTexts are what the description says beside the fields' own tags.
type DescriptionTexts struct {
	Terms         map[string]Term     // by the field's name, or by schema and name
	Examples      map[string]string   // JSON, by schema
	ExampleFields map[string][]string // optional fields that examples have, by the name of the schema
	Amendments    map[string]string   // merged (RFC 7396) into examples, by operation, or by operation and status
	Problems      ProblemTexts
	Resources     map[string]string // name of the resource of a schema, for CommonTerms
	CommonTerms   map[string]string // descriptions of fields that most resources have; %s is the resource
}

// description is the lowered description of the API, as JSON has it.
type description struct {
	document map[string]any
	texts    *DescriptionTexts
}

// unsaid is the placeholder of a text without an example; an example that contains it is dropped.
const unsaid = "…"

// explain gives every field of every schema a description: its own, or that of
// its term. Beside a reference OpenAPI 3.0 reads nothing, so there the
// reference is wrapped.
func (d description) explain() {
	for name, s := range d.schemas() {
		d.explainFields(name, s)
	}
	d.eachMedia(func(_, _ string, media map[string]any) { d.explainFields("", media["schema"]) })
}

func (d description) explainFields(of string, schema any) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	properties, _ := s["properties"].(map[string]any)
	for name, property := range properties {
		p := property.(map[string]any)
		t, known := d.texts.Terms[of+"."+name]
		if !known {
			t = d.texts.Terms[name]
		}
		if doc := cmp.Or(t.Doc, d.texts.Terms[name].Doc); p["description"] == nil && doc != "" {
			if common, resource := d.texts.CommonTerms[name], d.texts.Resources[of]; doc == d.texts.Terms[name].Doc && common != "" && resource != "" {
				doc = fmt.Sprintf(common, resource)
			}
			p["description"] = doc
		}
		switch {
		case t.Null:
			p["example"] = nil
		case t.Example != nil && allows(p, t.Example) && (p["example"] == nil || p["format"] == "date-time"):
			p["example"] = t.Example
		}
		if ref, refers := p["$ref"].(string); refers && len(p) > 1 {
			delete(p, "$ref")
			p["allOf"] = []any{map[string]any{"$ref": ref}}
			p["type"] = d.schemas()[named(ref)].(map[string]any)["type"]
		}
		d.explainFields("", p)
	}
	d.explainFields("", s["items"])
	d.explainFields("", s["additionalProperties"])
	for _, key := range []string{"allOf", "oneOf"} {
		parts, _ := s[key].([]any)
		for _, part := range parts {
			d.explainFields("", part)
		}
	}
}

// allows reports whether a value is of a schema's type, and one of those that
// it lists.
func allows(s map[string]any, value any) bool {
	if listed, ok := s["enum"].([]any); ok {
		return slices.Contains(listed, value)
	}
	kind := s["type"]
	switch value := value.(type) {
	case string:
		most, bounded := s["maxLength"].(float64)
		return kind == "string" && s["pattern"] == nil && (!bounded || len(value) <= int(most))
	case bool:
		return kind == "boolean"
	case int:
		return kind == "integer" || kind == "number"
	case float64:
		return kind == "number"
	case []any:
		return kind == "array"
	}
	return kind == "object"
}

// illustrate gives every request body and every answer of success an example.
func (d description) illustrate() error {
	var problem error
	d.eachMedia(func(id, status string, media map[string]any) {
		schema, _ := media["schema"].(map[string]any)
		if schema == nil || media["example"] != nil || schema["format"] == "binary" || status != "" && status[0] != '2' {
			return
		}
		example, err := d.amended(strings.TrimSpace(id+" "+status), d.example(schema, nil))
		if err != nil && problem == nil {
			problem = fmt.Errorf("make an example of %s: %w", id, err)
		}
		if text, err := json.Marshal(example); err == nil && !bytes.Contains(text, []byte(`"`+unsaid+`"`)) {
			media["example"] = json.RawMessage(text)
		}
	})
	return problem
}

// amended returns an example with what the amendments say of a place.
func (d description) amended(place string, example any) (any, error) {
	patch, known := d.texts.Amendments[place]
	if !known {
		return example, nil
	}
	before, err := json.Marshal(example)
	if err != nil {
		return nil, err
	}
	after, err := mergepatch.Apply(before, []byte(patch))
	if err != nil {
		return nil, err
	}
	return json.RawMessage(after), nil
}

// example returns a value that a schema permits, from its fields' examples. Optional fields without one are left
// out. within are the enclosing schemas, where recursion ends.
func (d description) example(s map[string]any, within []string) any {
	if ref, ok := s["$ref"].(string); ok {
		name := named(ref)
		if slices.Contains(within, name) {
			return nil
		}
		if whole, ok := d.texts.Examples[name]; ok {
			return json.RawMessage(whole)
		}
		return d.example(d.schemas()[name].(map[string]any), append(slices.Clone(within), name))
	}
	for _, key := range []string{"example", "default"} {
		if given, ok := s[key]; ok {
			return given
		}
	}
	if allowed, _ := s["enum"].([]any); len(allowed) > 0 {
		return allowed[0]
	}
	for _, key := range []string{"allOf", "oneOf"} {
		if parts, _ := s[key].([]any); len(parts) > 0 {
			return d.example(parts[0].(map[string]any), within)
		}
	}
	if s["nullable"] == true {
		return nil
	}
	switch s["type"] {
	case "object":
		return d.exampleObject(s, within)
	case "array":
		if item := d.example(s["items"].(map[string]any), within); item != nil {
			return []any{item}
		}
		return []any{}
	case "boolean":
		return false
	case "integer", "number":
		if least, ok := s["minimum"]; ok {
			return least
		}
		return 0
	}
	switch s["format"] {
	case "uuid":
		return "0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12"
	case "date-time":
		return "2026-11-01T09:30:00.123456Z"
	}
	return unsaid
}

func (d description) exampleObject(s map[string]any, within []string) any {
	made := map[string]any{}
	required, _ := s["required"].([]any)
	var shown []string
	if len(within) > 0 {
		shown = d.texts.ExampleFields[within[len(within)-1]]
	}
	properties, _ := s["properties"].(map[string]any)
	for name, property := range properties {
		p := property.(map[string]any)
		if slices.Contains(required, any(name)) || slices.Contains(shown, name) || p["example"] != nil || p["default"] != nil || p["enum"] != nil {
			made[name] = d.example(p, within)
		}
	}
	return made
}

// named returns the name of the schema that a reference refers to.
func named(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

func (d description) schemas() map[string]any {
	components, _ := d.document["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	return schemas
}

// eachMedia visits the bodies of all operations: of a request with the status
// "", of the answers with theirs.
func (d description) eachMedia(visit func(id, status string, media map[string]any)) {
	visitContent := func(id, status string, body any) {
		b, _ := body.(map[string]any)
		content, _ := b["content"].(map[string]any)
		for _, media := range content {
			visit(id, status, media.(map[string]any))
		}
	}
	paths, _ := d.document["paths"].(map[string]any)
	for _, item := range paths {
		for _, operation := range item.(map[string]any) {
			op, ok := operation.(map[string]any)
			if !ok {
				continue
			}
			id, _ := op["operationId"].(string)
			visitContent(id, "", op["requestBody"])
			responses, _ := op["responses"].(map[string]any)
			for status, response := range responses {
				visitContent(id, status, response)
			}
		}
	}
}
