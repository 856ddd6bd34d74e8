package chaos

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/livekit"
	"parley/internal/redis/redistest"
)

// The SIP service of an outside LiveKit is killed and started again. The phone call that finds it gone fails with that reason, in timeline
// and error log; further ones are rejected, and the server says why, while web calls are served. Without an operator phones are dialled again
// once the service is back.
func TestSIPServiceIsAway(t *testing.T) {
	t.Parallel()
	l := livekit.New(t, redistest.Start(t).URL)
	l.StartServer(t)
	service, _ := l.StartSIP(t)
	s, err := binary.Start(program, filepath.Join(t.TempDir(), "data"), map[string]string{
		"LIVEKIT_URL": l.URL, "LIVEKIT_API_KEY": livekit.Key, "LIVEKIT_API_SECRET": livekit.Secret, "PARLEY_SIP_TRUNK_ADDRESS": phone(t),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	s.API = client.New(s.URL, s.Key, client.WithAttempts(1))
	api := func() *client.Client { return s.API }
	dial := func() (id string, err error) {
		d, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", CallType: "sip", PhoneNumber: "+4930123456"})
		if err != nil {
			return "", err
		}
		return d.CallID, nil
	}
	answered := func() {
		t.Helper()
		id, err := dial()
		if err != nil {
			t.Fatal(err)
		}
		reach(t, api, id, client.Active)
		if _, err := s.API.Calls.End(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	answered()

	began := len(s.Log.String())
	service.Kill()
	id, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	ended(t, reach(t, api, id, client.Failed), client.Failed, "unreachable")
	moments, err := s.API.Calls.Timeline(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(moments, func(m client.Moment) bool {
		return m.Type == client.MomentError && strings.Contains(m.Message, "no SIP service")
	}) {
		t.Errorf("timeline: %+v", moments)
	}
	await(t, 100*time.Millisecond, "readiness and /health name the SIP service", func() bool {
		return strings.Contains(healthOf(t, s, "/health/ready", http.StatusOK), `"failing":["phone"]`) && strings.Contains(healthOf(t, s, "/health", http.StatusOK), `"status":"degraded"`)
	})
	var refused *client.Error
	if _, err := dial(); !errors.As(err, &refused) || refused.Status != http.StatusServiceUnavailable {
		t.Errorf("a dispatch of a phone call: %v", err)
	}
	for _, c := range converse(t, s.API, 1, 1) {
		c.Leave()
	}

	l.StartSIP(t)
	await(t, 100*time.Millisecond, "the server says that phones can be dialled", func() bool {
		return !strings.Contains(healthOf(t, s, "/health/ready", http.StatusOK), "failing") && strings.Contains(healthOf(t, s, "/health", http.StatusOK), `"status":"healthy"`)
	})
	answered()
	for _, line := range []string{"health check failed", "health check recovered"} {
		if n := strings.Count(s.Log.String()[began:], fmt.Sprintf("msg=%q check=phone", line)); n != 1 {
			t.Errorf("%d lines of %q:\n%s", n, line, s.Log.String()[began:])
		}
	}
}

// healthOf returns the body of a health answer, whose status is checked, without spaces.
func healthOf(t *testing.T, s *binary.Server, path string, status int) string {
	t.Helper()
	answer, err := http.Get(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body map[string]any
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil || answer.StatusCode != status {
		t.Fatalf("%s: %s, %v", path, answer.Status, err)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
