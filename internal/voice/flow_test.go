package voice

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/template"
	"parley/internal/workflow"
)

// offered lists what an agent may do, as function → where it leads.
func offered(f *flow) (list []string) {
	o := f.offer()
	for _, tool := range o.tools {
		to := o.routes[tool.Name]
		list = append(list, strings.TrimSuffix(tool.Name+" → "+to.node+to.agent, " → "))
	}
	return list
}

func agents(names ...string) map[string]agent.Config {
	all := map[string]agent.Config{}
	for _, name := range names {
		all[name] = config("")
	}
	return all
}

func TestFlowOfAWorkflow(t *testing.T) {
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
		{name: "the end cannot be skipped", nodes: []workflow.Node{node("start", "a", ""), node("end", "b", "user.vip")},
			connections: []workflow.Connection{way("start", "end", "")},
			entry:       "start", offered: []string{"complete_step → end", "handoff_to_b → end"}},
		{name: "an agent is gone", nodes: []workflow.Node{node("start", "gone", ""), node("end", "b", "")}, fails: `agent "gone" does not exist`},
		{name: "no entry", nodes: []workflow.Node{node("end", "b", "")}, fails: `no node ""`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			plan := Plan{Workflow: &workflow.Config{Nodes: tc.nodes, Connections: tc.connections}, Agents: agents("a", "b", "c")}
			f, err := newFlow(plan, template.Scope{"user": user})
			if tc.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tc.fails) {
					t.Fatalf("newFlow returned %v, want %s", err, tc.fails)
				}
				if _, err := New(Options{Plan: plan, Line: &fakeLine{}, User: user}); err == nil {
					t.Error("a session was made of it")
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

func TestFlowWalks(t *testing.T) {
	plan := Plan{Agents: agents("a", "b"), Workflow: &workflow.Config{
		Nodes:       []workflow.Node{{ID: "1", AgentName: "a", IsEntry: true}, {ID: "2", AgentName: "b", IsExit: true}},
		Connections: []workflow.Connection{{SourceID: "1", TargetID: "2"}},
	}}
	f, err := newFlow(plan, template.Scope{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.enter(f.offer().routes["complete_step"]); err != nil {
		t.Fatal(err)
	}
	if f.agent != "b" || !slices.Equal(offered(f), []string{"end_call"}) {
		t.Errorf("agent %s, offered %v", f.agent, offered(f))
	}
	delete(f.plan.Agents, "a")
	if err := f.enter(route{node: "1"}); err == nil || f.agent != "b" {
		t.Errorf("entered the node of an agent that is gone: %v, agent %s", err, f.agent)
	}
}

func TestFlowOfOneAgent(t *testing.T) {
	all := agents("a", "b", "c")
	first := all["a"]
	first.Handoffs = []agent.Handoff{{TargetAgent: "b", Condition: "user.vip"}, {TargetAgent: "c", Condition: "user.vip == false"},
		{TargetAgent: "nobody"}, {TargetAgent: "b"}}
	all["a"] = first
	f, err := newFlow(Plan{Agent: "a", Agents: all}, template.Scope{"user": map[string]any{"vip": true}})
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
	o := offer{routes: map[string]route{}}
	o.add(one, route{agent: "x"}, "")
	o.add(one, route{agent: "y"}, "")
	if name := o.tools[1].Name; len(name) != maxFunctionName || !strings.HasSuffix(name, "_2") {
		t.Errorf("the second name is %s", name)
	}
}
