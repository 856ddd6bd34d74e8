package providertest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
)

// Recording is what one stream sent, to the letter.
type Recording struct {
	Method, Path, Authorization string
	Query                       url.Values
	// Messages are the text messages, and the lengths of the binary ones.
	Messages []any
}

// Record runs a vendor that sends only a greeting, and returns what was sent to it. The recognition that the speaker opens is
// closed after that number of messages.
func Record(t *testing.T, connect func(key, baseURL string) dialogue.Recognizer, greeting string, messages int,
	speak func(t *testing.T, open func(dialogue.RecognizeOptions) dialogue.Recognition)) Recording {
	t.Helper()
	sent, collected := make(chan Recording, 1), make(chan struct{}, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recording := Recording{Method: r.Method, Path: r.URL.Path, Authorization: r.Header.Get("Authorization"), Query: r.URL.Query()}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.CloseNow() }()
		if greeting != "" {
			_ = conn.Write(r.Context(), websocket.MessageText, []byte(greeting))
		}
		for {
			kind, message, err := conn.Read(r.Context())
			if err != nil {
				sent <- recording
				return
			}
			var m any = string(message)
			if kind == websocket.MessageBinary {
				m = len(message)
			}
			recording.Messages = append(recording.Messages, m)
			collected <- struct{}{}
			if m == `{"type":"Terminate"}` { // the client of AssemblyAI awaits the end of the session
				sent <- recording
				return
			}
		}
	}))
	defer server.Close()
	var opened dialogue.Recognition
	speak(t, func(o dialogue.RecognizeOptions) dialogue.Recognition {
		t.Helper()
		var err error
		if opened, err = connect(key, server.URL).Recognize(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		return opened
	})
	for range messages { // Close drops what waits to be sent
		select {
		case <-collected:
		case <-time.After(conditionTimeout):
			t.Fatalf("fewer than %d messages within %v", messages, conditionTimeout)
		}
	}
	opened.Close()
	return <-sent
}
