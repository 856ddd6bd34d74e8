// Package assemblyai is a client of AssemblyAI's Universal-Streaming speech recognition, a WebSocket at /v3/ws
// (https://www.assemblyai.com/docs/api-reference/streaming-api/universal-streaming).
package assemblyai

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
	"parley/internal/provider/recognition"
)

const (
	vendorURL    = "https://streaming.assemblyai.com"
	defaultModel = "universal-streaming-multilingual"

	// AssemblyAI accepts 50 to 1000 ms of audio per message and closes the stream otherwise (3007, Input duration
	// violation), so three frames are sent together. Longer messages would add delay.
	piece = 3 * dialogue.FrameDuration
	least = 50 * time.Millisecond
)

// Options configures a Recognizer.
type Options struct {
	Key     string
	BaseURL string // "" for AssemblyAI's own
	// Client makes the connections; nil for the process's own.
	Client *http.Client
}

// Recognizer is AssemblyAI as a dialogue.Recognizer.
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
	if o.Model == "" {
		o.Model = defaultModel
	}
	query := url.Values{"speech_model": {o.Model}, "encoding": {"pcm_s16le"}, "sample_rate": {strconv.Itoa(dialogue.ListenRate)}}
	if err := addFamily(query, o); err != nil {
		return nil, fmt.Errorf("AssemblyAI: %w", err)
	}
	address, err := recognition.Endpoint(r.o.BaseURL, "/v3", "/ws", query)
	if err != nil {
		return nil, fmt.Errorf("AssemblyAI: %w", err)
	}
	stream, err := recognition.Open(ctx, recognition.Dialect{
		Vendor:   "AssemblyAI",
		Piece:    piece,
		Least:    least,
		Finalize: `{"type":"ForceEndpoint"}`,
		Farewell: `{"type":"Terminate"}`,
		Greets:   true,
		Parse:    newParser(r.o.Key).parse,
		Refuses:  refuses,
		// Not the audio is billed, but the session: https://www.assemblyai.com/docs/faq/how-does-universal-streaming-session-based-pricing-work.md
		Used: o.Used, BillsSession: true,
	}, recognition.Request{
		URL:    address,
		Header: http.Header{"Authorization": {r.o.Key}},
		Secret: r.o.Key,
		Client: r.o.Client,
	})
	if err != nil {
		return nil, err
	}
	return stream, nil
}

// refuses reports whether the code and message of an error, or of the close frame after it, mean that a retry would
// fail as well. https://www.assemblyai.com/docs/streaming/common-session-errors-and-closures
func refuses(code websocket.StatusCode, words string) bool {
	switch code {
	case websocket.StatusPolicyViolation: // unauthorized, or too many sessions
		return !strings.Contains(strings.ToLower(words), "too many")
	case 3006, // invalid message, JSON or parameter
		4000, 4001, 4002, 4003: // sample rate, key, funds, paid feature
		return true
	}
	return false
}
