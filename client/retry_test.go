package client_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/client"
)

// roundTrips answers requests in turn: with a status, or with an error.
type roundTrips struct {
	answers []any
	header  http.Header
	bodies  []string
	at      []time.Time
}

func (r *roundTrips) RoundTrip(q *http.Request) (*http.Response, error) {
	body := ""
	if q.Body != nil {
		b, _ := io.ReadAll(q.Body)
		body = string(b)
	}
	r.bodies, r.at = append(r.bodies, body), append(r.at, time.Now())
	answer := r.answers[min(len(r.at), len(r.answers))-1]
	if err, ok := answer.(error); ok {
		return nil, err
	}
	return &http.Response{StatusCode: answer.(int), Header: r.header, Body: io.NopCloser(strings.NewReader(`{}`)), Request: q}, nil
}

func TestRetry(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	get := func(ctx context.Context, c *client.Client) error { _, err := c.Agents.Get(ctx, "x"); return err }
	create := func(ctx context.Context, c *client.Client) error {
		_, err := c.Agents.Create(ctx, client.NewAgent{Name: "x"})
		return err
	}
	start := func(ctx context.Context, c *client.Client) error {
		_, err := c.Calls.Start(ctx, client.StartCall{WorkflowSlug: "w"})
		return err
	}
	tests := []struct {
		name    string
		do      func(context.Context, *client.Client) error
		answers []any
		sent    int
		fails   bool
	}{
		{"nothing wrong", get, []any{200}, 1, false},
		{"server error", get, []any{500, 502, 200}, 3, false},
		{"too many requests", get, []any{429, 200}, 2, false},
		{"connection lost", get, []any{reset, 200}, 2, false},
		{"never well", get, []any{503}, 4, true},
		{"client's fault", get, []any{404, 200}, 1, true},
		{"creation in doubt", create, []any{500, 200}, 1, true},
		{"creation lost", create, []any{reset, 200}, 1, true},
		{"creation put off", create, []any{429, 200}, 2, false},
		{"creation unsent", create, []any{refused, 200}, 2, false},
		{"dispatch has a key", start, []any{500, reset, 201}, 3, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				trips := &roundTrips{answers: test.answers}
				c := client.New("http://parley.test", "k", client.WithHTTPClient(&http.Client{Transport: trips}))
				if err := test.do(t.Context(), c); (err != nil) != test.fails {
					t.Errorf("error %v, want one: %v", err, test.fails)
				}
				if len(trips.at) != test.sent {
					t.Fatalf("sent %d times, want %d", len(trips.at), test.sent)
				}
				wait := 250 * time.Millisecond
				for i := 1; i < len(trips.at); i++ {
					if got := trips.at[i].Sub(trips.at[i-1]); got > wait || got < wait/2 {
						t.Errorf("wait %d took %v, want between %v and %v", i, got, wait/2, wait)
					}
					if trips.bodies[i] != trips.bodies[0] {
						t.Errorf("attempt %d sent %q, the first %q", i+1, trips.bodies[i], trips.bodies[0])
					}
					wait *= 2
				}
			})
		})
	}
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trips := &roundTrips{answers: []any{429, 200}, header: http.Header{"Retry-After": {"7"}}}
		c := client.New("http://parley.test", "k", client.WithHTTPClient(&http.Client{Transport: trips}))
		began := time.Now()
		if _, err := c.Me(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := time.Since(began); got != 7*time.Second {
			t.Errorf("waited %v, want the 7 s that the server asked for", got)
		}
	})
}

func TestRetryEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trips := &roundTrips{answers: []any{503}, header: http.Header{"Retry-After": {"20"}}}
		c := client.New("http://parley.test", "k", client.WithHTTPClient(&http.Client{Transport: trips}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := c.Me(ctx)
		var refused *client.Error
		if !errors.Is(err, context.DeadlineExceeded) || !errors.As(err, &refused) {
			t.Errorf("error %v, want the context's and the server's", err)
		}
		if got := time.Since(began); got != time.Second {
			t.Errorf("took %v after the context had ended at 1 s", got)
		}
	})
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trips := &statuses{texts: []string{client.Pending, client.Active, client.Disconnected}}
		c := client.New("http://parley.test", "k", client.WithHTTPClient(&http.Client{Transport: trips}))
		call, err := c.Calls.Wait(t.Context(), "c", time.Second)
		if err != nil || call.Status != client.Disconnected || trips.asked != 3 {
			t.Errorf("call %+v, error %v after %d questions", call, err, trips.asked)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		call, err = client.New("http://parley.test", "k", client.WithHTTPClient(&http.Client{Transport: &statuses{texts: []string{client.Active}}})).Calls.Wait(ctx, "c", time.Second)
		if !errors.Is(err, context.DeadlineExceeded) || call == nil || call.Status != client.Active {
			t.Errorf("call %+v, error %v, want the active call and the context's error", call, err)
		}
	})
}

// statuses answers a call with one status after the other; the last stays.
type statuses struct {
	texts []string
	asked int
}

func (s *statuses) RoundTrip(q *http.Request) (*http.Response, error) {
	text := s.texts[min(s.asked, len(s.texts)-1)]
	s.asked++
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(`{"status":"` + text + `"}`)), Request: q}, nil
}
