package e2e

import (
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/database/databasetest"
)

// health returns the status of a health answer and of each check in it.
func health(t *testing.T, s *binary.Server, path string) (code int, status string, checks map[string]string) {
	t.Helper()
	answer, err := http.Get(s.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body struct {
		Status string
		Checks map[string]struct{ Status string }
	}
	if err := json.NewDecoder(answer.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	checks = map[string]string{}
	for name, check := range body.Checks {
		checks[name] = check.Status
	}
	return answer.StatusCode, body.Status, checks
}

// rejectsDispatches reports whether a dispatch is answered with 503 and Retry-After.
func rejectsDispatches(t *testing.T, s *binary.Server) bool {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/calls", strings.NewReader(`{"workflow_slug":"demo"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", s.Key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") != ""
}

// A media server that rejects the API key is detected: readiness reports it, dispatches are rejected, the log has one line.
func TestMediaServerWithAnotherSecret(t *testing.T) {
	t.Parallel()
	other := serve(t, t.TempDir(), nil)
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	ports["PARLEY_DATA_DIR"] = t.TempDir()
	ports["LIVEKIT_URL"], ports["LIVEKIT_API_KEY"], ports["LIVEKIT_API_SECRET"] = "ws://127.0.0.1:"+other.RTCPort, "parley", strings.Repeat("x", 32)
	p, err := launch(ports, "serve")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	wrong := &binary.Server{Process: p, URL: "http://" + ports["PARLEY_ADDR"]}
	await(t, "readiness and health name the media server", func() bool {
		answer, err := http.Get(wrong.URL + "/health/live")
		if err != nil {
			return false
		}
		answer.Body.Close()
		ready, _, _ := health(t, wrong, "/health/ready")
		code, status, checks := health(t, wrong, "/health")
		return ready == http.StatusServiceUnavailable && code == http.StatusServiceUnavailable && status == "unhealthy" && checks["media"] == "unhealthy" && checks["database"] == "healthy"
	})
	if n := strings.Count(p.Log.String(), "check=media"); n != 1 {
		t.Errorf("%d log lines about the media server:\n%s", n, p.Log.String())
	}
}

// A PostgreSQL that only reads, as a standby does after a failover, makes the server unready, and dispatches are rejected
// until it writes again. The log has one line for each.
func TestDatabaseThatOnlyReads(t *testing.T) {
	t.Parallel()
	url := databasetest.PostgresURL(t)
	s := serve(t, t.TempDir(), map[string]string{
		"DATABASE_URL": url, "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32), "PARLEY_DEMO": "true",
	})
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	readOnly := func(on string) {
		t.Helper()
		for _, statement := range []string{
			"SET default_transaction_read_only = off",
			"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = " + on + "', current_database()); END $$",
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	readOnly("on")
	await(t, "readiness and health name the database", func() bool {
		ready, _, _ := health(t, s, "/health/ready")
		code, _, checks := health(t, s, "/health")
		return ready == http.StatusServiceUnavailable && code == http.StatusServiceUnavailable && checks["database"] == "unhealthy"
	})
	// Connections that ended with readOnly fail once before the pool replaces them, so the log says when the check itself fails.
	await(t, "the check of the database fails", func() bool { return strings.Contains(s.Log.String(), "check=database") })
	await(t, "dispatches are rejected", func() bool { return rejectsDispatches(t, s) })
	readOnly("off")
	await(t, "the check of the database works again", func() bool { return strings.Count(s.Log.String(), "check=database") == 2 })
	await(t, "the server is ready", func() bool {
		ready, status, _ := health(t, s, "/health/ready")
		return ready == http.StatusOK && status == "ready"
	})
	await(t, "a call is taken", func() bool {
		d, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
		if err == nil {
			_, err = s.API.Calls.End(t.Context(), d.CallID)
		}
		var refused *client.Error
		if err != nil && !(errors.As(err, &refused) && refused.Status == http.StatusServiceUnavailable) {
			t.Fatal(err)
		}
		return err == nil
	})
	if n := strings.Count(s.Log.String(), "check=database"); n != 2 {
		t.Errorf("%d log lines about the database, want one that it fails and one that it works again:\n%s", n, s.Log.String())
	}
}
