package call_test

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/fault"
	"parley/internal/prompt"
	"parley/internal/provider/catalogtest"
	"parley/internal/tool"
	"parley/internal/workflow"
)

// config is an agent with a system prompt.
func config(system string) agent.Config {
	return agent.Config{Prompt: agent.Prompt{System: system}, STT: agent.STT{Provider: "p", Model: "m"}, TTS: agent.TTS{Provider: "p", VoiceID: "v"}, LLM: agent.LLM{Provider: "p", Model: "m"}}
}

// A dispatch whose agents, tools and prompts have more than 4 MiB together is refused and writes no call, whatever makes it
// large; a smaller one is accepted.
func TestPlanIsBounded(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		scope := h.db.Tenant(acme)
		agents := agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}.In(scope)
		add := func(name string, c agent.Config) {
			t.Helper()
			if _, _, err := agents.Create(t.Context(), agent.Draft{Name: name, Config: c}); err != nil {
				t.Fatal(err)
			}
		}
		large := strings.Repeat("x", agent.MaxPrompt)
		w := workflow.Config{Connections: []workflow.Connection{}}
		var handoffs []agent.Handoff
		for n := range 50 {
			name := fmt.Sprintf("large%d", n)
			add(name, config(large))
			w.Nodes = append(w.Nodes, workflow.Node{ID: name, AgentName: name, IsEntry: n == 0, IsExit: n == 49})
			handoffs = append(handoffs, agent.Handoff{TargetAgent: name})
			if n > 0 {
				w.Connections = append(w.Connections, workflow.Connection{SourceID: w.Nodes[n-1].ID, TargetID: name})
			}
		}
		workflows := workflow.Registry{Agents: agent.Directory{}}.In(scope)
		if _, _, err := workflows.Create(t.Context(), workflow.Draft{Slug: "huge", Name: "Huge", Config: w}); err != nil {
			t.Fatal(err)
		}
		door := config("x")
		door.Handoffs = handoffs
		add("door", door)
		door.Handoffs = handoffs[:30]
		add("smaller", door)
		library, references := prompt.In(scope), ""
		for n := range 50 {
			slug := fmt.Sprintf("p%d", n)
			references += "{{prompt." + slug + "}}"
			if _, err := library.Create(t.Context(), prompt.Draft{Slug: slug, Body: prompt.Body{Name: slug, Category: prompt.DefaultCategory, Content: map[string]string{"en": large}}}); err != nil {
				t.Fatal(err)
			}
		}
		add("reader", config(references))

		for _, r := range []call.Request{{WorkflowSlug: "huge"}, {AgentName: "door"}, {AgentName: "reader"}} {
			r.TenantID, r.CallType = acme, call.VoIP
			if _, _, err := h.calls.Dispatch(t.Context(), r); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "call_plan") {
				t.Errorf("%s%s: %v", r.WorkflowSlug, r.AgentName, err)
			}
		}
		if n := h.total(acme); n != 0 {
			t.Errorf("%d calls were written", n)
		}
		c, _, err := h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "smaller", CallType: call.VoIP})
		if err != nil || len(c.Plan) < 3_000_000 {
			t.Errorf("a plan of %d bytes: %v", len(c.Plan), err)
		}
	})
}

// Of many tools that do not exist the first are reported.
func TestAbsentPartsAreReportedBriefly(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		c := config("x")
		for n := range 200 {
			c.Tools = append(c.Tools, fmt.Sprintf("tool%d", n))
		}
		if _, _, err := (agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}, Tools: tool.Directory{}}).In(h.db.Tenant(acme)).Create(t.Context(), agent.Draft{Name: "host", Config: c}); err != nil {
			t.Fatal(err)
		}
		_, absent, err := call.ReadPlan(t.Context(), h.db.Tenant(acme), "", "host")
		if err != nil || len(absent) != 51 || absent[50].Message != "and 150 more agents or tools do not exist or are not active" {
			t.Errorf("%d items, %v", len(absent), err)
		}
	})
}
