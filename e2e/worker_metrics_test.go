package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
)

// A separate worker answers health probes and shows metrics at PARLEY_WORKER_ADDR: it counts the calls that it ends, and
// is ready only while its media server answers.
func TestWorkerListener(t *testing.T) {
	t.Parallel()
	s, env := apart(t)
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	env["PARLEY_WORKER_ADDR"], env["PARLEY_METRICS_ADDR"] = address, "127.0.0.1:1" // which it does not use
	w := worker(t, env)
	get := func(path string) (int, string) {
		answer, err := http.Get("http://" + address + path)
		if err != nil {
			return 0, err.Error()
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return 0, err.Error()
		}
		return answer.StatusCode, string(text)
	}
	shows := func(what, path string, status int, text string) {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
			got, body := get(path)
			if got == status && strings.Contains(body, text) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: %s answers %d: %s", what, path, got, body)
			}
		}
	}
	shows("at first", "/health/live", http.StatusOK, `"status":"alive"`)
	shows("at first", "/health/ready", http.StatusOK, `"status":"ready"`)
	shows("at first", "/health", http.StatusOK, `"media":{"status":"healthy"}`)

	d := begin(t, s)
	shows("a call is claimed", "/metrics", http.StatusOK, "\nworker_calls 1\n")
	shows("a call is claimed", "/metrics", http.StatusOK, "\ncall_leases 1\n")
	if _, err := s.API.Calls.End(t.Context(), d.CallID); err != nil {
		t.Fatal(err)
	}
	shows("the worker ended it", "/metrics", http.StatusOK, `calls_total{call_type="voip",status="failed",workflow="_none"} 1`)
	for _, series := range []string{"webhook_deliveries_waiting 0", `webhook_deliveries_total{status="failed"} 0`, `database_connections_max{pool="main"} 16`, `call_incidents_total{cause="lease_lapsed",type="taken_over"} 0`, "worker_slots "} {
		shows("each shape has it", "/metrics", http.StatusOK, "\n"+series)
	}
	// What is logged of an agent that loses its room names the call.
	lost := begin(t, s)
	shows("a call is claimed", "/metrics", http.StatusOK, "\nworker_calls 1\n")
	await(t, "the agent is in the room", func() bool { return strings.Contains(w.Log.String(), `"agent joined the room" call=`+lost.CallID) })
	s.Kill()
	await(t, "the agent tries to come back", func() bool {
		return strings.Contains(w.Log.String(), `"failed to reconnect to the room" call=`+lost.CallID)
	})
	shows("the media server is unavailable", "/health/ready", http.StatusServiceUnavailable, "media server")
}
