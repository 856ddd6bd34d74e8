package assemblyai_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/assemblyai"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

var vendor = providertest.SpeechToText{
	Serve: emulator.NewAssemblyAI,
	Connect: func(key, baseURL string) dialogue.Recognizer {
		return assemblyai.New(assemblyai.Options{Key: key, BaseURL: baseURL})
	},
}

func TestRecognizer(t *testing.T) { providertest.Recognizer(t, vendor) }

// TestWire: the exact messages to AssemblyAI.
func TestWire(t *testing.T) {
	sent := providertest.Record(t, vendor.Connect, `{"type":"Begin","id":"x","expires_at":1}`, 5, func(t *testing.T, open func(dialogue.RecognizeOptions) dialogue.Recognition) {
		r := open(dialogue.RecognizeOptions{Language: "es"})
		for range 4 {
			r.Write(make([]int16, 320))
		}
		r.Finalize() // 20 ms are left; AssemblyAI accepts no less than 50
		for range 3 {
			r.Write(make([]int16, 320))
		}
		r.Finalize()
	})
	want := providertest.Recording{
		Method: http.MethodGet, Path: "/v3/ws", Authorization: "the-right-key",
		Query:    url.Values{"speech_model": {"universal-streaming-multilingual"}, "encoding": {"pcm_s16le"}, "sample_rate": {"16000"}, "format_turns": {"false"}},
		Messages: []any{1920, 1600, `{"type":"ForceEndpoint"}`, 1920, `{"type":"ForceEndpoint"}`, `{"type":"Terminate"}`},
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
}
