package routing

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"parley/internal/prompt"
	"parley/internal/template"
)

// maxReportedPaths limits the paths without a value that Warnings reports in a call.
const maxReportedPaths = 100

// Render fills a text's placeholders, in one pass: placeholders in the values, and in
// templates of the library after they were filled, are not filled again. A path that
// the call does not have is reported by Warnings, once.
func (r *Router) Render(text string) string {
	scope := r.scope
	var missing []string
	if slugs := prompt.Slugs(text); len(slugs) > 0 {
		scope = maps.Clone(r.scope)
		scope["prompt"], missing = r.plan.Prompts.Resolve(slugs, r.userLanguage(), r.scope)
	}
	rendered, absent := template.Render(text, scope)
	for _, path := range append(missing, absent...) {
		if !r.reportedPaths[path] && len(r.reportedPaths) < maxReportedPaths {
			r.reportedPaths[path] = true
			r.unknownPaths = append(r.unknownPaths, path)
		}
	}
	return rendered
}

// LibraryText returns a rendered template of the library, or otherwise if there is none.
func (r *Router) LibraryText(slug, otherwise string) string {
	values, _ := r.plan.Prompts.Resolve([]string{slug}, r.userLanguage(), r.scope)
	text := ""
	if value, ok := values[slug].(prompt.Value); ok {
		text = strings.TrimSpace(value.String())
	}
	return cmp.Or(text, otherwise)
}

// SystemPrompt returns the current agent's system prompt, with the language to speak if one is set.
func (r *Router) SystemPrompt() string {
	system := r.Render(r.Config().Prompt.System)
	if language := r.Language(); language != "" {
		return system + fmt.Sprintf("\n\nSpeak the language whose BCP 47 code is %s.", language)
	}
	return system
}
