package voice

import (
	"strings"
	"testing"
	"time"

	"parley/internal/agent"
)

func TestLanguages(t *testing.T) {
	speed := 1.25
	for _, tc := range []struct {
		name      string
		languages []string
		usual     string // default_language
		heard     string // stt.language
		user      any    // user.language
		stt, tts  string // the languages that the providers receive
	}{
		{name: "none"},
		{name: "the default is heard and spoken", usual: "de", stt: "de", tts: "de"},
		{name: "what is heard may differ", usual: "de", heard: "multi", stt: "multi", tts: "de"},
		{name: "the user chooses", languages: []string{"en", "de"}, usual: "en", user: "de", stt: "de", tts: "de"},
		{name: "by the plain form", languages: []string{"en", "pt-BR"}, usual: "en", user: "pt", stt: "pt-BR", tts: "pt-BR"},
		{name: "the closest", languages: []string{"en-US", "en-GB"}, usual: "en-US", user: "EN-gb", stt: "en-GB", tts: "en-GB"},
		{name: "what is heard is another agent's thing", languages: []string{"en", "de"}, heard: "en", user: "de", stt: "de", tts: "de"},
		{name: "many languages at once stay", languages: []string{"en", "de"}, heard: "multi", user: "de", stt: "multi", tts: "de"},
		{name: "not one that the agent lacks", languages: []string{"en"}, usual: "en", user: "de", stt: "en", tts: "en"},
		{name: "no language at all", languages: []string{"en"}, usual: "en", user: 7, stt: "en", tts: "en"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			perform(t, func(s *scenario) {
				c := config("Hello there.")
				c.Languages, c.DefaultLanguage, c.STT.Language, c.TTS.Speed = tc.languages, tc.usual, tc.heard, &speed
				s.options.Plan.Agents = map[string]agent.Config{"anna": c}
				s.options.UserContext = map[string]any{"language": tc.user}
			}, func(s *scenario) {
				s.question("when do you open")
				s.wait(3 * time.Second)
			}, func(s *scenario) {
				if got := s.recognizer.asked[0].Language; got != tc.stt {
					s.Errorf("the recogniser received %q, want %q", got, tc.stt)
				}
				if got := s.synthesizer.opened[0]; got.Language != tc.tts || got.Speed != speed {
					s.Errorf("the voice received %+v, want %q", got, tc.tts)
				}
				system := s.model.asked()[0].System
				if told := strings.HasSuffix(system, "BCP 47 code is "+tc.tts+"."); told != (tc.tts != "") {
					s.Errorf("the model received %q", system)
				}
			})
		})
	}
}
