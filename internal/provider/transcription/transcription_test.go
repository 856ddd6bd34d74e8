package transcription

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// A server that refuses one utterance has not failed: nothing was understood, and the next is transcribed. One that refuses all has.
func TestRefusedUtterances(t *testing.T) {
	for name, test := range map[string]struct {
		statuses []int // of the requests
		want     []string
		failed   bool
	}{
		"one":               {[]int{200, 400, 200}, []string{"words", "", "words"}, false},
		"three in a row":    {[]int{200, 400, 400, 422}, []string{"words", "", ""}, true},
		"the first":         {[]int{400}, nil, true},
		"a key that is bad": {[]int{200, 401}, []string{"words"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					return
				}
				w.WriteHeader(test.statuses[requests])
				requests++
				io.WriteString(w, "words")
			}))
			defer server.Close()
			recognition, err := Open(t.Context(), Vendor{URL: server.URL, Probe: server.URL,
				Body: func([]int16) (string, []byte, error) { return "audio/wav", []byte("x"), nil },
				Text: func(answer []byte) (string, dialogue.SpeechUsage, error) {
					return string(answer), dialogue.SpeechUsage{}, nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			defer recognition.Close()
			tone := audio.Tone(440, dialogue.ListenRate, 1e9)
			var got []string
			for range test.statuses {
				if errors.Join(recognition.Write(tone), recognition.Finalize()) != nil {
					break
				}
				transcript, more := <-recognition.Transcripts()
				if !more {
					break
				}
				got = append(got, transcript.Text)
			}
			if len(got) != len(test.want) {
				t.Fatalf("transcripts %q, want %q", got, test.want)
			}
			for i := range got {
				if got[i] != test.want[i] {
					t.Errorf("transcripts %q, want %q", got, test.want)
				}
			}
			if test.failed && !errors.Is(recognition.Err(), dialogue.ErrRefused) {
				t.Errorf("ended with %v", recognition.Err())
			}
		})
	}
}
