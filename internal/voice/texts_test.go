package voice

import (
	"maps"
	"slices"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/prompt"
	"parley/internal/voice/speechtext"
)

// All fixed texts have the same languages, those in which numbers are written out among them.
func TestFixedTextsHaveTheSameLanguages(t *testing.T) {
	languages := slices.Sorted(maps.Keys(waitText.defaults))
	for _, text := range []fixedText{apologyText, waitText, waitLongerText, pardonText, declinedText, budgetText} {
		if got := slices.Sorted(maps.Keys(text.defaults)); !slices.Equal(got, languages) {
			t.Errorf("%s is in %v, want %v", text.slug, got, languages)
		}
	}
	for _, language := range []string{"en", "de", "fr", "es", "it", "pt", "nl"} {
		if speechtext.NewNormalizer(language) == nil || !slices.Contains(languages, language) {
			t.Errorf("numbers are written out in %s, and no fixed text is in it", language)
		}
	}
}

// A fixed text is in the language in effect: the tenant's template, if it has that language, or else Parley's text.
func TestLanguageOfFixedTexts(t *testing.T) {
	library := prompt.Bodies{"error": {Content: map[string]string{"en": "Something went wrong.", "de": "Da ist etwas schiefgegangen."}}}
	for _, tc := range []struct{ usual, user, want string }{
		{"", "", "Something went wrong."},
		{"de", "", "Da ist etwas schiefgegangen."},
		{"de-AT", "", "Da ist etwas schiefgegangen."},
		{"fr", "", apologyText.defaults["fr"]},
		{"en", "it", apologyText.defaults["it"]},
		{"en", "de", "Da ist etwas schiefgegangen."},
		{"sw", "", "Something went wrong."},
	} {
		t.Run(tc.usual+" "+tc.user, func(t *testing.T) {
			perform(t, with(replying(step{err: errKey}), func(s *scenario) {
				c := config("Hello there.")
				c.DefaultLanguage, c.Languages = tc.usual, []string{"en", "it", "de"}
				s.options.Plan = Plan{Agent: "anna", Agents: map[string]agent.Config{"anna": c}, Prompts: library}
				s.options.UserContext = map[string]any{"language": tc.user}
			}), func(s *scenario) {
				s.question("when do you open")
				s.wait(15 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+tc.want)
			})
		})
	}
}
