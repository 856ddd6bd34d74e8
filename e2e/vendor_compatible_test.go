package e2e

import (
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/e2e/binary"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// own are agents' choices of models of one's own.
var own = map[string]object{
	"stt": {"provider": "openai_compatible", "model": "Systran/faster-whisper-small"},
	"llm": {"provider": "openai_compatible", "model": "Qwen/Qwen3-8B"},
	"tts": {"provider": "openai_compatible", "model": "speaches-ai/Kokoro-82M-v1.0-ONNX", "voice_id": "af_heart"},
}

// selfHosted are the servers of openai_compatible, keyed by kind.
type selfHosted map[string]*emulator.Server

func newSelfHosted(t *testing.T, realtime string, lines ...string) selfHosted {
	t.Helper()
	voice := newSynthesiser(t)
	h := selfHosted{}
	for _, kind := range []string{"stt", "llm", "tts"} {
		h[kind] = emulator.NewCompatible(t, emulator.Options{Speak: voice.say}, emulator.Compatible{
			Realtime: realtime, Recognizer: emulator.RecognizerScript{Lines: lines},
			Script: emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply { return waiter("", p) }},
		})
		t.Cleanup(h[kind].Close)
	}
	return h
}

// settings are the variables with the servers' addresses. None requires a key.
func (h selfHosted) settings() map[string]string {
	settings := map[string]string{"PARLEY_LOG_LEVEL": "debug"}
	for kind, server := range h {
		settings["OPENAI_COMPATIBLE_"+strings.ToUpper(kind)+"_BASE_URL"] = server.URL
	}
	return settings
}

// Calls with models of one's own for all three kinds, in each way to recognise speech: the caller is understood and
// answered.
func TestCompatibleServers(t *testing.T) {
	t.Parallel()
	for _, realtime := range []string{"", "speaches", "vllm"} {
		t.Run("realtime "+realtime, func(t *testing.T) {
			t.Parallel()
			h := newSelfHosted(t, realtime, hours, name)
			settings := h.settings()
			if realtime != "" {
				settings["OPENAI_COMPATIBLE_STT_BASE_URL"] = "ws" + strings.TrimPrefix(h["stt"].URL, "http")
			}
			s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
			newAgent(t, s, "desk", own["stt"], own["llm"], own["tts"])
			r := converseAfter(t, h["stt"].Restart, s, []string{hours, name}, []string{"eleven in the morning", "helen"}, "--agent", "desk", "--hang-up")
			if items := errorsOf(t, s, r.CallID); len(items) > 0 {
				t.Errorf("error log: %+v", items)
			}
			measured(t, s, "openai_compatible stt", "openai_compatible llm", "openai_compatible tts")
		})
	}
}

// A tenant's own server, at the address that was stored with the key.
func TestCompatibleServersOfTenants(t *testing.T) {
	t.Parallel()
	h := newSelfHosted(t, "", hours)
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	for kind, server := range h {
		ask(t, s, http.MethodPost, "/api/v1/provider-keys", object{"provider_type": kind, "provider_name": "openai_compatible", "base_url": server.URL}, nil)
	}
	newAgent(t, s, "desk", own["stt"], own["llm"], own["tts"])
	converseAfter(t, h["stt"].Restart, s, []string{hours}, []string{"eleven in the morning"}, "--agent", "desk", "--hang-up")
}

// The self-hosted servers fail at each stage in the middle of a call: the fallback replaces them, and the turn is answered.
func TestCompatibleServersFallBack(t *testing.T) {
	t.Parallel()
	for kind, fault := range map[string]emulator.Fault{"stt": emulator.Broken, "llm": emulator.Drop, "tts": emulator.Garbage} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			h := newSelfHosted(t, "", hours)
			v := newVendors(t, script{heard: map[string][]string{"deepgram": {hours}}, answers: waiter})
			settings := v.settings(keyOf)
			maps.Copy(settings, h.settings())
			s := serve(t, filepath.Join(t.TempDir(), "data"), settings)
			fallbacks := map[string]string{"stt": "deepgram", "llm": "openai", "tts": "cartesia"}
			with := func(kind string) object {
				choice := maps.Clone(own[kind])
				choice["fallback"] = choices[fallbacks[kind]]
				return choice
			}
			newAgent(t, s, "desk", with("stt"), with("llm"), with("tts"))
			r := talkOverFault(t, s, h[kind], fault)
			if !replacedBy(t, s, r.CallID, kind) {
				t.Errorf("error log: %+v", errorsOf(t, s, r.CallID))
			}
		})
	}
}

// replacedBy reports whether the error log has the replacement of the self-hosted provider of a kind by its fallback.
func replacedBy(t *testing.T, s *binary.Server, call, kind string) bool {
	t.Helper()
	for _, item := range errorsOf(t, s, call) {
		if item.Service == kind && item.Details.Provider == "openai_compatible" && strings.Contains(item.Message, "the fallback takes its place") {
			return true
		}
	}
	return false
}
