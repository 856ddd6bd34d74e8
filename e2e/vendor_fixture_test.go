package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
	"parley/internal/provider/offline"
)

type object = map[string]any

// vendors are the emulated vendors, keyed by name. Each accepts its own key only.
type vendors map[string]*emulator.Server

func keyOf(vendor string) string { return "key-of-" + vendor }

// script is what the emulated recognisers understand, whatever is said to them, and what the emulated models answer.
type script struct {
	heard   map[string][]string // by vendor
	answers func(vendor string, p dialogue.Prompt) emulator.Reply
}

// endpointing is the silence after which an emulated recogniser turns to its next line by itself. Parley ends turns sooner;
// a gap in the sound of a line, for the machine was too busy, does not begin another.
const endpointing = time.Second

func newVendors(t *testing.T, s script) vendors {
	t.Helper()
	v, voice := vendors{}, newSynthesiser(t)
	o := func(vendor string) emulator.Options { return emulator.Options{Key: keyOf(vendor), Speak: voice.say} }
	model := func(vendor string) emulator.Script {
		return emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply { return s.answers(vendor, p) }}
	}
	v["deepgram"] = emulator.NewDeepgram(t, o("deepgram"), emulator.RecognizerScript{Lines: s.heard["deepgram"], Endpointing: endpointing})
	v["assemblyai"] = emulator.NewAssemblyAI(t, o("assemblyai"), emulator.RecognizerScript{Lines: s.heard["assemblyai"], Endpointing: endpointing})
	v["cartesia"] = emulator.NewCartesia(t, o("cartesia"))
	v["elevenlabs"] = emulator.NewElevenLabsSpeech(t, o("elevenlabs"), emulator.RecognizerScript{Lines: s.heard["elevenlabs"], Endpointing: endpointing})
	v["openai"] = emulator.NewOpenAIWithRealtime(t, o("openai"), emulator.RecognizerScript{Lines: s.heard["openai"]}, model("openai"))
	v["google"] = emulator.NewGoogleWithLive(t, o("google"), emulator.RecognizerScript{Lines: s.heard["google"], Endpointing: endpointing}, model("google"))
	v["anthropic"] = emulator.NewAnthropic(t, o("anthropic"), model("anthropic"))
	for _, server := range v {
		t.Cleanup(server.Close)
	}
	return v
}

// settings lead a server to the vendors, with the platform's keys; "" for none.
func (v vendors) settings(key func(vendor string) string) map[string]string {
	settings := map[string]string{"PARLEY_LOG_LEVEL": "debug"}
	for vendor, server := range v {
		settings[strings.ToUpper(vendor)+"_BASE_URL"] = server.URL
		settings[strings.ToUpper(vendor)+"_API_KEY"] = key(vendor)
	}
	return settings
}

// choices are what agents can choose of each vendor.
var choices = map[string]object{
	"deepgram":   {"provider": "deepgram", "model": "nova-3"},
	"assemblyai": {"provider": "assemblyai", "model": "universal-streaming-multilingual"},
	"openai":     {"provider": "openai", "model": "gpt-4.1"},
	"anthropic":  {"provider": "anthropic", "model": "claude-sonnet-4-6"},
	"google":     {"provider": "google", "model": "gemini-3.8-flash"},
	"cartesia":   {"provider": "cartesia", "voice_id": "694f9389-aac1-45b6-b726-9d9369183238"},
	"elevenlabs": {"provider": "elevenlabs", "voice_id": "21m00Tcm4TlvDq8ikWAM"},
	"scribe":     {"provider": "elevenlabs", "model": "scribe_v2_realtime"},
	"hear":       {"provider": "offline", "model": "pocketsphinx"},
	"think":      {"provider": "offline", "model": "scripted"},
	"speak":      {"provider": "offline", "voice_id": "rms"},
}

// withFallback is a choice with a fallback.
func withFallback(choice, fallback string) object {
	both := object{"fallback": choices[fallback]}
	for k, v := range choices[choice] {
		both[k] = v
	}
	return both
}

const greeting = "Hello, this is the garden restaurant."

// newAgent returns an agent of these choices.
func newAgent(t *testing.T, s *binary.Server, name string, stt, llm, tts object) {
	t.Helper()
	ask(t, s, http.MethodPost, "/api/v1/agents", object{"name": name, "config": object{
		"prompt": object{"system": "You answer the phone of a restaurant.", "greeting": greeting}, "stt": stt, "llm": llm, "tts": tts,
	}}, nil)
}

// offlineSpeech is the part of an agent's config that has it run on the offline providers.
const offlineSpeech = `"stt": {"provider": "offline", "model": "pocketsphinx"}, "tts": {"provider": "offline", "voice_id": "slt"}, "llm": {"provider": "offline", "model": "scripted"}`

// ask sends a request to the API with the demo tenant's key, which has to succeed, and decodes its answer.
func ask(t *testing.T, s *binary.Server, method, path string, body, answer any) {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", s.Key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %s (%v)", method, path, response.Status, text, err)
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			t.Fatalf("%s %s answers %s: %v", method, path, text, err)
		}
	}
}

// errorItem is an entry of the error log.
type errorItem struct {
	CallID  string `json:"call_id"`
	Service string
	Level   string
	Message string
	Details struct{ Provider string }
}

// errorsOf is what the error log has of a call, the oldest first; without answers that were slow, as they are on a machine that
// is busy with other tests.
func errorsOf(t *testing.T, s *binary.Server, call string) (items []errorItem) {
	t.Helper()
	var page struct{ Items []errorItem }
	ask(t, s, http.MethodGet, "/api/v1/analytics/errors?limit=200", nil, &page)
	for _, item := range slices.Backward(page.Items) {
		if item.CallID == call && !strings.Contains(item.Message, "over the budget") {
			items = append(items, item)
		}
	}
	return items
}

// measured checks that the figures for Prometheus have these providers, as "vendor kind".
func measured(t *testing.T, s *binary.Server, providers ...string) {
	t.Helper()
	text := metrics(t, s)
	for _, provider := range providers {
		vendor, kind, _ := strings.Cut(provider, " ")
		series := `provider_latency_seconds_count{provider="` + vendor + `",type="` + kind + `"} `
		if _, count, ok := strings.Cut(text, series); !ok || strings.HasPrefix(count, "0") {
			t.Errorf("/metrics has %s%.1s", series, count)
		}
	}
}

// synthesiser produces the speech of the emulated synthesisers, with flite.
type synthesiser struct {
	t  *testing.T
	mu sync.Mutex
	dialogue.Voice
}

func newSynthesiser(t *testing.T) *synthesiser {
	t.Helper()
	synthesizer, err := offline.NewSynthesizer()
	if err != nil {
		t.Fatal(err)
	}
	voice, err := synthesizer.Open(t.Context(), dialogue.VoiceOptions{VoiceID: "rms"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		voice.Close()
		synthesizer.Close()
	})
	return &synthesiser{t: t, Voice: voice}
}

func (m *synthesiser) say(text string) (pcm []int16) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u, err := m.Speak(m.t.Context())
	if err == nil {
		err = u.Say(text)
	}
	if err == nil {
		err = u.End()
	}
	if err != nil {
		if m.t.Context().Err() == nil { // what is spoken when the test ends is for nobody
			m.t.Error(err)
		}
		return nil
	}
	for s := range u.Audio() {
		pcm = append(pcm, s.PCM...)
	}
	return pcm
}
