package elevenlabs_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/elevenlabs"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

var scribe = providertest.SpeechToText{
	Serve: emulator.NewElevenLabsSpeech,
	Connect: func(key, baseURL string) dialogue.Recognizer {
		return elevenlabs.NewRecognizer(elevenlabs.Options{Key: key, BaseURL: baseURL})
	},
	CommitsOnly: true,
}

func TestRecognizer(t *testing.T) { providertest.Recognizer(t, scribe) }

// The exact messages to ElevenLabs: audio as base64 in JSON, and a commit for a final transcript.
func TestScribeWire(t *testing.T) {
	sent := providertest.Record(t, scribe.Connect, `{"message_type":"session_started","session_id":"x","config":{}}`, 2,
		func(t *testing.T, open func(dialogue.RecognizeOptions) dialogue.Recognition) {
			r := open(dialogue.RecognizeOptions{Language: "de-AT", KeyTerms: []string{"Parley", "Rechtsschutzversicherung"}})
			r.Write([]int16{1, -1})
			r.Finalize()
		})
	want := providertest.Recording{
		Method: http.MethodGet, Path: "/v1/speech-to-text/realtime",
		Query: url.Values{"model_id": {"scribe_v2_realtime"}, "audio_format": {"pcm_16000"}, "commit_strategy": {"manual"}, "language_code": {"de"}, "keyterms": {"Parley"}},
		Messages: []any{
			`{"message_type":"input_audio_chunk","audio_base_64":"AQD//w==","commit":false,"sample_rate":16000}`,
			`{"message_type":"input_audio_chunk","audio_base_64":"","commit":true,"sample_rate":16000}`,
		},
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
}
