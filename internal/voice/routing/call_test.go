package routing

import (
	"testing"
	"time"

	"parley/internal/plan"
	"parley/internal/template"
	"parley/internal/workflow"
)

// Templates see the call itself, and its metadata.
func TestCallInTemplates(t *testing.T) {
	facts := CallFacts{ID: "c1", Direction: "inbound", Type: "sip", StartedAt: time.Date(2026, 11, 26, 9, 30, 0, 0, time.UTC), Metadata: []byte(`{"order": {"id": 12345678901234567890}}`)}
	text := `{{call.id}} {{call.direction}} {{call.type}} {{call.started_at}} {{call.metadata.order.id}} {{call.metadata.none | "-"}}{{call.caller_name | "-"}}`
	got, missing := template.Render(text, template.Scope{"call": facts.Scope()})
	if want := "c1 inbound sip 2026-11-26T09:30:00.000000Z 12345678901234567890 --"; got != want || len(missing) > 0 {
		t.Errorf("got %q, want %q; missing %v", got, want, missing)
	}
	if _, ok := facts.Personal()["direction"]; ok {
		t.Error("the direction counts as personal, and would be masked in errors")
	}
}

// Conditions see what the network said about the caller; what it did not say is null, without a warning.
func TestCallInConditions(t *testing.T) {
	nodes := []workflow.Node{
		{ID: "a", AgentName: "a", IsEntry: true, SkipCondition: `call.verstat == "TN-Validation-Passed" and call.caller_name == nil`},
		{ID: "b", AgentName: "b", IsExit: true},
	}
	p := plan.Plan{Agents: agents("a", "b"), Workflow: &workflow.Config{Nodes: nodes, Connections: []workflow.Connection{{SourceID: "a", TargetID: "b"}}}}
	for verstat, want := range map[string]string{"TN-Validation-Passed": "b", "": "a"} {
		r, err := New(p, nil, CallFacts{From: "1001", Verstat: verstat})
		if err != nil {
			t.Fatal(err)
		}
		if r.Agent() != want {
			t.Errorf("with %q the call begins at %s", verstat, r.Agent())
		}
		if len(r.brokenConditions) != 0 {
			t.Errorf("%v", r.brokenConditions)
		}
	}
}
