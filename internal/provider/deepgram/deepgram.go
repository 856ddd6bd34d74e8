// Package deepgram recognises speech over Deepgram's streaming API, a WebSocket
// at /v1/listen (https://developers.deepgram.com/reference/speech-to-text/listen-streaming),
// and with Flux models at /v2/listen (flux.go).
package deepgram

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/recognition"
)

const (
	vendorURL    = "https://api.deepgram.com"
	defaultModel = "nova-3"

	// endpointing is the silence after which Deepgram sets speech_final, in
	// milliseconds. Its default of 10 makes an end of every breath.
	endpointing = 300
	// keepAliveAfter keeps the connection while no audio comes, as from a muted
	// microphone: after 10 s of nothing Deepgram closes it (NET-0001), and it
	// asks for a KeepAlive every 3 to 5.
	keepAliveAfter = 4 * time.Second
	// piece is one frame: Deepgram takes any size, and what waits for company
	// comes late.
	piece = dialogue.FrameDuration
)

// Options say how Deepgram is reached.
type Options struct {
	Key     string
	BaseURL string // "" for Deepgram's own
}

// Recognizer is Deepgram as a dialogue.Recognizer.
type Recognizer struct{ o Options }

// New makes a recogniser. It connects to nothing yet.
func New(o Options) *Recognizer {
	if o.BaseURL == "" {
		o.BaseURL = vendorURL
	}
	return &Recognizer{o}
}

// Recognize opens the recognition of one call: one connection over all its
// turns.
func (r *Recognizer) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	version, query, dialect := "/v1", novaQuery(o), novaDialect
	if strings.HasPrefix(o.Model, fluxPrefix) {
		version, query, dialect = "/v2", fluxQuery(o), fluxDialect
	}
	address, err := recognition.Endpoint(r.o.BaseURL, version, "/listen", query)
	if err != nil {
		return nil, fmt.Errorf("Deepgram: %w", err)
	}
	stream, err := recognition.Open(ctx, dialect, recognition.Request{
		URL:    address,
		Header: http.Header{"Authorization": {"Token " + r.o.Key}},
		Secret: r.o.Key,
	})
	if err != nil {
		return nil, err
	}
	return stream, nil
}

func novaQuery(o dialogue.RecognizeOptions) url.Values {
	q := url.Values{
		"model":       {o.Model},
		"encoding":    {"linear16"},
		"sample_rate": {strconv.Itoa(dialogue.ListenRate)},
		"channels":    {"1"},
		// Interim results interrupt the agent and let an answer be prepared.
		"interim_results": {"true"},
		"endpointing":     {strconv.Itoa(endpointing)},
		// SpeechStarted tells that words are to come; see package recognition.
		"vad_events": {"true"},
		// Punctuation, numbers, dates. Deepgram may hold an unfinished number
		// back for 3 s, but not from Finalize, which comes after 200 ms of
		// silence; no_delay, which would do too, gives up the formatting.
		"smart_format": {"true"},
	}
	if o.Model == "" {
		q.Set("model", defaultModel)
	}
	code, _ := provider.LanguageCode(provider.STT, "deepgram", q.Get("model"), o.Language)
	switch {
	case code != "":
		q.Set("language", code)
	case strings.HasPrefix(q.Get("model"), "nova-3"):
		// Any of the model's languages, even in turn; without it Deepgram
		// recognises English only.
		q.Set("language", "multi")
	}
	return q
}

var novaDialect = recognition.Dialect{
	Vendor:         "Deepgram",
	Piece:          piece,
	Finalize:       `{"type":"Finalize"}`,
	KeepAlive:      `{"type":"KeepAlive"}`,
	KeepAliveAfter: keepAliveAfter,
	Farewell:       `{"type":"CloseStream"}`,
	Hear:           hear,
	Refuses:        refuses,
}

// refuses tells which closures would come again. 1008 (DATA-0000) is audio that cannot be decoded, and 1003 and 1009
// messages of the wrong kind or size. 1011 (NET-…) is Deepgram's own trouble.
func refuses(code websocket.StatusCode, _ string) bool {
	return code == websocket.StatusPolicyViolation || code == websocket.StatusUnsupportedData || code == websocket.StatusMessageTooBig
}
