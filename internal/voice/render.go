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

// apologySlug is the template of what an agent says when it cannot go on.
const apologySlug = "error"

// render fills a text's placeholders, in one pass: what they lead to is data,
// and so is what a template of the library holds once it is filled itself. Each
// that leads nowhere is told once.
func (s *Session) render(text string) string {
	scope := s.scope
	var missing []string
	if slugs := prompt.Slugs(text); len(slugs) > 0 {
		scope = maps.Clone(s.scope)
		scope["prompt"], missing = s.o.Plan.Prompts.Resolve(slugs, s.promptLanguages(), s.scope)
	}
	rendered, absent := template.Render(text, scope)
	for _, path := range append(missing, absent...) {
		if !s.unknown[path] {
			s.unknown[path] = true
			s.o.Journal.Problem(Problem{Service: Workflow, Agent: s.flow.agent, At: time.Now(),
				Message: fmt.Sprintf("the prompt names {{%s}}, which this call does not have", path)})
		}
	}
	return rendered
}

// promptLanguages are the languages that templates are wanted in, the best
// first: the user's, then the one that the agent speaks.
func (s *Session) promptLanguages() []string {
	wanted, _ := s.o.User["language"].(string)
	return []string{wanted, s.language()}
}

// apologise is what is said when the agent cannot go on.
func (s *Session) apologise() string {
	values, _ := s.o.Plan.Prompts.Resolve([]string{apologySlug}, s.promptLanguages(), s.scope)
	text := ""
	if value, ok := values[apologySlug].(prompt.Value); ok {
		text = strings.TrimSpace(value.String())
	}
	return cmp.Or(text, apology)
}
