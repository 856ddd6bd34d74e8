package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/database/databasetest"
	"parley/internal/media"
)

// apart is a server without a worker over PostgreSQL, and what workers beside it need.
func apart(t *testing.T) (*binary.Server, map[string]string) {
	t.Helper()
	env := map[string]string{
		"DATABASE_URL": databasetest.PostgresURL(t), "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32),
		"PARLEY_DEMO": "true",
	}
	dir := filepath.Join(t.TempDir(), "data")
	s := serve(t, dir, env, "--without=worker")
	secret, err := os.ReadFile(filepath.Join(dir, "livekit-secret"))
	if err != nil {
		t.Fatal(err)
	}
	env["LIVEKIT_URL"], env["LIVEKIT_API_KEY"], env["LIVEKIT_API_SECRET"] = "ws://127.0.0.1:"+s.RTCPort, "parley", strings.TrimSpace(string(secret))
	return s, env
}

// worker starts a worker; it ends with the test unless it is killed before.
func worker(t *testing.T, env map[string]string) *binary.Process {
	t.Helper()
	settings := map[string]string{"PARLEY_DATA_DIR": filepath.Join(t.TempDir(), "worker")}
	for k, v := range env {
		settings[k] = v
	}
	w, err := launch(settings, "worker")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Kill)
	return w
}

// When a worker dies its calls go on with another one, for callers who stay, and end for those who left.
func TestWorkerKilledInACall(t *testing.T) {
	t.Parallel()
	s, env := apart(t)
	first := worker(t, env)
	join := func() (*client.Dispatch, *media.Participant) {
		t.Helper()
		d, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(caller.Leave)
		go callers.StayQuiet(caller)
		return d, caller
	}
	stays, caller := join()
	leaves, gone := join()
	for _, d := range []*client.Dispatch{stays, leaves} {
		entries(t, s, d.CallID, 1)
	}
	first.Kill()
	killed := time.Now()
	gone.Leave()
	worker(t, env)

	awaitEnd(t, s, leaves.CallID, 30*time.Second, client.Disconnected, "worker_lost")
	said := entries(t, s, stays.CallID, 2)
	t.Logf("the call went on after %v: %q", time.Since(killed), said[len(said)-1].Content)
	c, err := s.API.Calls.Get(t.Context(), stays.CallID)
	if err != nil || c.Status != client.Active || !slices.Equal(c.AgentHistory, []string{"demo"}) || c.CurrentAgent == nil || *c.CurrentAgent != "demo" {
		t.Errorf("taken over: %+v, %v", c, err)
	}
	caller.Leave()
	awaitEnd(t, s, stays.CallID, deadline, client.Completed, "caller_hangup")
}
