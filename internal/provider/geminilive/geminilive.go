// Package geminilive is a client of Gemini's Live API: speech to speech over a WebSocket.
// https://ai.google.dev/api/live
//
// The vendor's detection of activity is off: the session detects turns as in every call, and the beginning and the end of
// what the caller said are marked. The vendor answers each end by itself; the answer is held until the session asks for it.
package geminilive

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/realtime"
	"parley/internal/provider/recognition"
	"parley/internal/provider/vendorerror"
)

const (
	vendorURL = "https://generativelanguage.googleapis.com"
	vendor    = "Gemini Live"
	name      = "google" // in the catalogue
	path      = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
)

// Options configures a Model.
type Options struct {
	Key     string
	BaseURL string // "" for Google's own
	// Client makes the connections; nil for the process's own.
	Client *http.Client
}

// Model is Gemini Live as a dialogue.RealtimeModel.
type Model struct{ o Options }

// New returns a Model. It makes no connection.
func New(o Options) *Model {
	if o.BaseURL == "" {
		o.BaseURL = vendorURL
	}
	return &Model{o}
}

// Converse opens one connection for all turns of a call.
func (m *Model) Converse(ctx context.Context, o dialogue.ConversationOptions) (dialogue.Conversation, error) {
	if entry, ok := provider.Find(provider.Realtime, name); ok && o.Model == "" {
		o.Model = entry.Models[0]
	}
	address, err := recognition.Endpoint(strings.TrimSuffix(strings.TrimSuffix(m.o.BaseURL, "/"), "/v1beta"), "", path, url.Values{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", vendor, err)
	}
	link, err := realtime.Dial(ctx, realtime.Target{
		Vendor: vendor, URL: address, Header: http.Header{"X-Goog-Api-Key": {m.o.Key}}, Secret: m.o.Key, Client: m.o.Client, Refuses: refuses,
	})
	if err != nil {
		return nil, err
	}
	c := newConversation(link, o)
	if err := link.Exchange(ctx, clientMessage{Setup: newSetup(o)}, accept); err != nil {
		return nil, err
	}
	link.Serve(ctx, c.handle, c.end)
	return c, nil
}

// refuses reports whether a retry is useless: the vendor closes the connection with 1007 on an invalid argument, and with
// 1008 on a key or a model that it does not take.
// https://discuss.ai.google.dev/t/gemini-live-api-websocket-error-1008-operation-is-not-implemented-or-supported-or-enabled/114644
func refuses(code websocket.StatusCode, reason string) bool {
	return code == websocket.StatusInvalidFramePayloadData || code == websocket.StatusPolicyViolation && !strings.Contains(reason, "aborted")
}

// accept awaits the answer to the setup.
func accept(message []byte) (bool, error) {
	if vendorerror.IsError(message) {
		return false, dialogue.Wrap(vendor, vendorerror.Read(0, message).Err(""))
	}
	var m serverMessage
	if err := json.Unmarshal(message, &m); err != nil {
		return false, fmt.Errorf("%s sent no JSON: %w", vendor, err)
	}
	return m.SetupComplete != nil, nil
}
