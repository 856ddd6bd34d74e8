package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"parley/internal/template"
)

// Limits of the schemas within parameters.
const (
	// MaxSchemaDepth is how many schemas may be within each other, below a parameter.
	MaxSchemaDepth = 5
	// MaxSchemas is the number of nested schemas of a tool.
	MaxSchemas = 200
	// MaxProperties is the number of properties of an object.
	MaxProperties = 50
)

// Nested is the part of a schema that says what an object or an array has within it.
type Nested struct {
	Items      *ParameterSchema           `json:"items,omitempty" doc:"For an array: schema of each item. Default: any values."`
	Properties map[string]ParameterSchema `json:"properties,omitzero" doc:"For an object: its properties. Others are then not allowed. Default: any properties."`
}

// ParameterSchema is a JSON Schema within a parameter.
type ParameterSchema struct {
	Type        string            `json:"type" enum:"string,number,integer,boolean,object,array" example:"string"`
	Description string            `json:"description,omitempty" maxLength:"2000" doc:"Description of the value, for the language model." example:"Article number."`
	Enum        []json.RawMessage `json:"enum,omitzero" minItems:"1" maxItems:"100" doc:"Permitted values."`
	Nested
	Required []string `json:"required,omitzero" maxItems:"50" doc:"For an object: names of the properties that are required."`
}

// within returns the schema of a parameter's value.
func (p Parameter) within() ParameterSchema {
	return ParameterSchema{Type: p.Type, Description: p.Description, Enum: p.Enum, Nested: p.Nested, Required: p.RequiredProperties}
}

// nested checks what is within a schema. required is the field with the names of required properties.
func (i *validation) nested(path, required string, s ParameterSchema, depth int) {
	if s.Items != nil && s.Type != "array" {
		i.Fault(path+".items", "is only for the type array")
	}
	if s.Properties != nil && s.Type != "object" {
		i.Fault(path+".properties", "is only for the type object")
	}
	if len(s.Properties) > MaxProperties {
		i.Fault(path+".properties", "must have at most %d properties", MaxProperties)
		return
	}
	for n, name := range s.Required {
		if _, exists := s.Properties[name]; !exists {
			i.Fault(fmt.Sprintf("%s.%s[%d]", path, required, n), "is no property")
		}
	}
	if s.Items != nil {
		i.schema(path+".items", *s.Items, depth)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		at := path + ".properties." + name
		if !parameterForm.MatchString(name) {
			i.Fault(at, "must have a name of 1 to 64 letters, digits, underscores and hyphens, the first a letter or underscore")
			continue
		}
		i.schema(at, s.Properties[name], depth)
	}
}

// schema checks a schema within a parameter; depth counts the schemas around it.
func (i *validation) schema(path string, s ParameterSchema, depth int) {
	i.schemas++
	switch {
	case i.schemas > MaxSchemas:
		if i.schemas == MaxSchemas+1 {
			i.Fault(path, "the parameters have more than %d nested schemas", MaxSchemas)
		}
		return
	case depth >= MaxSchemaDepth:
		i.Fault(path, "schemas are nested deeper than %d levels", MaxSchemaDepth)
		return
	}
	i.Text(path+".description", s.Description, MaxDescription)
	i.typed(path, s.Type, s.Enum)
	i.nested(path, "required", s, depth+1)
}

// faults returns why a JSON value does not fit the schema, worded for a language model. name is the value's path.
func (s ParameterSchema) faults(name string, value json.RawMessage) []string {
	switch {
	case !kinds[s.Type](value):
		return []string{fmt.Sprintf("%s must be of type %s", name, s.Type)}
	case s.Enum != nil && !among(value, s.Enum):
		return []string{fmt.Sprintf("%s must be one of %s", name, bytes.Join(raw(s.Enum), []byte(", ")))}
	case s.Items != nil:
		return s.itemFaults(name, value)
	case s.Properties != nil:
		return s.propertyFaults(name, value)
	}
	return nil
}

func (s ParameterSchema) itemFaults(name string, value json.RawMessage) (faults []string) {
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		return []string{name + " must be of type array"}
	}
	for n, item := range items {
		faults = append(faults, s.Items.faults(fmt.Sprintf("%s[%d]", name, n), item)...)
	}
	return faults
}

// propertyFaults takes null for a property that is missing.
func (s ParameterSchema) propertyFaults(name string, value json.RawMessage) (faults []string) {
	var given map[string]json.RawMessage
	if json.Unmarshal(value, &given) != nil {
		return []string{name + " must be of type object"}
	}
	for _, property := range slices.Sorted(maps.Keys(s.Properties)) {
		v, exists := given[property]
		delete(given, property)
		switch missing := !exists || string(bytes.TrimSpace(v)) == "null"; {
		case missing && slices.Contains(s.Required, property):
			faults = append(faults, fmt.Sprintf("%s.%s is required", name, property))
		case !missing:
			faults = append(faults, s.Properties[property].faults(name+"."+property, v)...)
		}
	}
	for _, unknown := range slices.Sorted(maps.Keys(given)) {
		faults = append(faults, fmt.Sprintf("there is no property %s.%s", name, unknown))
	}
	return faults
}

// described is a schema as language models receive it.
type described struct {
	Type                 string               `json:"type"`
	Description          string               `json:"description,omitempty"`
	Enum                 []json.RawMessage    `json:"enum,omitempty"`
	Default              json.RawMessage      `json:"default,omitempty"`
	Items                any                  `json:"items,omitempty"`
	Properties           map[string]described `json:"properties,omitempty"`
	Required             []string             `json:"required,omitempty"`
	AdditionalProperties *bool                `json:"additionalProperties,omitempty"`
}

// describe returns the schema for language models.
func (s ParameterSchema) describe() described {
	d := described{Type: s.Type, Description: s.Description, Enum: s.Enum}
	switch {
	case s.Items != nil:
		d.Items = s.Items.describe()
	case s.Type == "array":
		d.Items = struct{}{} // any value; OpenAI rejects an array without items
	case s.Properties != nil:
		d.Properties, d.Required, d.AdditionalProperties = map[string]described{}, s.Required, new(false)
		for name, property := range s.Properties {
			d.Properties[name] = property.describe()
		}
	}
	return d
}

// typed checks type and enum of a value, and returns the canonical forms of the enum; ok is false if one cannot be checked.
func (i *validation) typed(path, kind string, enum []json.RawMessage) (given map[string]bool, ok bool) {
	is, known := kinds[kind]
	switch {
	case kind == "":
		i.Fault(path+".type", "is required")
	case !known:
		i.Fault(path+".type", "must be one of string, number, integer, boolean, object, array")
	}
	sized := enum == nil || 1 <= len(enum) && len(enum) <= MaxEnum
	if !sized {
		i.Fault(path+".enum", "must have 1 to %d items", MaxEnum)
	}
	if !known || !sized {
		return nil, false
	}
	given = map[string]bool{}
	for n, value := range enum {
		at, canonical := fmt.Sprintf("%s.enum[%d]", path, n), template.Canonical(value)
		if !is(value) {
			i.Fault(at, "must be of type %s", kind)
		} else if given[canonical] {
			i.Fault(at, "is given twice")
		}
		given[canonical] = true
	}
	return given, true
}
