package voice

import (
	"cmp"
	"fmt"
	"maps"
	"strings"
	"time"

	"parley/internal/prompt"
	"parley/internal/template"
)

// What an agent says by itself: the templates of the library, and the words
// where it has none.
const (
	// A provider failed and nothing can take its place.
	apologySlug = "error"
	apology     = "I am sorry, I have a technical problem. Please call again later."
	// The language model had no answer.
	pardonSlug = "pardon"
	pardon     = "I am sorry, could you say that again?"
)

// render fills a text's placeholders, in one pass: what they lead to is data,
// and so is what a template of the library holds once it is filled itself. Each
// that leads nowhere is told once.
func (s *Session) render(text string) string {
	scope := s.scope
	var missing []string
	if slugs := prompt.Slugs(text); len(slugs) > 0 {
		scope = maps.Clone(s.scope)
		scope["prompt"], missing = s.o.Plan.Prompts.Resolve(slugs, s.userLanguage(), s.scope)
	}
	rendered, absent := template.Render(text, scope)
	for _, path := range append(missing, absent...) {
		if !s.unknown[path] {
			s.unknown[path] = true
			s.problem(Problem{Service: Workflow, Agent: s.flow.agent, At: time.Now(),
				Message: fmt.Sprintf("the prompt names {{%s}}, which this call does not have", path)})
		}
	}
	return rendered
}

// wording is a template of the library, or the words given where there is none.
func (s *Session) wording(slug, otherwise string) string {
	values, _ := s.o.Plan.Prompts.Resolve([]string{slug}, s.userLanguage(), s.scope)
	text := ""
	if value, ok := values[slug].(prompt.Value); ok {
		text = strings.TrimSpace(value.String())
	}
	return cmp.Or(text, otherwise)
}
