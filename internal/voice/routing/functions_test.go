package routing

import (
	"strings"
	"testing"

	"parley/internal/plan"
	"parley/internal/workflow"
)

// A flag that is not set yet is no warning; a key that the call does not have is one.
func TestUnsetFlagIsNoWarning(t *testing.T) {
	r, err := New(plan.Plan{Agent: "a", Agents: agents("a")}, nil, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Render("{{flags.verified}}{{workflow.patient}}"); got != "" {
		t.Errorf("rendered %q", got)
	}
	if warnings := r.Warnings(); len(warnings) != 1 || !strings.Contains(warnings[0].Message, "workflow.patient") {
		t.Errorf("warnings %+v", warnings)
	}
}

// The language model reads when to follow a connection.
func TestDescriptionOfAConnection(t *testing.T) {
	p := plan.Plan{Agents: agents("a", "b", "c"), Workflow: &workflow.Config{
		Nodes: []workflow.Node{{ID: "1", AgentName: "a", IsEntry: true}, {ID: "2", AgentName: "b"}, {ID: "3", AgentName: "c", IsExit: true}},
		Connections: []workflow.Connection{
			{SourceID: "1", TargetID: "2", Description: "The caller wants an appointment."}, {SourceID: "1", TargetID: "3"}, {SourceID: "2", TargetID: "3", Description: "It is booked."},
		},
	}}
	r, err := New(p, nil, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	want := func(descriptions map[string]string) {
		t.Helper()
		for _, f := range r.Functions().List {
			if want, checked := descriptions[f.Name]; checked && f.Description != want {
				t.Errorf("%s is described as %q, want %q", f.Name, f.Description, want)
			}
			delete(descriptions, f.Name)
		}
		if len(descriptions) > 0 {
			t.Errorf("not offered: %v", descriptions)
		}
	}
	want(map[string]string{"handoff_to_b": "Hand the caller over to the agent b. The caller wants an appointment.", "handoff_to_c": "Hand the caller over to the agent c."})
	if err := r.Enter(Destination{Node: "2"}); err != nil {
		t.Fatal(err)
	}
	want(map[string]string{"complete_step": "Call this when your part of the conversation is done: the next agent takes over. It is booked."})
}
