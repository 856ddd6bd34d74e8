package routing

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/agent"
	"parley/internal/plan"
	"parley/internal/workflow"
)

// A condition that costs too much, or is not valid, is false and is reported once.
func TestConditionsThatCannotBeEvaluated(t *testing.T) {
	numbers := make([]any, 16_000)
	for i := range numbers {
		numbers[i] = 1.0
	}
	costly := strings.Repeat("user.digits in user.numbers || ", 20) + "true"
	p := plan.Plan{Agent: "a", Agents: agents("a", "b", "c", "d")}
	p.Agents["a"] = agent.Config{Handoffs: []agent.Handoff{{TargetAgent: "b", Condition: costly}, {TargetAgent: "c", Condition: "user.x =="}, {TargetAgent: "d"}}}
	r, err := New(p, map[string]any{"digits": strings.Repeat("1", 4000), "numbers": numbers}, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := fmt.Sprint(offered(r)); got != "[handoff_to_d → d end_call]" {
			t.Errorf("offered %s", got)
		}
	}
	warnings := r.Warnings()
	if len(warnings) != 2 || !warnings[0].Critical || !strings.Contains(warnings[0].Message, "limit condition_steps") || len(warnings[0].Message) > 300 || !strings.Contains(warnings[1].Message, "user.x ==") {
		t.Errorf("warnings %+v", warnings)
	}
	r.Functions()
	if again := r.Warnings(); len(again) != 0 {
		t.Errorf("again %+v", again)
	}
}

// What it costs to find the next nodes grows with the connections, not with the ways over them.
func TestNextNodesOfADenseGraph(t *testing.T) {
	const n = 60
	config := workflow.Config{}
	for i := range n {
		config.Nodes = append(config.Nodes, workflow.Node{ID: fmt.Sprint(i), AgentName: "a", IsEntry: i == 0, IsExit: i == n-1})
		if i > 0 {
			config.Nodes[i].SkipCondition = "user.x"
		}
		for j := range i {
			config.Connections = append(config.Connections, workflow.Connection{SourceID: fmt.Sprint(j), TargetID: fmt.Sprint(i), Condition: "user.x"})
		}
	}
	r, err := New(plan.Plan{Workflow: &config, Agents: agents("a")}, map[string]any{"x": true}, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	if got := offered(r); len(got) != 1 || got[0] != "handoff_to_a → 59" {
		t.Errorf("offered %v", got)
	}
	if allocations := testing.AllocsPerRun(1, func() { r.Functions() }); allocations > 5000 {
		t.Errorf("%.0f allocations", allocations)
	}
}
