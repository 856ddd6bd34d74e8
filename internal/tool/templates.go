package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley/internal/template"
	"parley/internal/variable"
)

// braces is everything that looks like a reference.
var braces = regexp.MustCompile(`(?s)\{\{(.*?)\}\}`)

// template checks that all braces of a text hold paths, and warns of paths
// that cannot lead anywhere.
func (i *validation) template(path, text string) {
	if !strings.Contains(text, "{{") {
		return
	}
	place := template.InAction
	if i.answered {
		place = template.AfterRequest
	}
	if i.request {
		place = place.WithSecrets()
	}
	i.named = append(i.named, variable.References(path, template.Paths(text), i.request)...)
	for _, match := range braces.FindAllStringSubmatch(text, -1) {
		reference, ok := template.Path(match[0])
		if !ok {
			i.Fault(path, "{{ }} must hold a path such as user.name")
			return
		}
		if why := place.Warning(reference); why != "" {
			i.Warn(path, "%s", why)
		} else if name := parameter(reference); name != "" && !i.declared[name] {
			i.Warn(path, "there is no parameter %s", name)
		}
	}
	if strings.Contains(braces.ReplaceAllString(text, ""), "{{") {
		i.Fault(path, "{{ without }}")
	}
}

// parameter returns the name in a path such as params.order.id; "" in any other.
func parameter(path string) string {
	rest, ok := strings.CutPrefix(path, "params.")
	if !ok {
		return ""
	}
	if end := strings.IndexAny(rest, ".["); end >= 0 {
		return rest[:end]
	}
	return rest
}

// values checks the templates of all texts within a JSON value.
func (i *validation) values(path string, value json.RawMessage) {
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

func (i *validation) tree(path string, value any) {
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
