package main

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed templates/resources.py.tmpl
var pythonResources string

// python returns the generated files of the Python client. What it reads and sends are dicts, typed as TypedDict.
func (d document) python() (map[string][]byte, error) {
	p := &pythonTypes{document: d, classes: map[string]string{}}
	resources, err := render(pythonResources, d, map[string]any{
		"type": func(s *schema, inline string) string { return p.typed(s, inline, "types.") }, "optional": p.optional,
		"name": func(words []string) string { return pythonName(snake(words)) }, "url": pythonURL,
	})
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		p.component(name, "")
	}
	var types strings.Builder
	types.WriteString("\"\"\"The types of the API's requests and answers, generated from its description.\"\"\"\n\n" +
		"from __future__ import annotations\n\nfrom typing import Any, Dict, List, Literal, Optional, TypedDict, Union\n")
	for _, name := range slices.Sorted(maps.Keys(p.classes)) {
		types.WriteString("\n\n" + p.classes[name])
	}
	return map[string][]byte{"types.py": []byte(types.String()), "_resources.py": resources}, nil
}

// pythonTypes are the classes of the schemas whose types were asked for, and of those that these have.
type pythonTypes struct {
	document
	classes map[string]string
}

// optional is the type of a parameter that may be left out.
func (p *pythonTypes) optional(s schema) string {
	s.Nullable = true
	return p.typed(&s, "", "types.")
}

// typed is the type of what a client reads or sends with a schema. inline is the name of its class if the schema has none; module is
// before the names of classes.
func (p *pythonTypes) typed(s *schema, inline, module string) string {
	t := p.plain(s, inline, module)
	if s.Nullable && t != "Any" {
		return "Optional[" + t + "]"
	}
	return t
}

func (p *pythonTypes) plain(s *schema, inline, module string) string {
	switch {
	case s.ref() != "":
		return p.component(s.ref(), module)
	case len(s.OneOf) > 0:
		var all []string
		for i := range s.OneOf {
			all = append(all, p.typed(&s.OneOf[i], inline+pascal(parameterWords(s.OneOf[i].Title)), module))
		}
		return "Union[" + strings.Join(all, ", ") + "]"
	case len(s.Enum) > 0:
		return pythonEnum(s.Enum)
	case s.Type == "array":
		return "List[" + p.typed(s.Items, inline+"Item", module) + "]"
	case s.Type == "object" && len(s.Properties) > 0:
		return module + p.class(p.free(inline), s)
	case s.Type == "object":
		return "Dict[str, " + p.values(s, inline, module) + "]"
	}
	if t := map[string]string{"string": "str", "integer": "int", "number": "float", "boolean": "bool"}[s.Type]; t != "" {
		return t
	}
	return "Any"
}

// values is the type of the values of an object without properties of its own.
func (p *pythonTypes) values(s *schema, inline, module string) string {
	if values := s.values(); values != nil {
		return p.typed(values, inline+"Value", module)
	}
	return "Any"
}

// component is the type of a schema that the description names.
func (p *pythonTypes) component(name, module string) string {
	s := p.Components.Schemas[name]
	if s.Type != "object" || len(s.Properties) == 0 {
		return p.plain(s, name, module)
	}
	return module + p.class(name, s)
}

// free is a name that no schema of the description has.
func (p *pythonTypes) free(name string) string {
	if p.Components.Schemas[name] != nil {
		return name + "_"
	}
	return name
}

// class writes the class of an object once, and returns its name.
func (p *pythonTypes) class(name string, s *schema) string {
	if _, ok := p.classes[name]; ok {
		return name
	}
	p.classes[name] = "" // it may have itself
	var before strings.Builder
	var bases []string
	fields := map[bool][]string{} // by whether they are required
	for _, required := range []bool{true, false} {
		var keywords []string
		for _, property := range slices.Sorted(maps.Keys(s.Properties)) {
			if slices.Contains(s.Required, property) != required {
				continue
			}
			value := s.Properties[property]
			t := p.typed(value, name+pascal(parameterWords(property)), "")
			if pythonName(property) != property {
				keywords = append(keywords, fmt.Sprintf("%q: %q", property, t))
				continue
			}
			fields[required] = append(fields[required], fmt.Sprintf("    %s: %s\n%s", property, t, pythonComment(value.Description, "    ")))
		}
		if len(keywords) > 0 {
			base := fmt.Sprintf("_%sKeywords%d", name, len(bases))
			fmt.Fprintf(&before, "%s = TypedDict(%q, {%s}, total=%s)\n\n\n", base, base, strings.Join(keywords, ", "), title(fmt.Sprint(required)))
			bases = append(bases, base)
		}
	}
	if len(fields[true]) > 0 && len(fields[false]) > 0 {
		fmt.Fprintf(&before, "class _%sRequired(TypedDict):\n%s\n\n", name, strings.Join(fields[true], ""))
		bases = append(bases, "_"+name+"Required")
		delete(fields, true)
	}
	p.classes[name] = before.String() + pythonClass(name, bases, fields[true], fields[false])
	return name
}

// pythonClass is a class with fields that are all required or all optional.
func pythonClass(name string, bases, required, optional []string) string {
	if len(bases) == 0 {
		bases = []string{"TypedDict"}
	}
	if len(optional) > 0 {
		bases = append(bases, "total=False")
	}
	fields := strings.Join(append(required, optional...), "")
	if fields == "" {
		fields = "    pass\n"
	}
	return fmt.Sprintf("class %s(%s):\n%s", name, strings.Join(bases, ", "), fields)
}

func pythonEnum(values []any) string {
	var literals []string
	for _, v := range values {
		switch v := v.(type) {
		case nil:
		case string:
			literals = append(literals, fmt.Sprintf("%q", v))
		default:
			literals = append(literals, fmt.Sprint(v))
		}
	}
	return "Literal[" + strings.Join(literals, ", ") + "]"
}

// pythonComment is a description as the text below a field, which editors show.
func pythonComment(description, indent string) string {
	text := strings.Join(strings.Fields(description), " ")
	if text == "" {
		return ""
	}
	return indent + `"""` + strings.NewReplacer(`\`, `\\`, `"`, `'`).Replace(text) + "\"\"\"\n"
}

// pythonURL is the path of an operation with its parameters.
func pythonURL(c callView) string {
	path := c.path
	for _, p := range c.in("path") {
		path = strings.ReplaceAll(path, "{"+p.Name+"}", "{segment("+pythonName(snake(parameterWords(p.Name)))+")}")
	}
	if path == c.path {
		return fmt.Sprintf("%q", path)
	}
	return fmt.Sprintf("f%q", path)
}

var pythonKeywords = strings.Fields(`False None True and as assert async await break class continue def del elif else except finally
	for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// pythonName is a name with an underscore behind it if it is a keyword.
func pythonName(name string) string {
	if slices.Contains(pythonKeywords, name) {
		return name + "_"
	}
	return name
}
