package main

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"
)

type schema struct {
	Ref                  string             `json:"$ref"`
	AllOf                []schema           `json:"allOf"`
	OneOf                []schema           `json:"oneOf"`
	Type                 string             `json:"type"`
	Format               string             `json:"format"`
	Nullable             bool               `json:"nullable"`
	Title                string             `json:"title"`
	Description          string             `json:"description"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	Items                *schema            `json:"items"`
	Enum                 []any              `json:"enum"`
	AdditionalProperties any                `json:"additionalProperties"`
}

// ref is the name of the schema that another refers to, "" for none.
func (s *schema) ref() string {
	if len(s.AllOf) == 1 {
		return s.AllOf[0].ref()
	}
	if s.Ref == "" {
		return ""
	}
	return path.Base(s.Ref)
}

// values is the schema of the values of an object without properties of its own, nil for any.
func (s *schema) values() *schema {
	values, ok := s.AdditionalProperties.(map[string]any)
	if !ok {
		return nil
	}
	var decoded schema
	encoded, err := json.Marshal(values)
	if err != nil || json.Unmarshal(encoded, &decoded) != nil {
		return nil
	}
	return &decoded
}

// has reports whether an object has these properties and no others.
func (s *schema) has(properties ...string) bool {
	for _, p := range properties {
		if s.Properties[p] == nil {
			return false
		}
	}
	return len(s.Properties) == len(properties)
}

type parameter struct {
	Name   string `json:"name"`
	In     string `json:"in"`
	Schema schema `json:"schema"`
}

type content map[string]struct {
	Schema   schema                     `json:"schema"`
	Examples map[string]json.RawMessage `json:"examples"`
}

type operation struct {
	ID          string      `json:"operationId"`
	Summary     string      `json:"summary"`
	Parameters  []parameter `json:"parameters"`
	RequestBody struct {
		Content  content `json:"content"`
		Required bool    `json:"required"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content content `json:"content"`
	} `json:"responses"`

	method, path string
}

type document struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

// operation returns an operation by its id.
func (d document) operation(id string) (operation, bool) {
	for path, operations := range d.Paths {
		for method, o := range operations {
			if o.ID == id {
				o.method, o.path = method, path
				return o, true
			}
		}
	}
	return operation{}, false
}

// answer is the schema of an operation's successful answer, nil for none.
func (o operation) answer() *schema {
	for status, r := range o.Responses {
		if c, ok := r.Content["application/json"]; ok && status < "300" {
			return &c.Schema
		}
	}
	return nil
}

// in returns the parameters at a place: those of the path as they stand there, others in order of their names.
func (o operation) in(place string) (found []parameter) {
	for _, p := range o.Parameters {
		if p.In == place {
			found = append(found, p)
		}
	}
	at := func(p parameter) int { return strings.Index(o.path, "{"+p.Name+"}") }
	slices.SortFunc(found, func(a, b parameter) int { return cmp.Or(cmp.Compare(at(a), at(b)), cmp.Compare(a.Name, b.Name)) })
	return found
}
