package provider_test

import (
	"slices"
	"testing"
	"time"

	"parley/internal/provider"
)

// Every model of the catalogue has a family, but for the offline language model, which nobody buys.
func TestEveryModelHasAFamily(t *testing.T) {
	for _, e := range provider.Catalog {
		for _, model := range e.Models {
			f, known := provider.FamilyOf(e.Kind, e.Name, model)
			switch {
			case !known && !e.Demo && slices.Contains(described, string(e.Kind)+" "+e.Name):
				t.Errorf("%s %s %s has no family", e.Kind, e.Name, model)
			case known && f.Unserved != "":
				t.Errorf("%s %s %s is listed and cannot be used", e.Kind, e.Name, model)
			case known && (e.Kind == provider.STT || e.Kind == provider.TTS) && len(f.Languages()) == 0:
				t.Errorf("%s %s %s knows no language", e.Kind, e.Name, model)
			}
		}
	}
}

// described are the vendors whose models are in the families.
var described = []string{"stt deepgram", "stt assemblyai", "stt elevenlabs", "tts cartesia", "tts elevenlabs", "tts deepgram", "llm openai", "llm anthropic"}

// The default of a vendor lives for at least half a year from the date of the catalogue, and no model that is switched off is listed.
func TestDefaultsLive(t *testing.T) {
	checked := time.Date(2026, time.November, 23, 0, 0, 0, 0, time.UTC)
	for _, e := range provider.Catalog {
		if e.Kind == provider.TTS && e.Name == "openai" {
			continue // all of its voices are switched off on 6 January 2027, without a successor at /v1/audio/speech
		}
		if status, day := provider.StatusOf(e.Name, e.Models[0], checked.AddDate(0, 6, 0)); status != provider.Current {
			t.Errorf("%s %s: the default %s is switched off on %s", e.Kind, e.Name, e.Models[0], day)
		}
		for _, model := range e.Models {
			if status, day := provider.StatusOf(e.Name, model, checked); status == provider.ShutDown {
				t.Errorf("%s %s: %s was switched off on %s", e.Kind, e.Name, model, day)
			}
		}
	}
}

func TestStatus(t *testing.T) {
	for _, c := range []struct {
		model, on string
		want      provider.Status
	}{
		{"gpt-4.1", "2026-11-23", provider.Deprecated}, {"gpt-4.1", "2027-01-13", provider.Deprecated}, {"gpt-4.1", "2027-01-14", provider.ShutDown},
		{"gpt-4.1-mini-2025-04-14", "2027-02-01", provider.ShutDown}, {"gpt-6-luna", "2030-01-01", provider.Current},
	} {
		on, err := time.Parse(time.DateOnly, c.on)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := provider.StatusOf("openai", c.model, on); got != c.want {
			t.Errorf("%s on %s: %s, want %s", c.model, c.on, got, c.want)
		}
	}
}

func TestDoubts(t *testing.T) {
	for _, c := range []struct {
		kind            provider.Kind
		name, model     string
		parameter, want string
		value           any
	}{
		{provider.LLM, "openai", "gpt-6-luna", provider.Temperature, "openai gpt-6-luna takes no temperature: not sent", 0.4},
		{provider.LLM, "openai", "gpt-4.1", provider.Temperature, "", 0.4},
		{provider.LLM, "anthropic", "claude-sonnet-4-6", provider.Temperature, "anthropic claude-sonnet-4-6 takes a temperature from 0 to 1: the nearest is sent", 1.5},
		{provider.LLM, "openai", "gpt-5", provider.ReasoningEffort, `openai gpt-5 knows no reasoning effort "none": not sent`, "none"},
		{provider.LLM, "openai", "a-model-of-ones-own", provider.Temperature, "", 0.4},
		{provider.TTS, "cartesia", "", provider.Speed, "cartesia takes a speed from 0.6 to 1.5: the nearest is sent", 2.0},
		{provider.TTS, "cartesia", "sonic-3.5", provider.Speed, "cartesia sonic-3.5 takes no speed: not sent", 1.2},
		{provider.TTS, "cartesia", "sonic-3", provider.Emotion, `cartesia sonic-3 knows no emotion "hungry": not sent`, "hungry"},
		{provider.TTS, "elevenlabs", "", provider.TextNormalization, "", "on"},
		{provider.TTS, "elevenlabs", "eleven_v3", provider.ModelName, "eleven_v3 cannot be used in calls: ElevenLabs does not serve it over a WebSocket", "eleven_v3"},
		{provider.LLM, "openai", "gpt-3.5-turbo-0125", provider.ModelName, "openai switched gpt-3.5-turbo-0125 off on 2026-10-23", "gpt-3.5-turbo-0125"},
		{provider.LLM, "openai", "gpt-6-luna", provider.ModelName, "", "gpt-6-luna"},
		{provider.STT, "deepgram", "nova-2", provider.KeyTerms, "deepgram nova-2 takes no key terms: not sent", []string{"Parley"}},
		{provider.STT, "deepgram", "nova-3", provider.KeyTerms, "", []string{"Parley"}},
		{provider.STT, "elevenlabs", "", provider.KeyTerms, "elevenlabs takes key terms of at most 20 characters: longer ones are not sent", []string{"Rechtsschutzversicherung"}},
		{provider.STT, "deepgram", "nova-3", provider.KeyTerms, "deepgram nova-3 takes at most 100 key terms: the first ones are sent", make([]string, 101)},
	} {
		if got := provider.Caveat(c.kind, c.name, c.model, c.parameter, c.value); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestKeyTermsFor(t *testing.T) {
	for _, c := range []struct {
		name, model string
		want        int
	}{{"deepgram", "nova-3", 100}, {"deepgram", "nova-2", 0}, {"assemblyai", "u3-rt-pro", 100}, {"offline", "pocketsphinx", 0}} {
		if got := provider.KeyTermsFor(c.name, c.model, make([]string, 120)); len(got) != c.want {
			t.Errorf("%s %s: %d key terms, want %d", c.name, c.model, len(got), c.want)
		}
	}
}
