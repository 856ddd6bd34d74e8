package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/internal/fault"
)

// Limits of a schema.
const (
	MaxSchema      = 64 << 10 // bytes
	MaxDepth       = 8        // schemas within each other
	MaxProperties  = 100      // of all objects together
	maxExpanded    = 10_000   // schemas, each reference counted as what it refers to: bounds the time that a validation takes
	schemaLocation = "https://parley.invalid/schema.json"
)

// keywords are those of JSON Schema that an analysis may use, with the kind of value of each. What they mean, draft 2020-12 says.
var keywords = map[string]string{
	"type": "value", "enum": "value", "const": "value", "title": "value", "description": "value", "default": "value", "examples": "value",
	"minLength": "value", "maxLength": "value", "pattern": "value", "format": "value",
	"minimum": "value", "maximum": "value", "exclusiveMinimum": "value", "exclusiveMaximum": "value", "multipleOf": "value",
	"required": "value", "additionalProperties": "schema or boolean", "minItems": "value", "maxItems": "value", "uniqueItems": "value",
	"properties": "schemas", "$defs": "schemas", "items": "schema", "anyOf": "list of schemas", "$ref": "reference",
}

// reference is the form of the references that a schema may have.
var reference = regexp.MustCompile(`^#/\$defs/[A-Za-z0-9_-]{1,64}$`)

// checkSchema adds the faults of a schema, each with the path of its part.
func checkSchema(i *fault.Findings, field string, schema json.RawMessage) {
	if len(schema) > MaxSchema {
		i.Fault(field, "has %d bytes, at most %d are allowed (limit analysis_schema)", len(schema), MaxSchema)
		return
	}
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil || root == nil {
		i.Fault(field, "must be a JSON Schema of an object")
		return
	}
	before := len(i.Faults)
	if root["type"] != "object" {
		i.Fault(field+".type", "must be object")
	}
	s := schemaCheck{Findings: i}
	s.schema(field, root, 1)
	if len(i.Faults) > before {
		return
	}
	definitions, _ := root["$defs"].(map[string]any)
	e := expansion{definitions: definitions, sizes: map[string]int{}}
	if size := e.of(root); e.recursive != "" {
		i.Fault(field+".$defs."+e.recursive, "refers to itself")
		return
	} else if size > maxExpanded {
		i.Fault(field, "has more than %d schemas when its references are resolved", maxExpanded)
		return
	}
	if _, err := compile(schema); err != nil {
		i.Fault(field, "is no JSON Schema of draft 2020-12: %s", oneLine(err))
	}
}

// schemaCheck checks that a schema is of the subset.
type schemaCheck struct {
	*fault.Findings
	properties int
}

func (s *schemaCheck) schema(path string, schema map[string]any, depth int) {
	if depth > MaxDepth {
		s.Fault(path, "schemas are nested deeper than %d levels", MaxDepth)
		return
	}
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		at, value := path+"."+keyword, schema[keyword]
		switch keywords[keyword] {
		case "":
			s.Fault(at, "is not among the keywords that an analysis may use: %s", strings.Join(slices.Sorted(maps.Keys(keywords)), ", "))
		case "reference":
			if ref, _ := value.(string); !reference.MatchString(ref) {
				s.Fault(at, "must refer to a schema of the same document, such as #/$defs/address")
			}
		case "schema":
			s.one(at, value, depth)
		case "schema or boolean":
			if _, isBool := value.(bool); !isBool {
				s.one(at, value, depth)
			}
		case "schemas":
			s.named(at, keyword, value, depth)
		case "list of schemas":
			list, _ := value.([]any)
			if len(list) == 0 {
				s.Fault(at, "must be a list of schemas")
			}
			for n, item := range list {
				s.one(fmt.Sprintf("%s[%d]", at, n), item, depth)
			}
		}
	}
}

func (s *schemaCheck) one(path string, value any, depth int) {
	schema, ok := value.(map[string]any)
	if !ok {
		s.Fault(path, "must be a schema, an object")
		return
	}
	s.schema(path, schema, depth+1)
}

func (s *schemaCheck) named(path, keyword string, value any, depth int) {
	schemas, ok := value.(map[string]any)
	if !ok {
		s.Fault(path, "must be an object of schemas")
		return
	}
	if keyword == "properties" {
		before := s.properties
		s.properties += len(schemas)
		if before <= MaxProperties && s.properties > MaxProperties {
			s.Fault(path, "the schema has more than %d properties", MaxProperties)
		}
	}
	if s.properties > MaxProperties {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		s.one(path+"."+name, schemas[name], depth)
	}
}

// expansion counts the schemas of a document with each reference resolved.
type expansion struct {
	definitions map[string]any
	sizes       map[string]int // of definitions; 0 while one is counted
	recursive   string         // name of a definition that refers to itself
}

// of returns the size of a schema that schemaCheck has checked, at most maxExpanded+1.
func (e *expansion) of(schema map[string]any) int {
	size := 1
	add := func(value any) {
		if inner, ok := value.(map[string]any); ok && size <= maxExpanded {
			size += e.of(inner)
		}
	}
	for keyword, value := range schema {
		switch keyword {
		case "$ref":
			size += e.definition(strings.TrimPrefix(value.(string), "#/$defs/"))
		case "properties":
			for _, property := range value.(map[string]any) {
				add(property)
			}
		case "items", "additionalProperties":
			add(value)
		case "anyOf":
			for _, alternative := range value.([]any) {
				add(alternative)
			}
		}
	}
	return min(size, maxExpanded+1)
}

func (e *expansion) definition(name string) int {
	schema, ok := e.definitions[name].(map[string]any)
	size, counted := e.sizes[name]
	switch {
	case !ok:
		return 0 // compile reports it
	case counted && size == 0:
		e.recursive = name
		return 0
	case !counted:
		e.sizes[name] = 0
		size = e.of(schema)
		e.sizes[name] = size
	}
	return size
}

// compile returns a schema ready to validate with. It loads nothing: references to other documents are errors.
func compile(schema json.RawMessage) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(jsonschema.SchemeURLLoader{})
	compiler.AssertFormat()
	if err := compiler.AddResource(schemaLocation, document); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return compiler.Compile(schemaLocation)
}

// dataFaults returns why data does not fit a valid schema, worded for a language model; none if it does.
func dataFaults(schema, data json.RawMessage) []string {
	compiled, err := compile(schema)
	if err != nil {
		return []string{"the schema cannot be read"}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return []string{"data must be a JSON object"}
	}
	if err := compiled.Validate(value); err != nil {
		return []string{"data does not fit the schema: " + oneLine(err)}
	}
	if json.Unmarshal(data, new(any)) != nil {
		return []string{"data has a number that is out of range"} // PostgreSQL does not store it
	}
	return nil
}

// oneLine returns an error of the library without its first line, which names the schema's location, in one line.
func oneLine(err error) string {
	_, rest, several := strings.Cut(err.Error(), "\n")
	if !several {
		rest = err.Error()
	}
	return strings.ReplaceAll(strings.Join(strings.Fields(rest), " "), schemaLocation, "")
}
