package deepgram_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/deepgram"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

var vendor = providertest.SpeechToText{
	Serve: emulator.NewDeepgram,
	Connect: func(key, baseURL string) dialogue.Recognizer {
		return deepgram.New(deepgram.Options{Key: key, BaseURL: baseURL})
	},
}

func TestRecognizer(t *testing.T) { providertest.Recognizer(t, vendor) }

// TestWire: the exact messages to Deepgram.
func TestWire(t *testing.T) {
	for _, test := range []struct {
		options         dialogue.RecognizeOptions
		model, language []string
	}{
		{dialogue.RecognizeOptions{}, []string{"nova-3"}, []string{"multi"}},
		{dialogue.RecognizeOptions{Model: "nova-3-medical"}, []string{"nova-3-medical"}, []string{"multi"}},
		{dialogue.RecognizeOptions{Model: "nova-2-phonecall"}, []string{"nova-2-phonecall"}, nil},
		{dialogue.RecognizeOptions{Model: "nova-3", Language: "pt-BR", KeyTerms: []string{"Parley", "Dr. Okonkwo"}}, []string{"nova-3"}, []string{"pt-BR"}},
		{dialogue.RecognizeOptions{Model: "nova-2", Language: "pt-BR", KeyTerms: []string{"Parley"}}, []string{"nova-2"}, []string{"pt-BR"}},
	} {
		sent := providertest.Record(t, vendor.Connect, "", 5, func(t *testing.T, open func(dialogue.RecognizeOptions) dialogue.Recognition) {
			r := open(test.options)
			r.Write(make([]int16, 320))
			r.Write(make([]int16, 320))
			r.Write(make([]int16, 100)) // an odd rest, which Finalize sends along
			r.Finalize()
			r.Write(make([]int16, 320))
		})
		query := url.Values{
			"model": test.model, "encoding": {"linear16"}, "sample_rate": {"16000"}, "channels": {"1"},
			"interim_results": {"true"}, "endpointing": {"300"}, "vad_events": {"true"}, "smart_format": {"true"},
		}
		if test.language != nil {
			query["language"] = test.language
		}
		if test.options.Model == "nova-3" { // nova-2 refuses key terms
			query["keyterm"] = test.options.KeyTerms
		}
		want := providertest.Recording{
			Method: http.MethodGet, Path: "/v1/listen", Authorization: "Token the-right-key", Query: query,
			Messages: []any{640, 640, 200, `{"type":"Finalize"}`, 640, `{"type":"CloseStream"}`},
		}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Errorf("%+v:\n%s", test.options, diff)
		}
	}
}
