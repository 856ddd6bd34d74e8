package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"parley/client"
)

// streams answers each request with the next of the answers, and keeps the requests' Last-Event-ID.
func streams(t *testing.T, answers ...func(http.ResponseWriter)) (c *client.Client, lastEvents *[]string) {
	t.Helper()
	lastEvents = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := len(*lastEvents)
		*lastEvents = append(*lastEvents, r.Header.Get("Last-Event-ID"))
		answers[min(n, len(answers)-1)](w)
	}))
	t.Cleanup(server.Close)
	return client.New(server.URL, "key", client.WithBackoff(time.Millisecond)), lastEvents
}

func sends(messages ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		for n, event := range messages {
			fmt.Fprintf(w, "id: %s%d\nevent: %s\ndata: {\"message\":\"too slow\"}\n\n", event[:1], n, event)
		}
		fmt.Fprint(w, "id: incomplete\nevent: transcript\nda")
	}
}

func unavailable(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }

// A stream that breaks off is continued after its last message, and ends with its call. Heartbeats are not passed on.
func TestStreamIsContinued(t *testing.T) {
	c, lastEvents := streams(t, sends("connected", "transcript", "heartbeat"), unavailable, sends("status", "ended", "after"))
	var events []string
	for m, err := range c.Calls.Stream(t.Context(), "c") {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, m.Event)
	}
	if want := []string{"connected", "transcript", "status", "ended"}; !slices.Equal(events, want) {
		t.Errorf("events %q, want %q", events, want)
	}
	if want := []string{"", "h2", "h2"}; !slices.Equal(*lastEvents, want) {
		t.Errorf("continued after %q, want %q", *lastEvents, want)
	}
}

func TestStreamEndsWithAnError(t *testing.T) {
	last := func(c *client.Client, ctx context.Context) (n int, last error) {
		for _, err := range c.Calls.StreamAll(ctx) {
			n, last = n+1, err
		}
		return n, last
	}
	c, _ := streams(t, sends("connected", "error"))
	var ended *client.StreamError
	if n, err := last(c, t.Context()); n != 2 || !errors.As(err, &ended) || ended.Message != "too slow" {
		t.Errorf("%d messages, %v", n, err)
	}
	c, requests := streams(t, unavailable)
	var refused *client.Error
	if _, err := last(c, t.Context()); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable || len(*requests) != 4 {
		t.Errorf("after %d attempts: %v", len(*requests), err)
	}
	stopped, stop := context.WithCancel(t.Context())
	c, requests = streams(t, func(w http.ResponseWriter) { stop() })
	if _, err := last(c, stopped); err == nil || len(*requests) != 1 {
		t.Errorf("after %d requests: %v", len(*requests), err)
	}
}
