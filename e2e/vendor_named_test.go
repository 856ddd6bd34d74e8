package e2e

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// named are wires whose vendors have several, as agents choose them.
var named = map[string]map[string]object{
	"stt": {
		"openai": {"provider": "openai", "model": "gpt-live-transcribe", "language": "en"},
		"groq":   {"provider": "groq", "model": "whisper-large-v3-turbo", "language": "en"},
		"flux":   {"provider": "deepgram", "model": "flux-general-en"},
		"chirp":  {"provider": "google_cloud", "model": "chirp_3", "language": "en"},
	},
	"llm": {
		"groq":   {"provider": "groq", "model": "openai/gpt-oss-20b"},
		"google": {"provider": "google", "model": "gemini-3.5-flash-lite"},
	},
	"tts": {
		"openai": {"provider": "openai", "model": "gpt-4o-mini-tts", "voice_id": "ash"},
		"groq":   {"provider": "groq", "model": "canopylabs/orpheus-v1-english", "voice_id": "hannah"},
		"aura":   {"provider": "deepgram", "model": "aura-2", "voice_id": "aura-2-thalia-en"},
		"gemini": {"provider": "google", "model": "gemini-3.8-flash-lite-tts", "voice_id": "Kore"},
	},
}

// newNamed returns vendors with OpenAI's audio API and Groq among them, and the settings that lead a server to them. OpenAI's transcription
// is streamed.
func newNamed(t *testing.T, answers func(vendor string, p dialogue.Prompt) emulator.Reply, lines ...string) (vendors, map[string]string) {
	t.Helper()
	v := newVendors(t, script{heard: map[string][]string{"deepgram": lines, "assemblyai": lines, "elevenlabs": lines}, answers: answers})
	voice := newSynthesiser(t)
	o := func(vendor string) emulator.Options { return emulator.Options{Key: keyOf(vendor), Speak: voice.say} }
	v["openai"] = emulator.NewCompatible(t, o("openai"), emulator.Compatible{OpenAI: true, Realtime: "openai", Recognizer: emulator.RecognizerScript{Lines: lines}})
	v["groq"] = emulator.NewCompatible(t, o("groq"), emulator.Compatible{Groq: true, Recognizer: emulator.RecognizerScript{Lines: lines},
		Script: emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply { return answers("groq", p) }}})
	v["google_cloud"] = emulator.NewGoogleCloud(t, o("google_cloud"), emulator.RecognizerScript{Lines: lines})
	t.Cleanup(v["google_cloud"].Close)
	t.Cleanup(v["openai"].Close)
	t.Cleanup(v["groq"].Close)
	settings := v.settings(keyOf)
	settings["OPENAI_BASE_URL"] = "ws" + strings.TrimPrefix(v["openai"].URL, "http")
	return v, settings
}

// Calls spoken over wires that vendors have besides their first: OpenAI's audio API, Groq, Deepgram's Flux and Aura, Chirp, Gemini and its voices. Each answers with
// the result of a tool.
func TestNamedWires(t *testing.T) {
	t.Parallel()
	for title, agent := range map[string][3]string{
		"openai speech": {"openai", "groq", "openai"},
		"groq":          {"groq", "groq", "groq"},
		"deepgram":      {"flux", "google", "aura"},
		"google":        {"chirp", "google", "gemini"},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(`{"open":"eleven in the morning"}`)) }))
			t.Cleanup(backend.Close)
			_, settings := newNamed(t, informed, hours, name)
			s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
			ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "opening_hours", "config": object{
				"parameters": []object{{"name": "day", "type": "string", "required": true}},
				"actions":    []object{{"type": "api_call", "method": "GET", "url": backend.URL, "timeout": 5}},
			}}, nil)
			stt, llm, tts := named["stt"][agent[0]], named["llm"][agent[1]], named["tts"][agent[2]]
			newAgent(t, s, "desk", stt, llm, tts)
			ask(t, s, http.MethodPut, "/api/v1/agents/desk", object{"config": object{"tools": []string{"opening_hours"}}}, nil)
			r := converseAloud(t, s, []string{hours, name}, []string{"eleven in the morning", "helen"}, "desk")
			if items := errorsOf(t, s, r.CallID); len(items) > 0 {
				t.Errorf("error log: %+v", items)
			}
			measured(t, s, stt["provider"].(string)+" stt", llm["provider"].(string)+" llm", tts["provider"].(string)+" tts")
		})
	}
}

// Each of these wires fails within a call: the fallback replaces it, and the turn is answered.
func TestNamedWiresFallBack(t *testing.T) {
	t.Parallel()
	fallbacks := map[string]string{"stt": "assemblyai", "llm": "anthropic", "tts": "cartesia"}
	faults := map[string]emulator.Fault{"stt": emulator.Broken, "llm": emulator.Drop, "tts": emulator.Garbage}
	for kind, wires := range named {
		for wire, choice := range wires {
			t.Run(kind+" "+wire, func(t *testing.T) {
				t.Parallel()
				v, settings := newNamed(t, waiter, hours)
				s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
				agent := map[string]object{"stt": choices["assemblyai"], "llm": choices["anthropic"], "tts": choices["cartesia"]}
				agent[kind] = maps.Clone(choice)
				agent[kind]["fallback"] = choices[fallbacks[kind]]
				newAgent(t, s, "desk", agent["stt"], agent["llm"], agent["tts"])
				vendor := choice["provider"].(string)
				r := talkOverFault(t, s, v[vendor], faults[kind])
				if items := errorsOf(t, s, r.CallID); !slices.ContainsFunc(items, func(i errorItem) bool {
					return i.Service == kind && i.Details.Provider == vendor && strings.Contains(i.Message, "the fallback takes its place")
				}) {
					t.Errorf("error log: %+v", items)
				}
			})
		}
	}
}
