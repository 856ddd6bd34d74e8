package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/database/databasetest"
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

// A server without a worker and workers beside it, over PostgreSQL: calls wait for a worker and are spoken by it. When it
// dies its calls go on with another one, for callers who stay, and end for those who left.
func TestWorkerApart(t *testing.T) {
	t.Parallel()
	s, env := apart(t)
	env["PARLEY_ALLOW_PRIVATE_NETWORKS"] = "true"
	early := begin(t, s)
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", closedTrunk, nil)
	if c, err := s.API.Calls.Get(t.Context(), early.CallID); err != nil || c.Status != client.Pending {
		t.Errorf("without a worker the call is %+v, %v", c, err)
	}
	first := worker(t, env)
	stays, caller := silentWith(t, s, "demo")
	leaves, gone := silentWith(t, s, "demo")
	for _, d := range []*client.Dispatch{stays, leaves} {
		entries(t, s, d.CallID, 1)
	}
	first.Kill()
	killed := time.Now()
	gone.Leave()

	second := worker(t, env) // has new calls before the lease of the first one lapses
	r := converse(t, s, []string{"what is your address", "goodbye"}, []string{"main street", "goodbye"}, "--workflow", "demo")
	if r.Status != client.Completed {
		t.Errorf("status %q", r.Status)
	}
	// It asks the media server to dial, which has nothing to dial with: the gateway is the server's.
	dialled := ring(t, s, busyNumber)
	awaitEnd(t, s, dialled, client.Failed, "unreachable")
	if items := errorsOf(t, s, dialled); len(items) != 1 || !strings.Contains(items[0].Message, "no SIP service") {
		t.Errorf("error log: %+v", items)
	}

	awaitEnd(t, s, leaves.CallID, client.Disconnected, "worker_lost")
	said := entries(t, s, stays.CallID, 2)
	t.Logf("the call went on at most %v after the kill: %q", time.Since(killed), said[len(said)-1].Content)
	c, err := s.API.Calls.Get(t.Context(), stays.CallID)
	if err != nil || c.Status != client.Active || !slices.Equal(c.AgentHistory, []string{"demo"}) || c.CurrentAgent == nil || *c.CurrentAgent != "demo" {
		t.Errorf("taken over: %+v, %v", c, err)
	}
	caller.Leave()
	awaitEnd(t, s, stays.CallID, client.Completed, "caller_hangup")
	if err := second.Stop(); err != nil || t.Failed() {
		t.Errorf("the second worker: %v\n%s", err, second.Log.String())
	}
}
