package assemblyai_test

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/providertest"
)

func TestFamilies(t *testing.T) {
	for _, test := range []struct {
		options dialogue.RecognizeOptions
		more    url.Values
	}{
		{dialogue.RecognizeOptions{Model: "universal-streaming-english", Language: "en"}, url.Values{"format_turns": {"false"}}},
		{dialogue.RecognizeOptions{Model: "universal-3-5-pro"}, nil},
		{dialogue.RecognizeOptions{Model: "universal-3-5-pro", KeyTerms: []string{"Parley", "Dr. Okonkwo"}}, url.Values{"keyterms_prompt": {`["Parley","Dr. Okonkwo"]`}}},
		{dialogue.RecognizeOptions{Model: "universal-3-5-pro", Language: "de-AT"}, url.Values{"language_codes": {`["de"]`}}},
		{dialogue.RecognizeOptions{Model: "u3-rt-pro", Language: "pt-BR"}, url.Values{"language_codes": {`["pt"]`}}},
		{dialogue.RecognizeOptions{Model: "u3-rt-pro", Language: "tlh"}, nil},
		{dialogue.RecognizeOptions{Model: "u3-rt-pro", TurnSilence: 400 * time.Millisecond}, url.Values{"min_turn_silence": {"400"}}},
		{dialogue.RecognizeOptions{Model: "u3-rt-pro", TurnSilence: 1500 * time.Millisecond}, url.Values{"min_turn_silence": {"1500"}, "max_turn_silence": {"1500"}}},
		{dialogue.RecognizeOptions{Model: "universal-streaming-english", TurnSilence: 500 * time.Millisecond, LongestSilence: 2 * time.Second},
			url.Values{"format_turns": {"false"}, "min_turn_silence": {"500"}, "max_turn_silence": {"2000"}}},
	} {
		sent := providertest.Record(t, vendor.Connect, `{"type":"Begin","id":"x","expires_at":1}`, 1, func(t *testing.T, open func(dialogue.RecognizeOptions) dialogue.Recognition) {
			open(test.options).Finalize()
		})
		want := url.Values{"speech_model": {test.options.Model}, "encoding": {"pcm_s16le"}, "sample_rate": {"16000"}}
		for name, values := range test.more {
			want[name] = values
		}
		if diff := cmp.Diff(want, sent.Query); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.options, diff)
		}
	}
}

// withModel is a recogniser of one model.
type withModel struct {
	dialogue.Recognizer
	model string
}

func (m withModel) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	o.Model = m.model
	return m.Recognizer.Recognize(ctx, o)
}

// Universal-3 Pro formats the turns that it ends, and each counts once.
func TestUniversal3Recognizer(t *testing.T) {
	providertest.Recognizer(t, providertest.SpeechToText{Serve: vendor.Serve, Connect: func(key, baseURL string) dialogue.Recognizer {
		return withModel{vendor.Connect(key, baseURL), "universal-3-5-pro"}
	}})
}
