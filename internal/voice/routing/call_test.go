package routing

import (
	"testing"

	"parley/internal/plan"
	"parley/internal/workflow"
)

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
