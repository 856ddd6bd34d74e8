package mcpserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The pages of tools are smaller than the API's: a model reads all of them.
const (
	defaultPage = 10
	maxPage     = 50
)

// inputSchema is the JSON Schema of a tool's arguments: the operation's parameters and the fields of its body, side by side.
type inputSchema struct {
	schemas     object // of the description, by name
	properties  object
	required    []any
	definitions object
}

// add adds an argument.
func (s *inputSchema) add(name string, schema object, required bool) error {
	if _, taken := s.properties[name]; taken {
		return fmt.Errorf("two arguments are named %s", name)
	}
	s.properties[name] = s.convert(schema)
	if required {
		s.required = append(s.required, name)
	}
	return nil
}

// addBody adds the fields of a body; nil adds none.
func (s *inputSchema) addBody(body object) error {
	if name, refers := reference(body); refers {
		body, _ = s.schemas[name].(object)
	}
	fields, _ := body["properties"].(object)
	required, _ := body["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		schema, _ := fields[name].(object)
		if err := s.add(name, schema, slices.Contains(required, any(name))); err != nil {
			return err
		}
	}
	return nil
}

func (s *inputSchema) schema() object {
	made := object{"type": "object", "properties": s.properties}
	if len(s.required) > 0 {
		made["required"] = s.required
	}
	if len(s.definitions) > 0 {
		made["$defs"] = s.definitions
	}
	return made
}

// convert returns a schema of OpenAPI 3.0 as JSON Schema 2020-12. Examples are left out: the descriptions have the rules.
func (s *inputSchema) convert(schema object) object {
	made := object{}
	for keyword, value := range schema {
		switch keyword {
		case "example", "nullable":
		case "$ref":
			name, _ := reference(schema)
			s.define(name)
			made[keyword] = "#/$defs/" + name
		case "properties", "patternProperties":
			made[keyword] = s.convertEach(value)
		case "enum", "default", "required":
			made[keyword] = value
		default:
			made[keyword] = s.convertAny(value)
		}
	}
	if kind, ok := made["type"].(string); ok && schema["nullable"] == true {
		made["type"] = []any{kind, "null"}
		if values, ok := made["enum"].([]any); ok && !slices.Contains(values, nil) {
			made["enum"] = append(slices.Clone(values), nil)
		}
	}
	return made
}

// convertEach converts the schemas of named properties.
func (s *inputSchema) convertEach(value any) object {
	made := object{}
	properties, _ := value.(object)
	for name, property := range properties {
		made[name] = s.convertAny(property)
	}
	return made
}

func (s *inputSchema) convertAny(value any) any {
	switch value := value.(type) {
	case object:
		return s.convert(value)
	case []any:
		made := make([]any, len(value))
		for i := range value {
			made[i] = s.convertAny(value[i])
		}
		return made
	}
	return value
}

// define adds a schema of the description to the definitions, once.
func (s *inputSchema) define(name string) {
	if _, defined := s.definitions[name]; defined {
		return
	}
	s.definitions[name] = true // a schema that refers to itself ends here
	schema, _ := s.schemas[name].(object)
	s.definitions[name] = s.convert(schema)
}

// reference returns the name of the schema that a schema refers to.
func reference(schema object) (name string, refers bool) {
	text, _ := schema["$ref"].(string)
	return strings.CutPrefix(text, "#/components/schemas/")
}

// pageSize returns the schema of a parameter that is the size of a page; nil for any other.
func pageSize(p parameterText) object {
	if p.Name != "limit" && p.Name != "page_size" {
		return nil
	}
	schema := maps.Clone(p.Schema)
	schema["default"], schema["maximum"] = defaultPage, maxPage
	return schema
}

// slicing are the arguments that select a page of a list that an operation answers as a whole.
func slicing() object {
	return object{
		"limit": object{"type": "integer", "minimum": 1, "maximum": maxPage, "default": defaultPage,
			"description": "Maximum number of entries to return."},
		"offset": object{"type": "integer", "minimum": 0, "default": 0, "description": "Number of entries to skip."},
	}
}
