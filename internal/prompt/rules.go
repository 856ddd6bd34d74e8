package prompt

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley/internal/fault"
)

// Limits, in characters where texts are meant.
const (
	MaxName        = 255
	MaxDescription = 2000
	MaxText        = 100_000 // of one language
	MaxLanguages   = 50
	MaxVariables   = 100
	MaxMetadata    = 64 << 10 // bytes of JSON
	MaxDefault     = 4 << 10  // bytes of JSON, of a variable's default
	MaxImport      = 1000     // templates per import
)

// The forms of names, as regular expressions.
const (
	SlugPattern     = `^[a-z0-9][a-z0-9_-]{0,99}$`
	LanguagePattern = `^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$`
)

var (
	slugForm     = regexp.MustCompile(SlugPattern)
	languageForm = regexp.MustCompile(LanguagePattern)
	variableForm = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_-]*(\.[\p{L}\p{N}_-]+)*$`) // a path
	typeForm     = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
)

// reserved slugs are routes beside /api/v1/prompts/{slug}.
var reserved = []string{"import", "export"}

// validation collects the faults of a template.
type validation struct {
	fault.Findings
	found fault.Found // before the rules
}

func (i *validation) slug(slug string) {
	switch {
	case slug == "":
		i.Fault("slug", "is required")
	case !slugForm.MatchString(slug):
		i.Fault("slug", "must be 1 to 100 lowercase letters, digits, hyphens and underscores, the first a letter or digit")
	case slices.Contains(reserved, slug):
		i.Fault("slug", "is reserved")
	}
}

func (i *validation) body(b Body) {
	if strings.TrimSpace(b.Name) == "" {
		i.Fault("name", "is required")
	}
	i.Text("name", b.Name, MaxName)
	if b.Description != nil {
		i.Text("description", *b.Description, MaxDescription)
	}
	if !slices.Contains(Categories, b.Category) {
		i.Fault("category", "must be one of %s", strings.Join(Categories, ", "))
	}
	switch {
	case len(b.Content) == 0 && i.found.Inside(i.At+"content"): // no text that could be read
	case len(b.Content) == 0:
		i.Fault("content", "needs a text in at least one language")
	case len(b.Content) > MaxLanguages:
		i.Fault("content", "must have at most %d languages", MaxLanguages)
	default:
		for _, code := range slices.Sorted(maps.Keys(b.Content)) {
			if !languageForm.MatchString(code) {
				i.Fault("content."+code, "must stand under a language code such as en or pt-BR")
				continue
			}
			if strings.TrimSpace(b.Content[code]) == "" {
				i.Fault("content."+code, "must not be empty")
			}
			i.Text("content."+code, b.Content[code], MaxText)
		}
	}
	i.variables(b.Variables)
	if size := metadataSize(b.Metadata); size > MaxMetadata {
		i.Fault("metadata", "has %d bytes, at most %d are allowed", size, MaxMetadata)
	}
}

func metadataSize(metadata map[string]json.RawMessage) (size int) {
	for name, value := range metadata {
		size += len(name) + len(value) + len(`"":,`)
	}
	return size
}

func (i *validation) variables(variables []Variable) {
	if !i.Count("variables", len(variables), MaxVariables) {
		return
	}
	seen := map[string]bool{}
	for n, v := range variables {
		at := fmt.Sprintf("variables[%d].", n)
		switch {
		case v.Name == "":
			i.Fault(at+"name", "is required")
		case !variableForm.MatchString(v.Name) || len(v.Name) > MaxName:
			i.Fault(at+"name", "must be a path such as customer_name or user.name")
		case seen[v.Name]:
			i.Fault(at+"name", "is given twice")
		}
		seen[v.Name] = true
		switch {
		case v.Type == "":
			i.Fault(at+"type", "is required")
		case !typeForm.MatchString(v.Type):
			i.Fault(at+"type", "must be 1 to 64 lowercase letters, digits and underscores, the first a letter")
		case len(v.Default) > MaxDefault:
			i.Fault(at+"default", "has %d bytes, at most %d are allowed", len(v.Default), MaxDefault)
		case v.Default != nil && !ofType(v.Default, v.Type):
			i.Fault(at+"default", "must be of type %s", v.Type)
		}
	}
}

// ofType reports whether a JSON value is of a type; it is of every type that is
// not known here.
func ofType(value json.RawMessage, kind string) bool {
	begins := func(with string) bool { return len(value) > 0 && strings.IndexByte(with, value[0]) >= 0 }
	switch kind {
	case "string":
		return begins(`"`)
	case "number":
		return begins("-0123456789")
	case "integer":
		return begins("-0123456789") && !strings.ContainsAny(string(value), ".eE")
	case "boolean":
		return begins("tf")
	case "object":
		return begins("{")
	case "array":
		return begins("[")
	}
	return true
}

// tidy normalizes null and empty lists of optional values to absent ones.
func (b *Body) tidy() {
	if b.Variables == nil {
		b.Variables = []Variable{}
	}
	for n := range b.Variables {
		if string(b.Variables[n].Default) == "null" {
			b.Variables[n].Default = nil
		}
	}
	if b.Metadata == nil {
		b.Metadata = map[string]json.RawMessage{}
	}
}
