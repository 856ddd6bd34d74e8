package attack

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/e2e/binary"
)

// message sends a message to the MCP server. headers are names and values in turn.
func message(t *testing.T, s *binary.Server, key, text string, headers ...string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if key != "" {
		r.Header.Set("X-API-Key", key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return answerTo(t, r)
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// toolCall is the message that calls a tool.
func toolCall(t *testing.T, name string, arguments any) string {
	t.Helper()
	text, err := json.Marshal(object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": name, "arguments": arguments}})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Tools do no more than their key: not without one, not by other scopes, not of other tenants, not by a page of another origin, and
// not by arguments that lead to another operation.
func TestToolsInWrongHands(t *testing.T) {
	s := start(t, nil, "--without=worker,media,sip")
	owner, other := newTenant(t, s, "shop", "*"), newTenant(t, s, "other", "*")
	reader := newKey(t, s, "shop", "--scopes", "calls:read,prompts:read")
	post(t, s, owner, "/api/v1/agents", agentOf("desk", "You are the desk."))

	for _, key := range []string{"", "svc_live_0", "pk_0"} {
		for _, text := range []string{initialize, toolCall(t, "list_agents", nil), strings.Repeat("x", 3<<20)} {
			if status, answer := message(t, s, key, text); status != http.StatusUnauthorized {
				t.Errorf("key %q: %d %s", key, status, answer)
			}
		}
	}
	for _, origin := range []string{"null", "https://evil.example", "http://evil.example:8080"} {
		if status, answer := message(t, s, owner, initialize, "Origin", origin, "Host", "evil.example"); status != http.StatusForbidden {
			t.Errorf("origin %q: %d %s", origin, status, answer)
		}
	}
	for name, c := range map[string]struct {
		key, tool string
		arguments any
		want      string
	}{
		"a scope that is lacking":   {reader, "delete_agent", object{"name": "desk"}, "scope_required"},
		"another tenant":            {other, "get_agent", object{"name": "desk"}, "not_found"},
		"another path":              {owner, "get_agent", object{"name": "../auth/api-keys"}, "error"},
		"another path, escaped":     {owner, "get_agent", object{"name": "%2e%2e%2fauth%2fapi-keys"}, "error"},
		"a query in a path":         {reader, "get_call", object{"id": "active?limit=1"}, "error"},
		"headers in a header":       {owner, "start_call", object{"idempotency_key": "a\r\nX-API-Key: " + other}, "error"},
		"no object":                 {owner, "list_agents", []string{"limit"}, "must be an object"},
		"deeply nested":             {owner, "create_agent", object{"config": json.RawMessage(strings.Repeat("[", 90) + strings.Repeat("]", 90))}, "validation_error"},
		"a credential as parameter": {reader, "get_prompt", object{"slug": "x", "x_api_key": owner, "authorization": "Bearer " + owner}, "not_found"},
	} {
		status, answer := message(t, s, c.key, toolCall(t, c.tool, c.arguments))
		if status >= http.StatusInternalServerError || !strings.Contains(answer, c.want) || strings.Contains(answer, "key_prefix") {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	if answer, _ := send(t, s, owner, http.MethodGet, "/api/v1/agents/desk", ""); answer.StatusCode != http.StatusOK {
		t.Error("the agent is gone")
	}
}

// A flood of connections, large bodies and lists keeps no memory and no session, and stops at the key's limit; others are served.
func TestFloodOfToolClients(t *testing.T) {
	s := start(t, nil, "--without=worker,media,sip")
	newTenant(t, s, "flood", "*")
	flooder := newKey(t, s, "flood", "--scopes", "*", "--rate-limit", "300")
	other := newTenant(t, s, "other", "*")
	if status, answer := message(t, s, other, initialize); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	before := memory(t, s)
	var limited, refused atomic.Int64
	var running sync.WaitGroup
	list, large := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, toolCall(t, "create_prompt", object{"slug": strings.Repeat("x", 1200<<10)})
	for worker := range 8 {
		running.Go(func() {
			for range size(100, 1000) {
				text := []string{initialize, list, large, toolCall(t, "list_providers", nil)}[worker%4]
				switch status, answer := message(t, s, flooder, text); status {
				case http.StatusTooManyRequests:
					limited.Add(1)
				case http.StatusRequestEntityTooLarge:
					refused.Add(1)
				case http.StatusOK:
				default:
					t.Errorf("%d %.300s", status, answer)
				}
			}
		})
	}
	running.Wait()
	if limited.Load() == 0 || refused.Load() == 0 {
		t.Errorf("%d messages are beyond the limit, %d too large", limited.Load(), refused.Load())
	}
	if status, answer := message(t, s, other, list); status != http.StatusOK || !strings.Contains(answer, "start_call") {
		t.Errorf("another tenant: %d %.300s", status, answer)
	}
	if after := memory(t, s); after > before+64<<20 {
		t.Errorf("memory grew from %d to %d MiB", before>>20, after>>20)
	}
	// Streams that would stay open are refused.
	for _, method := range []string{"subscriptions/listen", "resources/subscribe", "logging/setLevel"} {
		status, answer := message(t, s, other, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{}}`, "Mcp-Protocol-Version", "2026-07-28")
		if status >= http.StatusInternalServerError || !strings.Contains(answer, "rror") && status < 400 {
			t.Errorf("%s: %d %s", method, status, answer)
		}
	}
}
