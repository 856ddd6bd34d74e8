package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/api/mcpserver"
	"parley/internal/auth"
)

// bearer sends a credential with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// connectMCP connects the protocol's official client with a key.
func connectMCP(t *testing.T, s *service, key string) *mcp.ClientSession {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: server.URL + mcpPath, HTTPClient: &http.Client{Transport: bearer(s.credentials[key])},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// callTool calls a tool and returns the text of its result.
func callTool(t *testing.T, session *mcp.ClientSession, name string, arguments any) (text string, failed bool) {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

func TestToolsAreThoseOfTheScopes(t *testing.T) {
	s := newService(t)
	s.key("reader", acme, "agents:read", "calls:read")
	s.key("none", acme, "metrics:read")
	names := func(key string) (names []string) {
		list, err := connectMCP(t, s, key).ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	all := names("full")
	if len(all) > mcpserver.MaxTools || !slices.Contains(all, "start_call") || !slices.Contains(all, "delete_agent") {
		t.Errorf("%d tools: %v", len(all), all)
	}
	some := names("reader")
	for _, name := range some {
		if strings.HasPrefix(name, "create_") || strings.HasPrefix(name, "delete_") || name == "start_call" || name == "list_workflows" {
			t.Errorf("a reader is offered %s", name)
		}
	}
	if !slices.Contains(some, "list_agents") || !slices.Contains(some, "get_call_timeline") {
		t.Errorf("a reader is offered %v", some)
	}
	if few := names("none"); !slices.Equal(few, []string{"list_providers"}) {
		t.Errorf("without scopes %v", few)
	}
}

// The arguments of each tool are a JSON Schema by itself.
func TestSchemasOfTools(t *testing.T) {
	s := newService(t)
	for tool, err := range connectMCP(t, s, "full").Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(tool.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		if _, err := schema.Resolve(nil); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
		for _, keyword := range []string{`"nullable":`, `"example":`, "#/components"} {
			if strings.Contains(string(text), keyword) {
				t.Errorf("%s has %s", tool.Name, keyword)
			}
		}
	}
}

func TestToolsThatDialOrDeleteAreDestructive(t *testing.T) {
	s := newService(t)
	list, err := connectMCP(t, s, "full").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"start_call": "destructive open", "test_agent": "destructive open", "end_call": "destructive idempotent",
		"delete_tool": "destructive idempotent", "update_agent": "destructive idempotent", "create_agent": "", "list_calls": "read idempotent",
		"preview_prompt": "read"}
	for _, tool := range list.Tools {
		a := tool.Annotations
		var hints []string
		for _, h := range []struct {
			set  bool
			name string
		}{{a.ReadOnlyHint, "read"}, {*a.DestructiveHint, "destructive"}, {*a.OpenWorldHint, "open"}, {a.IdempotentHint, "idempotent"}} {
			if h.set {
				hints = append(hints, h.name)
			}
		}
		if w, listed := want[tool.Name]; listed && w != strings.Join(hints, " ") {
			t.Errorf("%s: %v, want %s", tool.Name, hints, w)
		}
		if a.ReadOnlyHint != (strings.HasPrefix(tool.Name, "list_") || strings.HasPrefix(tool.Name, "get_") || tool.Name == "preview_prompt" || tool.Name == "explain_call") {
			t.Errorf("%s: read only %t", tool.Name, a.ReadOnlyHint)
		}
	}
}

// A tool is a request of the API: it validates alike, is in the audit log, and counts against the key's limit.
func TestToolsAreRequestsOfTheAPI(t *testing.T) {
	s := newService(t)
	session := connectMCP(t, s, "full")
	text, failed := callTool(t, session, "create_prompt", map[string]any{"slug": "x y", "content": map[string]any{}})
	if !failed || !strings.Contains(text, "validation_error") || !strings.Contains(text, `"slug"`) {
		t.Errorf("created: %s", text)
	}
	text, failed = callTool(t, session, "create_prompt", map[string]any{"slug": "company", "name": "Company", "content": map[string]any{"en": "Acme"}})
	if failed {
		t.Fatal(text)
	}
	text, failed = callTool(t, session, "get_prompt", map[string]any{"slug": "company"})
	var kept struct{ Content map[string]string }
	if err := json.Unmarshal([]byte(text), &kept); failed || err != nil || kept.Content["en"] != "Acme" {
		t.Errorf("read: %s", text)
	}
	if log := s.do("full", http.MethodGet, "/api/v1/audit-log?action=prompt.create", "").Body.String(); strings.Count(log, `"prompt.create"`) != 1 {
		t.Errorf("audit log: %s", log)
	}
	s.key("reader", acme, "prompts:read")
	if text, failed = callTool(t, connectMCP(t, s, "reader"), "create_prompt", map[string]any{"slug": "other"}); !failed || !strings.Contains(text, "scope_required") {
		t.Errorf("without the scope: %s", text)
	}
	if text, failed = callTool(t, connectMCP(t, s, "stranger"), "get_prompt", map[string]any{"slug": "company"}); !failed || !strings.Contains(text, "not_found") {
		t.Errorf("another tenant's: %s", text)
	}
}

func TestToolsReturnSmallPages(t *testing.T) {
	s := newService(t)
	for i := range 12 {
		s.do("full", http.MethodPost, "/api/v1/prompts", fmt.Sprintf(`{"slug":"p%d","name":"P","content":{"en":"x"}}`, i))
	}
	session := connectMCP(t, s, "full")
	count := func(arguments any) (n, total int) {
		text, failed := callTool(t, session, "list_prompts", arguments)
		var page struct {
			Items []json.RawMessage
			Total int
		}
		if err := json.Unmarshal([]byte(text), &page); failed || err != nil {
			t.Fatal(text)
		}
		return len(page.Items), page.Total
	}
	n, total := count(nil)
	if n != 10 || total < 12 {
		t.Errorf("%d of %d", n, total)
	}
	if n, _ := count(map[string]any{"limit": 3}); n != 3 {
		t.Errorf("limit 3: %d", n)
	}
	if n, _ := count(map[string]any{"offset": total - 1}); n != 1 {
		t.Errorf("the last page: %d", n)
	}
	if text, failed := callTool(t, session, "list_prompts", map[string]any{"limit": 100}); !failed {
		t.Errorf("limit 100: %s", text)
	}
}

const listTools = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestMCPRefuses(t *testing.T) {
	s := newService(t, func(d *Deps) {
		d.PublicURL, d.CORSOrigins = "https://voice.example.com", []string{"https://admin.example.com"}
	})
	accept := []string{"Accept", "application/json, text/event-stream"}
	for name, c := range map[string]struct {
		credential, method, body string
		headers                  []string
		status                   int
	}{
		"no credential":       {"", "POST", listTools, nil, 401},
		"a cookie":            {"", "POST", listTools, []string{"Cookie", "parley_access=" + s.credentials["full"]}, 401},
		"another credential":  {"pk_123", "POST", listTools, nil, 401},
		"another origin":      {"full", "POST", listTools, []string{"Origin", "https://evil.example"}, 403},
		"its own origin":      {"full", "POST", listTools, []string{"Origin", "https://voice.example.com"}, 200},
		"a permitted origin":  {"full", "POST", listTools, []string{"Origin", "https://admin.example.com"}, 200},
		"a rebound name":      {"full", "POST", listTools, []string{"Origin", "http://example.com"}, 403}, // httptest's Host
		"a batch":             {"full", "POST", "[" + listTools + "," + listTools + "]", nil, 422},
		"a large body":        {"full", "POST", `{"x":"` + strings.Repeat("x", 2<<20) + `"}`, nil, 413},
		"a deep body":         {"full", "POST", strings.Repeat("[", 200), nil, 422},
		"a stream":            {"full", "GET", "", nil, 405},
		"the end of a stream": {"full", "DELETE", "", nil, 405},
		"no message":          {"full", "POST", `{"jsonrpc":"2.0"}`, nil, 400},
		"a list":              {"full", "POST", listTools, nil, 200},
	} {
		if answer := s.do(c.credential, c.method, mcpPath, c.body, append(c.headers, accept...)...); answer.Code != c.status {
			t.Errorf("%s: %d %.300s", name, answer.Code, answer.Body)
		}
	}
	answer := s.do("full", "POST", mcpPath, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}`, append(accept, "Mcp-Protocol-Version", "2026-07-28")...)
	if !strings.Contains(answer.Body.String(), "error") {
		t.Errorf("a subscription: %d %s", answer.Code, answer.Body)
	}
}

// A revoked key's next message is refused: there is no session that outlives it.
func TestMCPEndsWithItsKey(t *testing.T) {
	s := newService(t)
	key, secret, err := s.deps.Auth.CreateKey(t.Context(), acme, auth.KeyDraft{Name: "short", Environment: auth.Live, Scopes: []string{"agents:read"}})
	if err != nil {
		t.Fatal(err)
	}
	s.credentials["short"] = secret
	session := connectMCP(t, s, "short")
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.deps.Auth.RevokeKeyOf(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_agents"}); err == nil {
		t.Error("a revoked key calls tools")
	}
}
