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
	rendered, missing := r.fill(text)
	for _, path := range missing {
		if template.IsFlag(path) { // it is not set yet
			continue
		}
		if !r.reportedPaths[path] && len(r.reportedPaths) < maxReportedPaths {
			r.reportedPaths[path] = true
			r.unknownPaths = append(r.unknownPaths, path)
		}
	}
	return rendered
}

// MissingValues returns the paths in a text's placeholders that the call does not have.
func (r *Router) MissingValues(text string) []string {
	_, missing := r.fill(text)
	return missing
}

// fill fills a text's placeholders, and returns the paths that the call does not have.
func (r *Router) fill(text string) (rendered string, missing []string) {
	r.setTime()
	scope := r.scope
	if slugs := prompt.Slugs(text); len(slugs) > 0 {
		scope = maps.Clone(r.scope)
		scope["prompt"], missing = r.plan.Prompts.Resolve(slugs, r.userLanguage(), r.scope)
	}
	rendered, absent := template.Render(text, scope)
	return rendered, append(missing, absent...)
}

// Rendered is a text whose placeholders are filled. Fixed: it has no data of the call, and is the same in other calls.
type Rendered struct {
	Text  string
	Fixed bool
}

// RenderText is Render for a text that is spoken.
func (r *Router) RenderText(text string) Rendered {
	scope := template.Scope{}
	if slugs := prompt.Slugs(text); len(slugs) > 0 {
		scope["prompt"], _ = r.plan.Prompts.Resolve(slugs, r.userLanguage(), template.Scope{})
	}
	fixed, _ := template.Render(text, scope)
	rendered := r.Render(text)
	return Rendered{rendered, rendered == fixed}
}

// LibraryText returns a rendered template of the library in the language in effect. One without that language gives way to own, which is
// in the language, unless that is empty; one that does not exist to english, too.
func (r *Router) LibraryText(slug, own, english string) Rendered {
	r.setTime()
	text := r.libraryText(slug, r.scope)
	if own != "" && !r.plan.Prompts[slug].Has(r.Language()) {
		text = ""
	}
	if text == "" {
		return Rendered{cmp.Or(own, english), true}
	}
	return Rendered{text, text == r.libraryText(slug, template.Scope{})}
}

func (r *Router) libraryText(slug string, scope template.Scope) string {
	values, _ := r.plan.Prompts.Resolve([]string{slug}, cmp.Or(r.Language(), r.userLanguage()), scope)
	value, _ := values[slug].(prompt.Value)
	return strings.TrimSpace(value.String())
}

// SystemPrompt returns the current agent's system prompt, with the language to speak if one is set.
func (r *Router) SystemPrompt() string {
	system := r.Render(r.Config().Prompt.System)
	if language := r.Language(); language != "" {
		return system + fmt.Sprintf("\n\nSpeak the language whose BCP 47 code is %s.", language)
	}
	return system
}
