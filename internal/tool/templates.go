package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley/internal/template"
)

// sources are where a path in an action may start.
var sources = []string{"user", "params", "workflow", "flags", "result", "prompt"}

// braces is everything that looks like a reference.
var braces = regexp.MustCompile(`(?s)\{\{(.*?)\}\}`)

// template checks that all braces of a text hold paths, and warns of paths
// that cannot lead anywhere.
func (i *inspection) template(path, text string) {
	if !strings.Contains(text, "{{") {
		return
	}
	for _, match := range braces.FindAllStringSubmatch(text, -1) {
		reference, ok := template.Path(match[1])
		if !ok {
			i.Fault(path, "{{ }} must hold a path such as user.name")
			return
		}
		source, rest, _ := strings.Cut(reference, ".")
		source, _, _ = strings.Cut(source, "[")
		name, _, _ := strings.Cut(rest, ".")
		name, _, _ = strings.Cut(name, "[")
		switch {
		case !slices.Contains(sources, source):
			i.Warn(path, "%s leads nowhere: paths start with %s", reference, strings.Join(sources, ", "))
		case source == "params" && name != "" && !i.declared[name]:
			i.Warn(path, "there is no parameter %s", name)
		}
	}
	if strings.Contains(braces.ReplaceAllString(text, ""), "{{") {
		i.Fault(path, "{{ without }}")
	}
}

// values checks the templates of all texts within a JSON value.
func (i *inspection) values(path string, value json.RawMessage) {
	if value == nil {
		return
	}
	tree, err := template.Decode(value)
	if err != nil {
		i.Fault(path, "is not valid JSON")
		return
	}
	i.tree(path, tree)
}

func (i *inspection) tree(path string, value any) {
	switch v := value.(type) {
	case string:
		i.template(path, v)
	case []any:
		for n, item := range v {
			i.tree(fmt.Sprintf("%s[%d]", path, n), item)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			i.tree(path+"."+name, v[name])
		}
	}
}
