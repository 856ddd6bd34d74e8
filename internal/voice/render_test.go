package voice

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/prompt"
)

// library is a few templates.
var library = prompt.Bodies{
	"hello": {
		Content:   map[string]string{"en": "Hello {{name}}, {{day}}.", "de": "Hallo {{user.name}}, {{day}}."},
		Variables: []prompt.Variable{{Name: "day", Default: json.RawMessage(`"today"`)}},
		Metadata:  map[string]json.RawMessage{"tone": json.RawMessage(`"warm"`)},
	},
	"secret": {Content: map[string]string{"en": "The code is 1234."}},
	"error":  {Content: map[string]string{"en": "Sorry, {{user.name}}.", "de": "Das tut mir leid."}},
}

func TestPromptLibrary(t *testing.T) {
	for _, tc := range []struct {
		name, greeting, system string
		languages              []string
		usual                  string // default_language
		user                   map[string]any
		want, told             string
		problems               []string
	}{
		{name: "a template with the user's values", greeting: "{{prompt.hello}}", user: map[string]any{"name": "Ada"}, want: "Hello Ada, today."},
		{name: "in the user's language", greeting: "{{prompt.hello}}", user: map[string]any{"name": "Ada", "language": "de-AT"}, want: "Hallo Ada, today."},
		{name: "in English where the user's is missing, whatever the agent speaks", greeting: "{{prompt.hello}}", usual: "de", user: map[string]any{"name": "Ada", "language": "fr"}, want: "Hello Ada, today."},
		{name: "and where the user has none", greeting: "{{prompt.hello}}", usual: "de", user: map[string]any{"name": "Ada"}, want: "Hello Ada, today."},
		{name: "metadata, in the middle of a text", greeting: "A {{prompt.hello.tone}} welcome.", user: map[string]any{"name": "Ada"}, want: "A warm welcome."},
		{name: "values are data", greeting: "{{prompt.hello}}", user: map[string]any{"name": "{{prompt.secret}}", "language": "en"}, want: "Hello {{prompt.secret}}, today."},
		{name: "user.greeting goes first", greeting: "{{prompt.hello}}", user: map[string]any{"greeting": "Welcome back."}, want: "Welcome back."},
		{name: "no such template", greeting: "Well{{prompt.none}}.", want: "Well.", problems: []string{"warning workflow the prompt names {{prompt.none}}, which this call does not have"}},
		{name: "the system prompt", greeting: "Hello.", system: "Be nice. {{prompt.secret}}", want: "Hello.", told: "Be nice. The code is 1234."},
		{name: "a missing path of a template is reported", greeting: "{{prompt.hello}}", want: "Hello , today.", problems: []string{"warning workflow the prompt names {{name}}, which this call does not have"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			perform(t, func(s *scenario) {
				c := config(tc.greeting)
				if tc.system != "" {
					c.Prompt.System = tc.system
				}
				c.Languages, c.DefaultLanguage = tc.languages, tc.usual
				s.options.Plan.Agents = map[string]agent.Config{"anna": c}
				s.options.Plan.Prompts, s.options.UserContext = library, tc.user
			}, func(s *scenario) {
				s.question("when do you open")
				s.wait(5 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: "+tc.want, "user: when do you open", "assistant: We open at nine.")
				s.wantProblems(tc.problems...)
				if told := s.model.asked()[0].System; tc.told != "" && told != tc.told {
					s.Errorf("the model received %q", told)
				}
			})
		})
	}
}

func TestApologyOfTheLibrary(t *testing.T) {
	for language, want := range map[string]string{"de": "Das tut mir leid.", "en": "Sorry, Ada."} {
		perform(t, with(replying(step{err: errors.Join(errKey)}), func(s *scenario) {
			s.options.Plan.Prompts = library
			s.options.UserContext = map[string]any{"name": "Ada", "language": language}
		}), func(s *scenario) {
			s.question("when do you open")
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+want)
		})
	}
}
