package agent

import (
	"strings"
	"testing"
)

func TestLanguageSettings(t *testing.T) {
	base := strings.TrimSuffix(strings.TrimSpace(sound), "}")
	for settings, want := range map[string]string{
		`"languages": ["en", "de"], "languages_auto": true`:                                                                    "",
		`"languages": ["en"], "languages_auto": true`:                                                                          "config.languages_auto",
		`"languages": ["en", "tlh"], "languages_auto": true`:                                                                   "config.languages[1] config.languages[1]",
		`"languages": ["en", "tlh"]`:                                                                                           "",
		`"languages": ["en"], "by_language": {"de": {}}`:                                                                       "config.by_language.de",
		`"default_language": "de", "by_language": {"de": {"prompt": {"greeting": "Guten Tag!"}}}`:                              "",
		`"languages": ["de"], "by_language": {"de": {"tts": {"provider": "nobody"}}}`:                                          "config.by_language.de.tts.provider config.by_language.de.tts.voice_id",
		`"languages": ["de"], "by_language": {"de": {"stt": {"provider": "ear", "model": ""}}}`:                                "config.by_language.de.stt.model",
		`"languages": ["en", "de"], "languages_auto": true, "stt": {"provider": "ear", "model": "ear-1", "language": "en"}`:    "config.stt.language",
		`"languages": ["en", "de"], "languages_auto": true, "stt": {"provider": "ear", "model": "ear-1", "language": "multi"}`: "",
	} {
		i := inspect(t, base+","+settings+"}")
		var fields []string
		for _, fault := range i.Faults {
			fields = append(fields, fault.Field)
		}
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("%s: faults in %q, want %q", settings, got, want)
		}
	}
}

func TestConfigInALanguage(t *testing.T) {
	c := Config{Prompt: Prompt{System: "Be kind.", Greeting: "Hello."}, TTS: TTS{VoiceID: "a"},
		ByLanguage: map[string]LanguageSettings{"de": {Prompt: &LanguagePrompt{Greeting: "Guten Tag."}, TTS: &TTS{VoiceID: "b"}}}}
	if german := c.In("de"); german.Prompt.System != "Be kind." || german.Prompt.Greeting != "Guten Tag." || german.TTS.VoiceID != "b" {
		t.Errorf("in German %+v", german)
	}
	if english := c.In("en"); english.Prompt.Greeting != "Hello." || english.TTS.VoiceID != "a" {
		t.Errorf("in English %+v", english)
	}
}
