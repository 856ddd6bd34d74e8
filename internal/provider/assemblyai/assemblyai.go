// Package assemblyai recognises speech over AssemblyAI's Universal-Streaming, a
// WebSocket at /v3/ws (https://www.assemblyai.com/docs/api-reference/streaming-api/universal-streaming).
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

	// AssemblyAI takes from 50 to 1000 ms of audio in a message and closes the
	// stream over anything else (3007, Input duration violation), so that three
	// frames have to wait for one another. More would only come later.
	piece = 3 * dialogue.FrameDuration
	least = 50 * time.Millisecond
)

// Options say how AssemblyAI is reached.
type Options struct {
	Key     string
	BaseURL string // "" for AssemblyAI's own
}

// Recognizer is AssemblyAI as a dialogue.Recognizer.
type Recognizer struct{ o Options }

// New makes a recogniser. It connects to nothing yet.
func New(o Options) *Recognizer {
	if o.BaseURL == "" {
		o.BaseURL = vendorURL
	}
	return &Recognizer{o}
}

// Recognize opens the recognition of one call: one connection over all its
// turns. Universal-Streaming finds the language by itself, so that o.Language
// is not sent.
func (r *Recognizer) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	if o.Model == "" {
		o.Model = defaultModel
	}
	address, err := recognition.Endpoint(r.o.BaseURL, "/v3", "/ws", url.Values{
		"speech_model": {o.Model},
		"encoding":     {"pcm_s16le"},
		"sample_rate":  {strconv.Itoa(dialogue.ListenRate)},
		// A formatted turn is a second message, some time after the first. A
		// language model does not need it.
		"format_turns": {"false"},
	})
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
		Hear:     newEar(r.o.Key).hear,
		Refuses:  refuses,
	}, recognition.Request{
		URL:    address,
		Header: http.Header{"Authorization": {r.o.Key}},
		Secret: r.o.Key,
	})
	if err != nil {
		return nil, err
	}
	return stream, nil
}

// refuses tells from the code and words of an error, or of the close frame
// after it, that the session would be refused again. Codes since 2026 and
// before: https://www.assemblyai.com/docs/streaming/common-session-errors-and-closures
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
