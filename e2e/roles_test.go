package e2e

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
	"parley/internal/media"
)

// Without a worker a call's room is created when its caller arrives, unless the call has ended.
func TestCallerComesFirst(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil, "--without=worker")
	started, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: started.URL, Token: started.Token})
	if err != nil {
		t.Fatalf("the caller comes before the agent: %v", err)
	}
	caller.Leave()
	if _, err := s.API.Calls.End(t.Context(), started.CallID); err != nil {
		t.Fatal(err)
	}
	over, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.API.Calls.End(t.Context(), over.CallID); err != nil {
		t.Fatal(err)
	}
	if _, err := joiner.Join(t.Context(), media.JoinOptions{URL: over.URL, Token: over.Token}); !errors.Is(err, media.ErrNoRoom) {
		t.Errorf("joining a call that is over: %v", err)
	}
}

// The administration commands create what a fresh database needs; it works immediately.
func TestAdministration(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	admin := func(args ...string) map[string]any {
		t.Helper()
		p, err := launch(map[string]string{"PARLEY_DATA_DIR": dir}, args...)
		if err != nil {
			t.Fatal(err)
		}
		code, err := p.Wait(t.Context())
		if err != nil || code != 0 {
			t.Fatalf("parley %q: exit code %d, %v\n%s", args, code, err, p.Log.String())
		}
		made := map[string]any{}
		if strings.Contains(strings.Join(args, " "), "--json") {
			if err := json.Unmarshal([]byte(p.Out.String()), &made); err != nil {
				t.Fatalf("parley %q prints no JSON object: %v\n%s", args, err, p.Out.String())
			}
		}
		return made
	}
	admin("migrate")
	admin("tenant", "create", "Acme", "--json")
	admin("user", "create", "--tenant", "Acme", "--email", "ada@example.com", "--password", "correct horse battery", "--json")
	key := admin("key", "create", "--tenant", "Acme", "--name", "backend", "--environment", "test", "--scopes", "agents:read", "--json")

	s := serve(t, dir, nil)
	if s.Key != "" {
		t.Error("a demo tenant was made beside somebody's own")
	}
	tokens, err := s.API.Login(t.Context(), "ada@example.com", "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.API.Session(tokens.AccessToken).Me(t.Context()); err != nil {
		t.Error(err)
	}
	text, _ := key["key"].(string)
	if !strings.HasPrefix(text, "svc_test_") {
		t.Errorf("key %q is no test key", text)
	}
	limited := client.New(s.URL, text)
	if list, err := limited.Agents.List(t.Context(), client.ListOptions{}); err != nil || list.Total != 0 {
		t.Errorf("agents of a new tenant: %+v, %v", list, err)
	}
	if err := limited.Agents.Delete(t.Context(), "demo"); err == nil || !strings.Contains(err.Error(), "scope_required") {
		t.Errorf("deleting without the scope: %v", err)
	}
}
