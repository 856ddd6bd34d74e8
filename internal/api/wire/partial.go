package wire

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// Partial describes a partial update of what a type's schema describes: no
// field is required, in objects within it neither, and null removes, an entry of
// a map too. Items of arrays stay whole, for an array replaces another. Fields
// left out of the update are named.
func Partial(r huma.Registry, of reflect.Type, without ...string) *huma.Schema {
	return partialSchema(r, r.Schema(of, true, ""), without)
}

func partialSchema(r huma.Registry, s *huma.Schema, without []string) *huma.Schema {
	for s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	relaxed := *s
	if each, ok := s.AdditionalProperties.(*huma.Schema); ok {
		entry := partialSchema(r, each, nil)
		entry.Nullable = entry.Type != ""
		relaxed.AdditionalProperties = entry
	}
	if s.Type != huma.TypeObject || len(s.Properties) == 0 {
		return &relaxed
	}
	relaxed.Required = nil
	relaxed.Properties = map[string]*huma.Schema{}
	for name, property := range s.Properties {
		if slices.Contains(without, name) {
			continue
		}
		changed := partialSchema(r, property, nil)
		changed.Nullable = changed.Type != "" && !slices.Contains(s.Required, name)
		relaxed.Properties[name] = changed
	}
	return &relaxed
}

// OptionalParam is a query parameter that reports whether it was given.
type OptionalParam[T any] struct {
	Value T
	Given bool
}

// Schema describes the value.
func (OptionalParam[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// Receiver returns the value that huma sets.
func (o *OptionalParam[T]) Receiver() reflect.Value { return reflect.ValueOf(&o.Value).Elem() }

// OnParamSet is called when the value is set.
func (o *OptionalParam[T]) OnParamSet(given bool, _ any) { o.Given = given }

// Pointer returns nil for a parameter that was not given.
func (o OptionalParam[T]) Pointer() *T {
	if !o.Given {
		return nil
	}
	return &o.Value
}
