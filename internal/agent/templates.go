package agent

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"parley/internal/template"
	"parley/internal/variable"
)

// template warns of references that can never lead anywhere, and remembers which
// templates of the prompt library a text names.
func (i *validation) template(path, text string) {
	for _, why := range template.InPrompt.Warnings(text) {
		i.Warn(path, "%s", why)
	}
	paths := template.Paths(text)
	i.variables = append(i.variables, variable.References(path, paths, false)...)
	for _, reference := range paths {
		slug, ok := strings.CutPrefix(reference, "prompt.")
		if !ok {
			continue
		}
		if end := strings.IndexAny(slug, ".["); end >= 0 {
			slug = slug[:end]
		}
		i.prompts = append(i.prompts, named{path, slug})
	}
}

// named is a record that a field names.
type named struct{ path, name string }

// turnTexts returns the texts among the settings of turn-taking, such as the silence
// prompt.
func (i *validation) turnTexts(settings json.RawMessage) {
	var fields map[string]any
	if json.Unmarshal(settings, &fields) != nil {
		return // it is a fault
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if text, ok := fields[name].(string); ok {
			i.template("config.turn."+name, text)
		}
	}
}
