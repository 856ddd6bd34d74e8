package deepgram_test

import (
	"context"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

func TestFluxWire(t *testing.T) {
	for _, test := range []struct {
		options dialogue.RecognizeOptions
		more    url.Values
	}{
		{dialogue.RecognizeOptions{Model: "flux-general-en", Language: "en-GB"}, url.Values{"model": {"flux-general-en"}}},
		{dialogue.RecognizeOptions{Model: "flux-general-multi"}, url.Values{"model": {"flux-general-multi"}}},
		{dialogue.RecognizeOptions{Model: "flux-general-multi", Language: "de-AT"}, url.Values{"model": {"flux-general-multi"}, "language_hint": {"de"}}},
	} {
		sent := providertest.Record(t, vendor.Connect, "", 2, func(t *testing.T, open func(dialogue.RecognizeOptions) dialogue.Recognition) {
			r := open(test.options)
			for range 4 {
				r.Write(make([]int16, 320))
			}
			r.Write(make([]int16, 100)) // an odd rest, which a pause sends along
			r.Finalize()
		})
		query := url.Values{"encoding": {"linear16"}, "sample_rate": {"16000"}, "eager_eot_threshold": {"0.5"}, "eot_timeout_ms": {"2500"}}
		for name, values := range test.more {
			query[name] = values
		}
		want := providertest.Recording{
			Method: http.MethodGet, Path: "/v2/listen", Authorization: "Token the-right-key", Query: query,
			Messages: []any{2560, 200, `{"type":"CloseStream"}`},
		}
		if diff := cmp.Diff(want, sent); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.options, diff)
		}
	}
}

// A turn of Flux as the detector of turns gets it: interim text, text that is likely all, and the end of the turn.
func TestFluxTurns(t *testing.T) {
	server := emulator.NewDeepgram(t, emulator.Options{Key: "right"}, emulator.RecognizerScript{Lines: []string{"one ticket to Rome please"}})
	defer server.Close()
	r, err := vendor.Connect("right", server.URL).Recognize(t.Context(), dialogue.RecognizeOptions{Model: "flux-general-en"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	say := func(pcm []int16) {
		for ; len(pcm) >= 320; pcm = pcm[320:] {
			if err := r.Write(pcm[:320]); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	until := func(which func(dialogue.Transcript) bool) dialogue.Transcript {
		for {
			select {
			case heard, ok := <-r.Transcripts():
				if !ok {
					t.Fatal(r.Err())
				}
				if which(heard) {
					return heard
				}
			case <-ctx.Done():
				t.Fatal("the transcript did not come")
			}
		}
	}
	const text = "one ticket to Rome please"
	say(audio.Tone(300, dialogue.ListenRate, 1200*time.Millisecond))
	say(make([]int16, 3200))
	if err := r.Finalize(); err != nil {
		t.Fatal(err)
	}
	if likely := until(func(h dialogue.Transcript) bool { return h.LikelyEndOfTurn }); likely.Text != text || likely.Final {
		t.Errorf("likely over with %+v", likely)
	}
	say(audio.Tone(300, dialogue.ListenRate, 400*time.Millisecond))
	if resumed := until(func(h dialogue.Transcript) bool { return !h.LikelyEndOfTurn }); resumed.Text != text || resumed.Final {
		t.Errorf("resumed with %+v", resumed)
	}
	say(make([]int16, 16000))
	if end := until(func(h dialogue.Transcript) bool { return h.Final }); end != (dialogue.Transcript{Text: text, Final: true, EndOfTurn: true}) {
		t.Errorf("ended with %+v", end)
	}
}
