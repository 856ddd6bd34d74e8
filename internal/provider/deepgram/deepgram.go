// Package deepgram is a client of Deepgram's streaming speech recognition, a WebSocket at /v1/listen
// (https://developers.deepgram.com/reference/speech-to-text/listen-streaming), and at /v2/listen with Flux models.
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

	// endpointing is the silence after which Deepgram sets speech_final, in milliseconds. Its default of 10 would
	// end an utterance at every pause.
	endpointing = 300
	// keepAliveAfter is the interval of KeepAlive messages while no audio is sent, for example from a muted
	// microphone: Deepgram recommends 3 to 5 s and closes the connection after 10 s (NET-0001).
	keepAliveAfter = 4 * time.Second
	// piece is one frame: Deepgram accepts any size, and larger messages add delay.
	piece = dialogue.FrameDuration
)

// Options configures a Recognizer.
type Options struct {
	Key     string
	BaseURL string // "" for Deepgram's own
	// Client makes the connections; nil for the process's own.
	Client *http.Client
}

// Recognizer is Deepgram as a dialogue.Recognizer.
type Recognizer struct{ o Options }

// New returns a Recognizer. It makes no connection.
func New(o Options) *Recognizer {
	if o.BaseURL == "" {
		o.BaseURL = vendorURL
	}
	return &Recognizer{o}
}

// Recognize opens one connection for all turns of a call.
func (r *Recognizer) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	version, query, dialect := "/v1", novaQuery(o), novaDialect
	if strings.HasPrefix(o.Model, fluxPrefix) {
		version, query, dialect = "/v2", fluxQuery(o), fluxDialect
	}
	address, err := recognition.Endpoint(r.o.BaseURL, version, "/listen", query)
	if err != nil {
		return nil, fmt.Errorf("Deepgram: %w", err)
	}
	dialect.Used = o.Used
	stream, err := recognition.Open(ctx, dialect, recognition.Request{
		URL:    address,
		Header: http.Header{"Authorization": {"Token " + r.o.Key}},
		Secret: r.o.Key,
		Client: r.o.Client,
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
		// Interim results are used for barge-in and preemptive generation.
		"interim_results": {"true"},
		"endpointing":     {strconv.Itoa(endpointing)},
		// SpeechStarted announces words; see package recognition.
		"vad_events": {"true"},
		// Punctuation, numbers, dates. Deepgram may delay an unfinished number by 3 s, but not after Finalize,
		// which is sent after 200 ms of silence; no_delay would disable the formatting.
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
		// Code-switching between the model's languages; by default Deepgram recognises English only.
		q.Set("language", "multi")
	}
	addKeyTerms(q, o)
	return q
}

// addKeyTerms adds the agent's key terms, each as a separate parameter (https://developers.deepgram.com/docs/keyterm).
func addKeyTerms(q url.Values, o dialogue.RecognizeOptions) {
	if terms := provider.KeyTermsFor("deepgram", o.Model, o.KeyTerms); len(terms) > 0 {
		q["keyterm"] = terms
	}
}

// pace is how fast audio may be streamed, in multiples of its length: more is transcribed late, when a Finalize is not answered in time any more
// (https://developers.deepgram.com/docs/recovering-from-connection-errors-and-timeouts-when-live-streaming-audio).
const pace = 1.25

var novaDialect = recognition.Dialect{
	Vendor:         "Deepgram",
	Pace:           pace,
	Piece:          piece,
	Finalize:       `{"type":"Finalize"}`,
	KeepAlive:      `{"type":"KeepAlive"}`,
	KeepAliveAfter: keepAliveAfter,
	Farewell:       `{"type":"CloseStream"}`,
	Parse:          parse,
	// Nova loses words: their interim text is followed by an empty final (https://github.com/pipecat-ai/pipecat/issues/455,
	// https://github.com/jambonz/jambonz-feature-server/issues/998).
	KeepsInterim: true,
	Refuses:      refuses,
}

// refuses reports whether a closure is final. 1008 (DATA-0000) is undecodable audio, 1003 and 1009 are messages of a wrong
// type or size. 1011 (NET-…) is a failure at Deepgram.
func refuses(code websocket.StatusCode, _ string) bool {
	return code == websocket.StatusPolicyViolation || code == websocket.StatusUnsupportedData || code == websocket.StatusMessageTooBig
}
