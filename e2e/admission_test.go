package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/e2e/binary"
)

// post sends a dispatch as it is, with no client that would try again.
func post(t *testing.T, s *binary.Server, path, body, idempotencyKey string) (*http.Response, []byte) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("X-API-Key", s.Key)
	q.Header.Set("Content-Type", "application/json")
	if idempotencyKey != "" {
		q.Header.Set("Idempotency-Key", idempotencyKey)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, text
}

// While more calls are pending than the limit, dispatches are rejected; when calls have ended, they are accepted again.
func TestTooManyCallsWait(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_MAX_WAITING_CALLS": "1"}, "--without=worker")
	var waiting []string
	for range 2 {
		answer, text := post(t, s, "/api/v1/calls", `{"workflow_slug":"demo"}`, "")
		var d struct {
			CallID string `json:"call_id"`
		}
		if err := json.Unmarshal(text, &d); err != nil || answer.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %s", answer.Status, text)
		}
		waiting = append(waiting, d.CallID)
	}
	awaitGauge(t, s, "calls_waiting", 2)
	requests := map[string]string{
		"/api/v1/calls": `{"workflow_slug":"demo"}`, "/api/v1/calls/test-agent": `{"agent_name":"demo"}`, "/api/v1/webhooks/ingest": `{"agent_slug":"demo"}`,
	}
	for path, body := range requests {
		for _, key := range []string{"", path} {
			answer, text := post(t, s, path, body, key)
			seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
			if answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), `"service_unavailable"`) || err != nil || seconds < 1 {
				t.Errorf("%s: %s, Retry-After %q, %s", path, answer.Status, answer.Header.Get("Retry-After"), text)
			}
		}
	}
	if _, err := s.API.Calls.End(t.Context(), waiting[0]); err != nil {
		t.Fatal(err)
	}
	awaitGauge(t, s, "calls_waiting", 1)
	path := "/api/v1/calls/test-agent"
	if answer, text := post(t, s, path, requests[path], path); answer.StatusCode != http.StatusCreated {
		t.Errorf("the key of a request that was turned away: %s: %s", answer.Status, text)
	}
}
