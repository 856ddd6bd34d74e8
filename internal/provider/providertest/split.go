package providertest

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
)

// responder is a transport whose every response is this.
type responder struct {
	contentType string
	body        func() io.Reader
}

// RoundTrip implements http.RoundTripper.
func (s responder) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {s.contentType}}, Body: io.NopCloser(s.body()), Request: r,
	}, nil
}

// wholeAnswer is what came of a stream.
type wholeAnswer struct {
	Text  string
	Calls []namedCall
	Usage *dialogue.Usage
	Err   string
}

type namedCall struct{ Name, Arguments string } // ids may be made up

// FuzzAnswers fuzzes the streams of a language model: however their bytes are split on the way, the answer is the same.
func FuzzAnswers(f *testing.F, newModel func(*http.Client) dialogue.LanguageModel, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed), uint16(7), true)
		f.Add([]byte(seed), uint16(len(seed)/2), false)
	}
	f.Fuzz(func(t *testing.T, stream []byte, at uint16, events bool) {
		contentType := "application/json"
		if events {
			contentType = "text/event-stream"
		}
		cut := min(int(at), len(stream))
		want := answerTo(t, newModel, responder{contentType, func() io.Reader { return bytes.NewReader(stream) }})
		for name, body := range map[string]func() io.Reader{
			"byte by byte":  func() io.Reader { return iotest.OneByteReader(bytes.NewReader(stream)) },
			"in two pieces": func() io.Reader { return io.MultiReader(bytes.NewReader(stream[:cut]), bytes.NewReader(stream[cut:])) },
			"end with data": func() io.Reader { return iotest.DataErrReader(bytes.NewReader(stream)) },
		} {
			if diff := cmp.Diff(want, answerTo(t, newModel, responder{contentType, body})); diff != "" {
				t.Errorf("%s (-at once +%s):\n%s", name, name, diff)
			}
		}
	})
}

func answerTo(t *testing.T, newModel func(*http.Client) dialogue.LanguageModel, r responder) (w wholeAnswer) {
	model := newModel(&http.Client{Transport: r})
	for delta, err := range model.Generate(t.Context(), dialogue.Prompt{Model: "m"}) {
		if err != nil {
			w.Err = err.Error()
			break
		}
		w.Text += delta.Text
		for _, c := range delta.ToolCalls {
			w.Calls = append(w.Calls, namedCall{c.Name, string(c.Arguments)})
		}
		if delta.Usage != nil {
			w.Usage = delta.Usage
		}
	}
	return w
}
