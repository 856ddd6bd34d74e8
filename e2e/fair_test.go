package e2e

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/media"
)

// newcomer creates a second tenant on a server, with the demo's agent, and returns its client.
func newcomer(t *testing.T, s *binary.Server) *client.Client {
	t.Helper()
	admin := func(into any, args ...string) {
		t.Helper()
		p, err := launch(map[string]string{"PARLEY_DATA_DIR": s.Dir}, append(args, "--json")...)
		if err != nil {
			t.Fatal(err)
		}
		if code, err := p.Wait(t.Context()); err != nil || code != 0 {
			t.Fatalf("%q: exit code %d, %v\n%s", args, code, err, p.Log.String())
		}
		if err := json.Unmarshal([]byte(p.Out.String()), into); err != nil {
			t.Fatal(err)
		}
	}
	var made map[string]any
	admin(&made, "tenant", "create", "Newcomer")
	var key struct {
		Key string `json:"key"`
	}
	admin(&key, "key", "create", "--tenant", "Newcomer", "--name", "all", "--environment", "live", "--scopes", "*")
	api := client.New(s.URL, key.Key)
	demo, err := s.API.Agents.Get(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	demo.Config.Tools, demo.Config.Handoffs = nil, nil
	if _, err := api.Agents.Create(t.Context(), client.NewAgent{Name: "demo", Config: demo.Config}); err != nil {
		t.Fatal(err)
	}
	return api
}

// answered has a caller join a call, and waits until the agent is in conversation with it.
func answered(t *testing.T, api *client.Client, d *client.Dispatch) {
	t.Helper()
	joinSilently(t, d.URL, d.Token)
	began := time.Now()
	await(t, "call "+d.CallID+" is active", func() bool {
		c, err := api.Calls.Get(t.Context(), d.CallID)
		if err != nil {
			t.Fatal(err)
		}
		if c.Terminal() {
			t.Fatalf("the caller is there, and the call is %s (%s)", c.Status, reason(c))
		}
		return c.Status == client.Active
	})
	t.Logf("answered after %v", time.Since(began).Round(time.Millisecond))
}

// When a conversation fills the only worker and a caller waits, further calls of that tenant are rejected immediately, until
// the caller leaves; another tenant's are accepted. Calls that nobody has joined delay no others.
func TestDispatchesThatCannotBegin(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_WORKER_CAPACITY": "1"})
	theirs := newcomer(t, s)
	answered(t, s.API, begin(t, s))
	awaitGauge(t, s, "worker_slots", 1)
	awaitGauge(t, s, "worker_slots_free", 0)
	waits := begin(t, s)
	begin(t, s)
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: waits.URL, Token: waits.Token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Leave)
	awaitGauge(t, s, "callers_waiting", 1)
	answer, text := post(t, s, "/api/v1/calls", `{"workflow_slug":"demo"}`, "")
	if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" {
		t.Errorf("%s, Retry-After %q: %s", answer.Status, answer.Header.Get("Retry-After"), text)
	}
	if _, err := theirs.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"}); err != nil {
		t.Error(err)
	}
	caller.Leave()
	awaitGauge(t, s, "callers_waiting", 0)
	begin(t, s)
}

// One tenant dispatches many more calls than there is room for, and nobody joins them: callers of another tenant are
// answered nevertheless, and so are its own callers who arrive.
func TestOneTenantDoesNotFillTheWorker(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_WORKER_CAPACITY": "4"})
	theirs := newcomer(t, s)
	var many []*client.Dispatch
	for range 50 {
		many = append(many, begin(t, s))
	}
	awaitGauge(t, s, "worker_calls", 4)
	d, err := theirs.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	answered(t, theirs, d)
	answered(t, s.API, many[49])
	answered(t, s.API, many[20])
}

// Callers who reach an outside media server by themselves go first too.
func TestCallersOfAnOutsideMediaServer(t *testing.T) {
	t.Parallel()
	s, env := apart(t)
	env["PARLEY_WORKER_CAPACITY"] = "2"
	node := serve(t, filepath.Join(t.TempDir(), "node"), env, "--without=media")
	api := client.New(node.URL, s.Key)
	var last *client.Dispatch
	for range 8 {
		var err error
		if last, err = api.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"}); err != nil {
			t.Fatal(err)
		}
	}
	if last.URL != "ws://127.0.0.1:"+s.RTCPort {
		t.Fatalf("callers are sent to %s", last.URL)
	}
	awaitGauge(t, node, "worker_calls", 2)
	answered(t, api, last)
}
