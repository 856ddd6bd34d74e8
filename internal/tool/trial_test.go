package tool

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"parley/internal/template"
)

// A trial sends what a call sends, and shows it without the values of the user context, escaped or not.
func TestTry(t *testing.T) {
	b := newBackend(t, says(http.StatusOK, `{"id":7,"for":"tok/en 4711"}`))
	r := NewRunner(true)
	t.Cleanup(r.Close)
	config := Config{
		Parameters: []Parameter{{Name: "order", Type: "string", Required: true}},
		Actions: b.actions(t, `[{"type":"api_call","url":"HOST/orders/{{params.order}}/{{user.auth_token}}?by={{user.auth_token}}","method":"POST",
			"headers":{"Authorization":"Bearer {{user.auth_token}}"},"body":{"who":"{{user.name}}","order":"{{params.order}}"},
			"on_success":[{"type":"set_context","key":"found","value":"{{result.for}}"},{"type":"respond","message":"Order {{result.id}} of {{user.auth_token}}"}]}]`),
	}
	o, requests := r.Try(t.Context(), Call{Name: "look_up", Tool: Definition{Config: config}, Arguments: json.RawMessage(`{"order":"a b"}`), Scope: scope()})
	seen := b.seen()
	if len(seen) != 1 || seen[0].URI != "/orders/a%20b/tok%2Fen%204711?by=tok%2Fen+4711" || seen[0].Header.Get("Authorization") != "Bearer tok/en 4711" || seen[0].Body != `{"order":"a b","who":"Ada"}` {
		t.Fatalf("the server saw %+v", seen)
	}
	if len(requests) != 1 {
		t.Fatalf("got %d requests", len(requests))
	}
	q := requests[0]
	if q.URL != b.URL+"/orders/a%20b/%2A%2A%2A?by=%2A%2A%2A" && q.URL != b.URL+"/orders/a%20b/***?by=%2A%2A%2A" {
		t.Errorf("URL %q", q.URL)
	}
	if q.Headers["Authorization"] != "Bearer ***" || string(q.Body) != `{"order":"a b","who":"Ada"}` || q.Status != http.StatusOK || q.Attempts != 1 || q.Answer != `{"id":7,"for":"***"}` {
		t.Errorf("got %+v, body %s", q, q.Body)
	}
	if o.Answer != "Order 7 of ***" || len(o.Changes) != 1 || o.Changes[0].Value != "***" {
		t.Errorf("outcome %+v", o)
	}
}

// What cannot be sent is shown with its reason; wrong arguments send nothing.
func TestTryRefused(t *testing.T) {
	r := NewRunner(false)
	t.Cleanup(r.Close)
	config := Config{Parameters: []Parameter{{Name: "n", Type: "integer"}}, Actions: []Action{{Type: APICall, URL: "https://127.0.0.1/x", Method: http.MethodGet}}}
	o, requests := r.Try(t.Context(), Call{Name: "look_up", Tool: Definition{Config: config}, Scope: template.Scope{}})
	if len(requests) != 1 || requests[0].Failed == "" || requests[0].Status != 0 || len(o.Problems) != 1 {
		t.Errorf("got %+v, %+v", requests, o)
	}
	o, requests = r.Try(t.Context(), Call{Name: "look_up", Tool: Definition{Config: config}, Arguments: json.RawMessage(`{"n":"x"}`)})
	if len(requests) != 0 || !strings.Contains(o.Answer, "n must be of type integer") {
		t.Errorf("got %+v, %+v", requests, o)
	}
}

// All actions of a run have one budget, and so has what a trial returns.
func TestRunsAndTrialsAreBounded(t *testing.T) {
	b := newBackend(t, says(http.StatusOK, `{}`))
	r := NewRunner(true)
	t.Cleanup(r.Close)
	var sets []string
	for range 19 {
		sets = append(sets, `{"type":"set_context","key":"k","value":"{{workflow.x}}"}`)
	}
	config := Config{Actions: b.actions(t, `[{"type":"api_call","url":"HOST/","method":"POST","body":{"a":"{{workflow.x}}{{workflow.x}}{{workflow.x}}"},"on_success":[`+strings.Join(sets, ",")+`]},{"type":"respond","message":"{{workflow.x}}"}]`)}
	o, requests := r.Try(t.Context(), Call{Name: "swell", Tool: Definition{Config: config}, Scope: template.Scope{"workflow": map[string]any{"x": strings.Repeat("x", 60_000)}}})
	shown := 0
	for _, q := range requests {
		shown += len(q.Body)
	}
	for _, c := range o.Changes {
		if text, ok := c.Value.(string); ok {
			shown += len(text)
		}
	}
	if shown > MaxTrial || shown < MaxTrial/2 {
		t.Errorf("%d bytes are shown", shown)
	}
	var problems []string
	for _, p := range o.Problems {
		problems = append(problems, p.Message)
	}
	all := strings.Join(problems, "\n")
	if !strings.Contains(all, "limit rendered_tool") || !strings.Contains(all, "limit tool_trial") || len(o.Changes) > MaxRun/60_000 {
		t.Errorf("%d changes, problems:\n%s", len(o.Changes), all)
	}
}
