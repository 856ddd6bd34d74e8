package chaos

import (
	"path/filepath"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// worker starts a worker beside the exchange.
func (x *exchange) worker(t *testing.T) *binary.Process {
	t.Helper()
	settings := map[string]string{"PARLEY_DATA_DIR": filepath.Join(t.TempDir(), "worker"), "PARLEY_WORKER_CAPACITY": "100"}
	for k, v := range x.env {
		settings[k] = v
	}
	w, err := binary.Launch(program, settings, "worker")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of a worker:\n%s", w.Log.String())
		}
		w.Kill()
	})
	return w
}

// A worker dies with all its calls: other workers take them over, or they end, at full size within 30 s; calls whose
// callers remain continue, and each call ends once.
func TestWorkerKilledWithManyCalls(t *testing.T) {
	t.Parallel()
	x := newExchange(t, "--without=worker")
	api := func() *client.Client { return x.API }
	first := x.worker(t)
	callers := converse(t, x.API, size(6, 50), 4)
	first.Kill()
	killed := time.Now()
	for _, c := range callers[:len(callers)/2] {
		c.Leave()
	}
	x.worker(t)
	await(t, 500*time.Millisecond, "no call is held by the worker that died", func() bool {
		var held []string
		x.rows(t, &held, "SELECT id FROM calls WHERE ended_at IS NULL AND fence = 1")
		if len(held) > 0 && full && time.Since(killed) > 30*time.Second {
			t.Fatalf("%d calls are still held by a worker that died %v ago", len(held), time.Since(killed))
		}
		return len(held) == 0
	})
	t.Logf("all %d calls were taken over or over %v after the kill", len(callers), time.Since(killed).Round(100*time.Millisecond))
	for i, c := range callers {
		if i < len(callers)/2 {
			ended(t, reach(t, api, c.id, client.Disconnected), client.Disconnected, "worker_lost")
			continue
		}
		if now := reach(t, api, c.id, client.Active); now == nil {
			continue
		}
	}
	// Callers whose calls continued receive the agent's audio again, and hang up.
	for _, c := range callers[len(callers)/2:] {
		await(t, 200*time.Millisecond, "the agent speaks in call "+c.id+", which was taken over", func() bool {
			said, err := x.API.Calls.Transcript(t.Context(), c.id)
			if err != nil {
				t.Fatal(err)
			}
			return len(said) >= 2
		})
		c.Leave()
		ended(t, reach(t, api, c.id, client.Completed), client.Completed, "caller_hangup")
	}
	x.endedOnce(t)
}

// endedOnce checks that each call has one terminal event.
func (x *exchange) endedOnce(t *testing.T) {
	t.Helper()
	var wrong []string
	x.rows(t, &wrong, `SELECT c.id FROM calls c WHERE 1 <> (SELECT count(*) FROM events e WHERE e.call_id = c.id
		AND e.type IN ('call.completed', 'call.failed', 'call.disconnected', 'call.timeout'))`)
	if len(wrong) > 0 {
		t.Errorf("%d calls have no terminal event, or several", len(wrong))
	}
}
