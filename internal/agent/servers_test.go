package agent

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"parley/internal/database"
	"parley/internal/mcpclient"
)

// offering answers listings with one tool, or an error.
type offering struct {
	mu         sync.Mutex
	parameters string
	err        error
	asked      int
}

func (o *offering) ListServer(context.Context, string, mcpclient.ToolServer) ([]mcpclient.ListedTool, bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
	if o.err != nil {
		return nil, false, o.err
	}
	return []mcpclient.ListedTool{{Name: "look_up", Parameters: json.RawMessage(o.parameters)}}, false, nil
}

// The tools of servers are listed when an agent is saved, and again after ten minutes or with another address. What a request says of
// them is ignored. A server that is down, or has changed, is a warning.
func TestToolsOfServersAreListedAtSave(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, _, _ Store) {
		o := &offering{parameters: `{"type":"object"}`}
		s := Registry{Providers: offered, Usage: users{}, ToolServers: o}.In(db.Tenant(acme))
		c := configOf(t, sound)
		c.MCPServers = []mcpclient.ToolServer{{URL: "https://crm.example.com/mcp", Allow: []string{"look_up", "absent"},
			Tools: []mcpclient.ListedTool{{Name: "forged"}}}}
		a, warnings, err := s.Create(ctx, Draft{Name: "desk", Config: c})
		if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "config.mcp_servers[0]") || !strings.Contains(warnings[0], "no tool absent") {
			t.Fatalf("%q, %v", warnings, err)
		}
		if tools := a.Config.MCPServers[0].Tools; len(tools) != 1 || tools[0].Name != "look_up" || a.Config.MCPServers[0].ListedAt == nil {
			t.Errorf("created with %+v", a.Config.MCPServers)
		}
		update := func(patch string) []string {
			t.Helper()
			if a, warnings, err = s.Update(ctx, "desk", []byte(patch)); err != nil {
				t.Fatal(err)
			}
			return warnings
		}
		if update(`{"display_name":"Desk","config":{"mcp_servers":[{"url":"https://crm.example.com/mcp","listed_tools":[{"name":"forged"}]}]}}`); o.asked != 1 || a.Config.MCPServers[0].Tools[0].Name != "look_up" {
			t.Errorf("saved again: asked %d times, %+v", o.asked, a.Config.MCPServers)
		}
		o.err = errors.New("no answer within 5000 ms")
		if w := update(`{"config":{"mcp_servers":[{"url":"https://other.example.com/mcp"}]}}`); len(w) != 1 || !strings.Contains(w[0], "no answer within 5000 ms; no tools of it are known") {
			t.Errorf("down: %q", w)
		}
		if o.asked != 2 || a.Config.MCPServers[0].Tools != nil {
			t.Errorf("asked %d times, %+v", o.asked, a.Config.MCPServers)
		}
		o.err = nil
		if w := update(`{"display_name":"Desk 2"}`); len(w) != 0 || len(a.Config.MCPServers[0].Tools) != 1 {
			t.Errorf("up: %q, %+v", w, a.Config.MCPServers)
		}
		// As if ten minutes had passed.
		past := a.Config.MCPServers[0].ListedAt.Add(-listingLife)
		a.Config.MCPServers[0].ListedAt = &past
		if err := db.Tenant(acme).Write(ctx, func(ctx context.Context, tx database.Tx) error { return change(ctx, tx, a) }); err != nil {
			t.Fatal(err)
		}
		o.parameters = `{"type":"object","required":["id"]}`
		if w := update(`{"display_name":"Desk 3"}`); len(w) != 1 || !strings.Contains(w[0], "have changed since they were last listed: look_up") {
			t.Errorf("changed: %q", w)
		}
	})
}

func TestServersOfAgentsAreChecked(t *testing.T) {
	for server, want := range map[string]string{
		`{"url":"ftp://a"}`:                                                         "url",
		`{"url":"https://a/{{user.id}}"}`:                                           "url",
		`{"url":"https://a","headers":{"a b":""}}`:                                  "headers.a b",
		`{"url":"https://a","headers":{"Authorization":"Bearer abcdef"}}`:           "headers.Authorization",
		`{"url":"https://a","headers":{"Authorization":"Bearer {{user.token}}"}}`:   "headers.Authorization",
		`{"url":"https://a","headers":{"Authorization":"Bearer {{secrets.crm}}"}}`:  "",
		`{"url":"https://a","headers":{"X-Key":"{{secrets.crm}}"},"timeout_ms":99}`: "timeout_ms",
		`{"url":"https://a","timeout_ms":100,"allow":["b"]}`:                        "",
	} {
		var s mcpclient.ToolServer
		if err := json.Unmarshal([]byte(server), &s); err != nil {
			t.Fatal(err)
		}
		field := ""
		for _, f := range s.Faults() {
			field += f.Field
		}
		if field != want {
			t.Errorf("%s: %q, want %q", server, field, want)
		}
	}
}
