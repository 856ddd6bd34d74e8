package e2e

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// patience bounds the wait for a condition. No test decides by time: the bound is for conditions that never hold, and suits a
// busy machine.
const patience = 3 * time.Minute

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("within %v not: %s", patience, what)
		}
	}
}

// awaitStatus waits until a call has a status.
func awaitStatus(t *testing.T, s *binary.Server, id, status string) {
	t.Helper()
	await(t, "call "+id+" is "+status, func() bool {
		c, err := s.API.Calls.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if c.Status != status && c.Terminal() {
			t.Fatalf("the call is %s (%s), want %s", c.Status, reason(c), status)
		}
		return c.Status == status
	})
}

// awaitOver waits until a call has ended, for whatever reason.
func awaitOver(t *testing.T, s *binary.Server, id string) (c *client.Call) {
	t.Helper()
	await(t, "call "+id+" is over", func() bool {
		var err error
		if c, err = s.API.Calls.Get(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return c.Terminal()
	})
	return c
}

// awaitEnd waits until a call is over, and checks how it ended.
func awaitEnd(t *testing.T, s *binary.Server, id, status, why string) (c *client.Call) {
	t.Helper()
	began := time.Now()
	c = awaitOver(t, s, id)
	t.Logf("the call ended after %v", time.Since(began).Round(time.Millisecond))
	if c.Status != status || reason(c) != why {
		t.Errorf("call ended as %+v (%s), want %s with %s", c, reason(c), status, why)
	}
	return c
}

// awaitReason waits until a call has ended and checks the reason.
func awaitReason(t *testing.T, s *binary.Server, id, why string) {
	t.Helper()
	c := awaitOver(t, s, id)
	if reason(c) != why {
		t.Errorf("call ended as %+v (%s), want %s", c, reason(c), why)
	}
}

// reason is why a call ended; "" while it has not.
func reason(c *client.Call) string {
	if c.StatusReason == nil {
		return ""
	}
	return *c.StatusReason
}

// entries waits until a call's transcript has at least n entries.
func entries(t *testing.T, s *binary.Server, id string, n int) (said []client.TranscriptEntry) {
	t.Helper()
	await(t, strconv.Itoa(n)+" entries in the transcript of "+id, func() bool {
		var err error
		if said, err = s.API.Calls.Transcript(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return len(said) >= n
	})
	return said
}

// awaitGauge waits until a figure of a server's metrics has a value.
func awaitGauge(t *testing.T, s *binary.Server, name string, want int) {
	t.Helper()
	await(t, "/metrics has "+name+" "+strconv.Itoa(want), func() bool {
		return strings.Contains(metrics(t, s), "\n"+name+" "+strconv.Itoa(want)+"\n")
	})
}

// metrics are a server's, in Prometheus's form.
func metrics(t *testing.T, s *binary.Server) string {
	t.Helper()
	answer, err := http.Get(s.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// awaitDraining waits until a server that was signalled to stop logs that it drains.
func awaitDraining(t *testing.T, s *binary.Server) {
	t.Helper()
	await(t, "/health/ready answers 503", func() bool {
		answer, err := http.Get(s.URL + "/health/ready")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer.StatusCode == http.StatusServiceUnavailable
	})
}
