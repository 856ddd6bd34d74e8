package main

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed templates/resources.ts.tmpl
var typescriptResources string

// typescript returns the generated files of the TypeScript client. They use the types that openapi-typescript makes of the description.
func (d document) typescript() (map[string][]byte, error) {
	var schemas strings.Builder
	schemas.WriteString("import type { components } from './description.js';\n\n")
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		fmt.Fprintf(&schemas, "export type %s = components['schemas']['%s'];\n", name, name)
	}
	resources, err := render(typescriptResources, d, map[string]any{"type": d.typescriptType, "parameters": typescriptParameters, "url": typescriptURL})
	if err != nil {
		return nil, err
	}
	operations, err := d.manifest()
	return map[string][]byte{"schemas.ts": []byte(schemas.String()), "resources.ts": resources, "operations.json": operations}, err
}

// typescriptType is the type of what a client reads or sends with a schema; inline is its type where it has no name.
func (d document) typescriptType(s *schema, inline string) string {
	if name := s.ref(); name != "" && !s.Nullable {
		return "Schemas." + name
	}
	return inline
}

// typescriptParameters are the parameters of a method.
func typescriptParameters(c callView) string {
	var in []string
	for _, p := range c.in("path") {
		in = append(in, camel(parameterWords(p.Name))+": string")
	}
	if body := c.body(); body != nil {
		in = append(in, "body"+optional(c.RequestBody.Required)+": "+document{}.typescriptType(body, "Body<'"+c.ID+"'>"))
	}
	if len(c.Uploads) > 0 {
		in = append(in, "file: Upload", "contentType: '"+strings.Join(c.Uploads, "' | '")+"'")
	}
	if len(c.in("query")) > 0 {
		in = append(in, "query?: Query<'"+c.ID+"'>")
	}
	options := "CallOptions"
	for _, p := range c.in("header") {
		options += " & { " + camel(parameterWords(p.Name)) + "?: string }"
	}
	return strings.Join(append(in, "options: "+options+" = {}"), ", ")
}

func optional(required bool) string {
	if required {
		return ""
	}
	return "?"
}

// typescriptURL is the path of an operation with its parameters.
func typescriptURL(c callView) string {
	path := c.path
	for _, p := range c.in("path") {
		path = strings.ReplaceAll(path, "{"+p.Name+"}", "${segment("+camel(parameterWords(p.Name))+")}")
	}
	if path == c.path {
		return "'" + path + "'"
	}
	return "`" + path + "`"
}
