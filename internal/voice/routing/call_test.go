package routing

import (
	"testing"
	"testing/synctest"
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

// Conditions, mappings, prompts and tools see the time in the time zone of the agent, or else of the tenant, which changes during a call.
func TestTimeOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it begins at midnight UTC of 2000-01-01
		all := agents("a", "b")
		tokyo := all["a"]
		tokyo.Timezone = "Asia/Tokyo"
		all["a"] = tokyo
		p := plan.Plan{Agents: all, Timezone: "America/New_York", Workflow: &workflow.Config{
			Nodes: []workflow.Node{{ID: "a", AgentName: "a", IsEntry: true},
				{ID: "b", AgentName: "b", IsExit: true, ContextMapping: map[string]string{"at": "now", "name": `{{user.name | "you"}}`}}},
			Connections: []workflow.Connection{{SourceID: "a", TargetID: "b", Condition: `now.time >= "09:01" and today == "2000-01-01"`}}}}
		r, err := New(p, nil, CallFacts{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Render("{{now}}"); got != "2000-01-01T09:00:00+09:00" {
			t.Errorf("the agent's time is %s", got)
		}
		if got := r.RenderText("{{today}}"); got.Text != "2000-01-01" || got.Fixed {
			t.Errorf("a text with the day is %+v", got)
		}
		if got := offered(r); len(got) != 0 {
			t.Errorf("at nine, %v is offered", got)
		}
		time.Sleep(time.Minute)
		if scope := r.ToolScope("a", r.Tool("")); template.Text(scope["now"]) != "2000-01-01T09:01:00+09:00" || scope["today"] != "2000-01-01" {
			t.Errorf("a tool's time is %v", scope["now"])
		}
		to, ok := r.FindHandoff("b")
		if !ok || r.Enter(to) != nil {
			t.Fatal("a minute later, b cannot be reached")
		}
		if got := r.Render("{{workflow.at}} {{workflow.name}} {{today}}"); got != "1999-12-31T19:01:00-05:00 you 1999-12-31" {
			t.Errorf("the next agent's time is %s", got)
		}
		if warnings := r.Warnings(); len(warnings) != 0 {
			t.Errorf("%v", warnings)
		}
	})
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
