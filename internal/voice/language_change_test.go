package voice

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// bilingual is an agent that follows its caller into German, with a German voice.
func bilingual(s *scenario) {
	c := config("Hello there.")
	c.Languages, c.DefaultLanguage, c.LanguagesAuto = []string{"en", "de"}, "en", true
	c.ByLanguage = map[string]agent.LanguageSettings{"de": {Prompt: &agent.LanguagePrompt{System: "Du bist nett."}, TTS: &agent.TTS{Provider: "synthesizer", VoiceID: "berta"}}}
	s.options.Plan.Agents["anna"] = c
	s.model.reply = func(p dialogue.Prompt) []step {
		if strings.HasPrefix(p.System, "Du bist nett.") {
			return says("Gern.")
		}
		return says("Sure.")
	}
}

func TestLanguageChanges(t *testing.T) {
	say := func(texts ...string) func(*scenario) {
		return func(s *scenario) {
			s.wait(2 * time.Second)
			for _, text := range texts {
				s.say(text, 1000*ms)
				s.wait(4 * time.Second)
			}
		}
	}
	const one, two = "ich möchte einen tisch reservieren", "haben sie morgen um fünf noch etwas frei"
	t.Run("after two utterances", func(t *testing.T) {
		perform(t, bilingual, say("when do you open", one, two, "no thank you goodbye"), func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: Sure.", "user: "+one, "assistant: Sure.", "user: "+two, "assistant: Gern.",
				"user: no thank you goodbye", "assistant: Gern.")
			if diff := cmp.Diff([]string{"en → de"}, s.journal.languages); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if o := s.synthesizer.opened; len(o) != 2 || o[0].VoiceID != "anna" || o[0].Language != "en" || o[1].VoiceID != "berta" || o[1].Language != "de" {
				t.Errorf("voices %+v", o)
			}
			if a := s.recognizer.asked; len(a) != 1 || a[0].Language != "" {
				t.Errorf("the recogniser received %+v", a)
			}
			asked := s.model.asked()
			last := asked[len(asked)-1]
			if !strings.HasSuffix(last.System, "BCP 47 code is de.") {
				t.Errorf("the model received %q", last.System)
			}
			if diff := cmp.Diff([]string{"user: when do you open", "assistant: Sure.", "user: " + one, "assistant: Sure.", "user: " + two, "assistant: Gern.", "user: no thank you goodbye"},
				messages(last)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			if turns := s.journal.turns; len(turns) != 4 || turns[2].VoiceToVoice <= 0 {
				t.Errorf("turns %+v", turns)
			}
		})
	})
	t.Run("and back", func(t *testing.T) {
		perform(t, bilingual, say(one, two, "sorry can you speak english", "when do you open tomorrow"), func(s *scenario) {
			if diff := cmp.Diff([]string{"en → de", "de → en"}, s.journal.languages); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	})
	t.Run("not after one, nor after what may be of any language", func(t *testing.T) {
		perform(t, bilingual, say(one, "when do you open", two, "ok", "when do you open"), func(s *scenario) {
			if len(s.journal.languages) > 0 {
				t.Errorf("changes %v", s.journal.languages)
			}
		})
	})
	t.Run("by what the recogniser reports", func(t *testing.T) {
		perform(t, func(s *scenario) {
			bilingual(s)
			s.recognizer.language = "de-DE"
		}, say("Parley Parley Parley", "Okay Parley Parley"), func(s *scenario) {
			if diff := cmp.Diff([]string{"en → de"}, s.journal.languages); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	})
	t.Run("not without a voice for it", func(t *testing.T) {
		perform(t, func(s *scenario) {
			bilingual(s)
			c := s.options.Plan.Agents["anna"]
			c.ByLanguage["de"] = agent.LanguageSettings{TTS: &agent.TTS{Provider: "mouth2", VoiceID: "berta"}}
			s.missing["mouth2"] = true
		}, say(one, two), func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: "+one, "assistant: Sure.", "user: "+two, "assistant: Sure.")
			if diff := cmp.Diff([]string{"en → de", "de → en"}, s.journal.languages); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	})
	t.Run("another worker goes on in it", func(t *testing.T) {
		perform(t, func(s *scenario) {
			bilingual(s)
			s.options.History = []dialogue.Message{{Role: dialogue.RoleUser, Content: two}, {Role: dialogue.RoleAssistant, Content: "Gern."}}
			s.options.Snapshot = []byte(`{"language":"de"}`)
		}, say("danke schön und auf wiedersehen"), func(s *scenario) {
			if o := s.synthesizer.opened; len(o) != 1 || o[0].VoiceID != "berta" {
				t.Errorf("voices %+v", o)
			}
		})
	})
}
