package sdk

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// addressesOf returns the addresses of emulators as a JSON object, and closes them with the test.
func addressesOf(t *testing.T, servers map[string]*emulator.Server) string {
	t.Helper()
	urls := map[string]string{}
	for name, server := range servers {
		t.Cleanup(server.Close)
		urls[name] = server.URL
	}
	addresses, err := json.Marshal(urls)
	if err != nil {
		t.Fatal(err)
	}
	return string(addresses)
}

// LiveKit's plugins recognise and speak. Two of them cannot be led to an emulator: Deepgram's for Aura has a WebSocket, which Parley does
// not use, or port 443 only; OpenAI's for streamed transcription adds a model to the query at other hosts, which OpenAI refuses.
func TestLiveKitSpeech(t *testing.T) {
	const text = "one ticket to Rome please"
	script := emulator.RecognizerScript{Lines: []string{text, text}}
	o := emulator.Options{Key: key}
	var got struct {
		Recognised map[string]struct {
			Said   string
			Events []string
		}
		Spoken map[string]struct {
			Samples, Words int
			Ended          bool
		}
		Refused map[string]int
	}
	run(t, &got, "livekit-speech.mjs", addressesOf(t, map[string]*emulator.Server{
		"deepgram": emulator.NewDeepgram(t, o, script), "elevenlabs": emulator.NewElevenLabsSpeech(t, o, script), "cartesia": emulator.NewCartesia(t, o),
		"groq":   emulator.NewCompatible(t, o, emulator.Compatible{Recognizer: script, Groq: true}),
		"openai": emulator.NewCompatible(t, o, emulator.Compatible{OpenAI: true}),
	}), key, recording(t))
	for _, name := range []string{"nova", "flux", "scribe", "groq"} {
		if said := strings.TrimSpace(got.Recognised[name].Said); said != text {
			t.Errorf("%s recognises %q", name, said)
		}
	}
	for name, events := range map[string][]string{"nova": {"START_OF_SPEECH", "INTERIM_TRANSCRIPT"}, "flux": {"START_OF_SPEECH", "PREFLIGHT_TRANSCRIPT"}, "scribe": {"INTERIM_TRANSCRIPT"}} {
		for _, event := range events {
			if !slices.Contains(got.Recognised[name].Events, event) {
				t.Errorf("%s: no %s in %v", name, event, got.Recognised[name].Events)
			}
		}
	}
	for name, words := range map[string]int{"cartesia": 13, "elevenlabs": 13, "openai": 0} {
		if s := got.Spoken[name]; s.Samples < dialogue.SpeakRate || s.Words != words || !s.Ended {
			t.Errorf("%s spoke %+v", name, s)
		}
	}
	for name, status := range map[string]int{"nova": 401, "flux": 401, "scribe": 1008, "cartesia": 401, "elevenlabs": 1008} {
		if got.Refused[name] != status {
			t.Errorf("%s with another key: %d", name, got.Refused[name])
		}
	}
}

// LiveKit's plugins for language models have a tool called, answer with its result and leave an answer.
func TestLiveKitLanguageModels(t *testing.T) {
	o := emulator.Options{Key: key}
	var got map[string]struct {
		First, Second answer
		Cancelled     string
		Refused       int
	}
	run(t, &got, "livekit-language.mjs", addressesOf(t, map[string]*emulator.Server{
		"completions": emulator.NewOpenAI(t, o, talkative), "responses": emulator.NewOpenAIResponses(t, o, talkative), "google": emulator.NewGoogle(t, o, talkative),
		"groq": emulator.NewCompatible(t, o, emulator.Compatible{Script: talkative, Groq: true}),
	}), key)
	for name, refused := range map[string]int{"completions": 401, "responses": 401, "groq": 401, "google": -1} { // Google's reports no status
		g := got[name]
		if !g.First.calls() || g.First.Tokens == 0 || !strings.Contains(g.Second.Text, "sunny") || g.Second.Tokens == 0 {
			t.Errorf("%s answers %+v, then %+v", name, g.First, g.Second)
		}
		if !strings.HasPrefix(g.Cancelled, "It") || g.Refused != refused {
			t.Errorf("%s: cancelled after %q, with another key %d", name, g.Cancelled, g.Refused)
		}
	}
}

// LiveKit's plugins for speech to speech hear the caller, have a tool called and speak its result.
func TestLiveKitRealtime(t *testing.T) {
	const text = "what is the weather in Rome"
	script := emulator.RecognizerScript{Lines: []string{text}}
	o := emulator.Options{Key: key}
	var got map[string]struct {
		Heard, Refused string
		First          answer
		Second         struct {
			Text    string
			Samples int
		}
	}
	run(t, &got, "livekit-realtime.mjs", addressesOf(t, map[string]*emulator.Server{
		"openai": emulator.NewOpenAIRealtime(t, o, script, talkative), "google": emulator.NewGeminiLive(t, o, script, talkative),
	}), key, recording(t))
	for name, refused := range map[string]string{"openai": "401", "google": "API key not valid"} {
		g := got[name]
		if g.Heard != text || !g.First.calls() || g.Second.Text != "It is sunny." || g.Second.Samples < dialogue.SpeakRate/2 || !strings.Contains(g.Refused, refused) {
			t.Errorf("%s: %+v", name, g)
		}
	}
}
