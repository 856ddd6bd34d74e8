package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A call knows itself and the time, wherever templates and conditions work: in the request of a tool, the conditions of a workflow, the
// inputs of its nodes, prompts. The agent's time zone replaces the tenant's, and a default replaces what the call does not have.
func TestCallKnowsItselfAndTheTime(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	office := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, fmt.Sprintf("%s %s %s %s", r.URL, r.Header.Get("X-Zone"), r.Header.Get("X-Trunk"), body))
	}))
	defer office.Close()
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_ALLOW_PRIVATE_NETWORKS": "true"})
	commandOn(t, s.Dir, 0, "tenant", "set", "demo", "--timezone", "Europe/Berlin")

	ask(t, s, "POST", "/api/v1/tools", json.RawMessage(`{"name": "report", "config": {"actions": [
		{"type": "api_call", "method": "POST", "url": "`+office.URL+`/{{call.direction}}/{{user.name | 'nobody'}}",
			"headers": {"X-Zone": "{{now.timezone}}", "X-Trunk": "{{call.trunk | 'none'}}"},
			"body": {"day": "{{today}}", "order": "{{call.metadata.order}}", "type": "{{call.type}}", "plan": "{{user.plan | 'basic'}}"}},
		{"type": "handoff", "target_agent": "exit"}]}}`), nil)
	const speech = `"stt": {"provider": "offline", "model": "pocketsphinx"}, "tts": {"provider": "offline", "voice_id": "slt"}, "llm": {"provider": "offline", "model": "scripted"}`
	ask(t, s, "POST", "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {`+speech+`, "timezone": "Asia/Tokyo", "tools": ["report"], "prompt": {"system": "- (start) => [report]"}}}`), nil)
	ask(t, s, "POST", "/api/v1/agents", json.RawMessage(`{"name": "exit", "config": {`+speech+`, "prompt": {
		"system": "- (start) => It is {{now.weekday}} in {{workflow.zone}} for {{workflow.name}} with order {{workflow.order}}. [end_call]"}}}`), nil)
	ask(t, s, "POST", "/api/v1/workflows", json.RawMessage(`{"slug": "zones", "name": "Zones", "config": {
		"nodes": [{"id": "a", "agent_name": "desk", "is_entry": true, "skip_condition": "call.direction == 'outbound' or today < '2020-01-01'"},
			{"id": "b", "agent_name": "exit", "is_exit": true, "context_mapping": {"zone": "now.timezone", "name": "{{user.name | 'you'}}", "order": "call.metadata.order"}}],
		"connections": [{"source_id": "a", "target_id": "b",
			"condition": "call.direction == 'inbound' and call.type == 'voip' and call.metadata.order == 4711 and call.trunk == nil and now.timezone == 'Asia/Tokyo' and now.hour < 24"}]}}`), nil)

	r := call(t, s, 0, "--workflow", "zones", "--metadata", `{"order": 4711}`)
	var said []string
	for _, e := range r.Transcript {
		if e.Role == "assistant" {
			said = append(said, e.Content)
		}
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	today := time.Now().In(berlin)
	if spoken := strings.Join(said, " "); !strings.Contains(spoken, "in Europe/Berlin for you with order 4711") ||
		!strings.Contains(spoken, today.Weekday().String()) && !strings.Contains(spoken, today.Add(-time.Hour).Weekday().String()) {
		t.Errorf("the agents said %q", said)
	}
	tokyo := today.UTC().Add(9 * time.Hour)
	mu.Lock()
	defer mu.Unlock()
	possible := func(day time.Time) string {
		return `/inbound/nobody Asia/Tokyo none {"day":"` + day.Format(time.DateOnly) + `","order":4711,"plan":"basic","type":"voip"}`
	}
	if len(asked) != 1 || asked[0] != possible(tokyo) && asked[0] != possible(tokyo.Add(-time.Hour)) {
		t.Errorf("the office was asked %q, want %q", asked, possible(tokyo))
	}
	var moments []struct {
		Type, Message, Agent string
		Routing              struct {
			Set     []struct{ Path, Reason string }
			Offered []struct{ Function string }
		}
	}
	ask(t, s, "GET", "/api/v1/calls/"+r.CallID+"/timeline", nil, &moments)
	var routed []string
	for _, m := range moments {
		if m.Type == "error" {
			t.Errorf("problem: %s", m.Message)
		}
		if m.Type == "routing" {
			routed = append(routed, fmt.Sprint(m.Agent, m.Routing.Set, m.Routing.Offered))
		}
	}
	if want := []string{"desk[] [{handoff_to_exit}]", "exit[{workflow.name context_mapping} {workflow.order context_mapping} {workflow.zone context_mapping}] [{end_call}]"}; !slices.Equal(routed, want) {
		t.Errorf("routed as %q, want %q", routed, want)
	}
}
