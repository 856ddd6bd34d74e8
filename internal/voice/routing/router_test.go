package routing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/plan"
	"parley/internal/tool"
	"parley/internal/workflow"
)

// offered lists what an agent may do, as function → where it leads.
func offered(f *Router) (list []string) {
	o := f.Functions()
	for _, tool := range o.List {
		to := o.Destinations[tool.Name]
		list = append(list, strings.TrimSuffix(tool.Name+" → "+to.Node+to.Agent, " → "))
	}
	return list
}

func agents(names ...string) map[string]agent.Config {
	all := map[string]agent.Config{}
	for _, name := range names {
		all[name] = agent.Config{}
	}
	return all
}

func TestRouterOfAWorkflow(t *testing.T) {
	node := func(id, agent, skip string) workflow.Node {
		return workflow.Node{ID: id, AgentName: agent, SkipCondition: skip, IsEntry: id == "start", IsExit: id == "end"}
	}
	way := func(from, to, condition string) workflow.Connection {
		return workflow.Connection{SourceID: from, TargetID: to, Condition: condition}
	}
	user := map[string]any{"vip": true, "age": 17}
	for _, tc := range []struct {
		name        string
		nodes       []workflow.Node
		connections []workflow.Connection
		entry       string
		offered     []string
		fails       string
	}{
		{name: "one way, unconditional", nodes: []workflow.Node{node("start", "a", ""), node("end", "b", "")},
			connections: []workflow.Connection{way("start", "end", "")},
			entry:       "start", offered: []string{"complete_step → end", "handoff_to_b → end"}},
		{name: "one way, conditional", nodes: []workflow.Node{node("start", "a", ""), node("end", "b", "")},
			connections: []workflow.Connection{way("start", "end", "user.vip")},
			entry:       "start", offered: []string{"handoff_to_b → end"}},
		{name: "conditions choose", nodes: []workflow.Node{node("start", "a", ""), node("x", "b", ""), node("end", "c", "")},
			connections: []workflow.Connection{way("start", "x", "user.age >= 18"), way("start", "end", "user.vip"), way("start", "x", "user.missing.path")},
			entry:       "start", offered: []string{"handoff_to_c → end"}},
		{name: "entry skipped", nodes: []workflow.Node{node("start", "a", "user.vip"), node("x", "b", "user.vip"), node("y", "b", ""), node("end", "c", "")},
			connections: []workflow.Connection{way("start", "x", ""), way("x", "y", "user.age >= 18"), way("x", "end", "")},
			entry:       "end", offered: []string{"end_call"}},
		{name: "a skipped node is passed through", nodes: []workflow.Node{node("start", "a", ""), node("x", "b", "user.vip"), node("end", "c", "")},
			connections: []workflow.Connection{way("start", "x", ""), way("x", "end", "")},
			entry:       "start", offered: []string{"complete_step → end", "handoff_to_c → end"}},
		{name: "two ways to one place", nodes: []workflow.Node{node("start", "a", ""), node("x", "b", "user.vip"), node("end", "c", "")},
			connections: []workflow.Connection{way("start", "x", ""), way("start", "end", ""), way("x", "end", "")},
			entry:       "start", offered: []string{"handoff_to_c → end"}},
		{name: "two places of one agent", nodes: []workflow.Node{node("start", "a", ""), node("x", "b", ""), node("end", "b", "")},
			connections: []workflow.Connection{way("start", "x", ""), way("start", "end", "")},
			entry:       "start", offered: []string{"handoff_to_b → x", "handoff_to_b_2 → end"}},
		{name: "all that a skipped node leads to is offered", nodes: []workflow.Node{node("start", "a", ""), node("x", "b", "user.vip"), node("y", "b", ""), node("z", "a", "user.vip"), node("end", "c", "")},
			connections: []workflow.Connection{way("start", "x", ""), way("x", "end", ""), way("x", "z", ""), way("z", "y", ""), way("z", "end", ""), way("x", "start", "user.missing")},
			entry:       "start", offered: []string{"handoff_to_c → end", "handoff_to_b → y"}},
		{name: "a skipped node whose ways are closed leads nowhere", nodes: []workflow.Node{node("start", "a", ""), node("x", "b", "user.vip"), node("end", "c", "")},
			connections: []workflow.Connection{way("start", "x", ""), way("x", "end", "user.age >= 18")},
			entry:       "start"},
		{name: "but the call begins somewhere", nodes: []workflow.Node{node("start", "a", "user.vip"), node("x", "b", "user.vip"), node("end", "c", "")},
			connections: []workflow.Connection{way("start", "x", ""), way("x", "end", "user.age >= 18")},
			entry:       "start"},
		{name: "the end cannot be skipped", nodes: []workflow.Node{node("start", "a", ""), node("end", "b", "user.vip")},
			connections: []workflow.Connection{way("start", "end", "")},
			entry:       "start", offered: []string{"complete_step → end", "handoff_to_b → end"}},
		{name: "an agent is gone", nodes: []workflow.Node{node("start", "gone", ""), node("end", "b", "")}, fails: `agent "gone" does not exist`},
		{name: "no entry", nodes: []workflow.Node{node("end", "b", "")}, fails: `no node ""`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			plan := plan.Plan{Workflow: &workflow.Config{Nodes: tc.nodes, Connections: tc.connections}, Agents: agents("a", "b", "c")}
			f, err := New(plan, user, CallFacts{})
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("New returned %v, want %s", err, tc.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if f.node != tc.entry {
				t.Errorf("entered %s, want %s", f.node, tc.entry)
			}
			if diff := cmp.Diff(tc.offered, offered(f)); diff != "" {
				t.Errorf("offered (-want +got):\n%s", diff)
			}
		})
	}
}

// A tool finds its way to whatever is behind a skipped node, and no workflow
// is too large for that.
func TestRouterBehindSkippedNodes(t *testing.T) {
	var w workflow.Config
	add := func(id, agent string, skip bool, from ...string) {
		node := workflow.Node{ID: id, AgentName: agent, IsEntry: len(from) == 0}
		if skip {
			node.SkipCondition = "user.vip"
		}
		w.Nodes = append(w.Nodes, node)
		for _, source := range from {
			w.Connections = append(w.Connections, workflow.Connection{SourceID: source, TargetID: id})
		}
	}
	add("in", "a", false)
	last := []string{"in"}
	for n := range 60 { // 2⁶⁰ ways through
		left, right := fmt.Sprint("l", n), fmt.Sprint("r", n)
		add(left, "a", true, last...)
		add(right, "a", true, last...)
		last = []string{left, right}
	}
	add("b", "b", false, last...)
	add("c", "c", false, last...)
	f, err := New(plan.Plan{Workflow: &w, Agents: agents("a", "b", "c")}, map[string]any{"vip": true}, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	if to, ok := f.FindHandoff("c"); !ok || to.Node != "c" {
		t.Errorf("the way to c is %v, %t", to, ok)
	}
	if _, ok := f.FindHandoff("a"); ok {
		t.Error("there is a way to an agent whose nodes are all skipped")
	}
}

func TestRouterWalks(t *testing.T) {
	plan := plan.Plan{Agents: agents("a", "b"), Workflow: &workflow.Config{
		Nodes:       []workflow.Node{{ID: "1", AgentName: "a", IsEntry: true}, {ID: "2", AgentName: "b", IsExit: true}},
		Connections: []workflow.Connection{{SourceID: "1", TargetID: "2"}},
	}}
	f, err := New(plan, nil, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Enter(f.Functions().Destinations["complete_step"]); err != nil {
		t.Fatal(err)
	}
	if f.agent != "b" || !slices.Equal(offered(f), []string{"end_call"}) {
		t.Errorf("agent %s, offered %v", f.agent, offered(f))
	}
	delete(f.plan.Agents, "a")
	if err := f.Enter(Destination{Node: "1"}); err == nil || f.agent != "b" {
		t.Errorf("entered the node of an agent that is gone: %v, agent %s", err, f.agent)
	}
}

// Each change of what an agent is offered is a decision, with what was set and skipped.
func TestDecisions(t *testing.T) {
	plan := plan.Plan{Agents: agents("a", "b", "c", "d"), Workflow: &workflow.Config{
		Nodes: []workflow.Node{{ID: "0", AgentName: "d", IsEntry: true, SkipCondition: "user.known"}, {ID: "1", AgentName: "a"},
			{ID: "2", AgentName: "b", ContextMapping: map[string]string{"name": "user.name"}, SkipCondition: "flags.verified"}, {ID: "3", AgentName: "c", IsExit: true}, {ID: "4", AgentName: "d", IsExit: true}},
		Connections: []workflow.Connection{{SourceID: "0", TargetID: "1"}, {SourceID: "1", TargetID: "2"}, {SourceID: "1", TargetID: "4", Condition: "flags.angry"},
			{SourceID: "2", TargetID: "3"}, {SourceID: "1", TargetID: "3", Condition: "flags.angry"}},
	}}
	f, err := New(plan, map[string]any{"known": true, "name": "Ada"}, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(want ...workflow.Decision) {
		t.Helper()
		f.Functions()
		f.Functions() // decides the same
		if diff := cmp.Diff(want, f.Decisions()); diff != "" {
			t.Errorf("decisions (-want +got):\n%s", diff)
		}
	}
	angry := []workflow.Skip{{Agent: "d", Node: "4", Reason: workflow.SkippedByCondition, Condition: "flags.angry"}, {Agent: "c", Node: "3", Reason: workflow.SkippedByCondition, Condition: "flags.angry"}}
	toB := []workflow.Offer{{Function: "handoff_to_b", Agent: "b", Node: "2"}}
	check(workflow.Decision{Agent: "a", Node: "1", Set: []workflow.SetPath{}, Offered: toB,
		Skipped: append([]workflow.Skip{{Agent: "d", Node: "0", Reason: workflow.SkippedBySkipCondition, Condition: "user.known"}}, angry...)})
	check()
	f.ApplyChanges("a", "look_up", tool.Change{Key: "order", Value: "o1"})
	check(workflow.Decision{Agent: "a", Node: "1", Set: []workflow.SetPath{{Path: "workflow.order", Reason: workflow.SetByTool, Tool: "look_up"}}, Offered: toB, Skipped: angry})
	f.ApplyChanges("a", "verify", tool.Change{Flag: "verified", Value: true})
	check(workflow.Decision{Agent: "a", Node: "1", Set: []workflow.SetPath{{Path: "flags.verified", Reason: workflow.SetByTool, Tool: "verify"}},
		Offered: []workflow.Offer{{Function: "handoff_to_c", Agent: "c", Node: "3"}},
		Skipped: []workflow.Skip{{Agent: "b", Node: "2", Reason: workflow.SkippedBySkipCondition, Condition: "flags.verified"}, angry[0]}})
	if err := f.Enter(Destination{Node: "2"}); err != nil {
		t.Fatal(err)
	}
	check(workflow.Decision{Agent: "b", Node: "2", Set: []workflow.SetPath{{Path: "workflow.name", Reason: workflow.SetByMapping}},
		Offered: []workflow.Offer{{Function: "complete_step", Agent: "c", Node: "3"}, {Function: "handoff_to_c", Agent: "c", Node: "3"}}, Skipped: []workflow.Skip{}})
}

// Without a workflow handoffs are decided on; an agent without them decides nothing.
func TestDecisionsOfHandoffs(t *testing.T) {
	all := agents("a", "b", "c")
	first := all["a"]
	first.Handoffs = []agent.Handoff{{TargetAgent: "b", ContextPass: []string{"order"}}, {TargetAgent: "c", Condition: strings.Repeat("é", 300) + " == 1"}, {TargetAgent: "gone"}}
	all["a"] = first
	f, err := New(plan.Plan{Agent: "a", Agents: all}, nil, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	f.Functions()
	want := []workflow.Decision{{Agent: "a", Set: []workflow.SetPath{}, Offered: []workflow.Offer{{Function: "handoff_to_b", Agent: "b"}, {Function: "end_call"}},
		Skipped: []workflow.Skip{{Agent: "c", Reason: workflow.SkippedByCondition, Condition: strings.Repeat("é", workflow.MaxShown)}, {Agent: "gone", Reason: workflow.SkippedAsUnavailable}}}}
	if diff := cmp.Diff(want, f.Decisions()); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	f.ApplyChanges("a", "order", tool.Change{Key: "order", Value: "o1"})
	if err := f.Enter(Destination{Agent: "b"}); err != nil {
		t.Fatal(err)
	}
	f.Functions()
	want = []workflow.Decision{{Agent: "b", Set: []workflow.SetPath{{Path: "workflow.order", Reason: workflow.SetByTool, Tool: "order"}, {Path: "workflow.order", Reason: workflow.SetByPass}},
		Offered: []workflow.Offer{{Function: "end_call"}}, Skipped: []workflow.Skip{}}}
	if diff := cmp.Diff(want, f.Decisions()); diff != "" {
		t.Errorf("decisions (-want +got):\n%s", diff)
	}
	f.Functions()
	if left := f.Decisions(); left != nil {
		t.Errorf("an agent without handoffs decided %v", left)
	}
}

func TestRouterOfOneAgent(t *testing.T) {
	all := agents("a", "b", "c")
	first := all["a"]
	first.Handoffs = []agent.Handoff{{TargetAgent: "b", Condition: "user.vip"}, {TargetAgent: "c", Condition: "user.vip == false"},
		{TargetAgent: "nobody"}, {TargetAgent: "b"}, {TargetAgent: "a"}}
	all["a"] = first
	f, err := New(plan.Plan{Agent: "a", Agents: all}, map[string]any{"vip": true}, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"handoff_to_b → b", "end_call"}, offered(f)); diff != "" {
		t.Errorf("offered (-want +got):\n%s", diff)
	}
}

func TestHandoffNames(t *testing.T) {
	one, other := handoffName(strings.Repeat("a", 99)+"1"), handoffName(strings.Repeat("a", 99)+"2")
	if len(one) != maxFunctionName || len(other) != maxFunctionName || one == other {
		t.Errorf("names are %s and %s", one, other)
	}
	if got := handoffName("billing-eu"); got != "handoff_to_billing-eu" {
		t.Errorf("name is %s", got)
	}
	o := Functions{Destinations: map[string]Destination{}}
	o.add(one, Destination{Agent: "x"}, "")
	o.add(one, Destination{Agent: "y"}, "")
	if name := o.List[1].Name; len(name) != maxFunctionName || !strings.HasSuffix(name, "_2") {
		t.Errorf("the second name is %s", name)
	}
}
