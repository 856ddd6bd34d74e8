package routing

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/plan"
	"parley/internal/template"
	"parley/internal/tool"
	"parley/internal/workflow"
)

// sees renders what the current agent sees of some paths.
func sees(f *Router, text string) string {
	rendered, _ := template.Render(text, f.scope)
	return rendered
}

// In a workflow an agent sees its own keys, the shared ones, and the inputs
// that its node maps from anywhere. Conditions see everything.
func TestContextOfAWorkflow(t *testing.T) {
	f, err := New(plan.Plan{Agents: agents("a", "b", "c"), Workflow: &workflow.Config{
		SharedContext: []string{"customer", "workflow.order"},
		Nodes: []workflow.Node{
			{ID: "1", AgentName: "a", IsEntry: true, ContextMapping: map[string]string{"caller": "{{user.name}}", "age": "user.age"}},
			{ID: "2", AgentName: "b", ContextMapping: map[string]string{"topic": "workflow.subject"}},
			{ID: "3", AgentName: "c", IsExit: true, ContextMapping: map[string]string{"title": "workflow.subject", "first": "workflow.customer.first"}},
		},
		Connections: []workflow.Connection{{SourceID: "1", TargetID: "2", Condition: "workflow.subject == 'bill'"}, {SourceID: "2", TargetID: "3", Condition: "flags.paid"}},
	}}, map[string]any{"name": "Ada"}, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	const all = "{{workflow.caller}} {{workflow.subject}} {{workflow.topic}} {{workflow.title}} {{workflow.customer.id}} {{workflow.order}} {{workflow.first}} {{flags.paid}}"
	want := func(text string) {
		t.Helper()
		if got := sees(f, all); got != text {
			t.Errorf("%s sees %q, want %q", f.agent, got, text)
		}
	}
	want("Ada       ")
	if diff := cmp.Diff([]string{"user.age"}, f.missingInputs); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string(nil), offered(f)); diff != "" {
		t.Errorf("offered before the condition holds: %s", diff)
	}
	f.ApplyChanges("a", "", tool.Change{Key: "subject", Value: "bill"}, tool.Change{Key: "customer", Value: map[string]any{"id": "c1", "first": "Ada"}})
	want("Ada bill   c1   ")
	if diff := cmp.Diff([]string{"handoff_to_b → 2"}, offered(f)); diff != "" {
		t.Error(diff)
	}
	if err := f.Enter(Destination{Node: "2"}); err != nil {
		t.Fatal(err)
	}
	want("  bill  c1   ")
	f.ApplyChanges("b", "", tool.Change{Key: "order", Value: "o1"}, tool.Change{Flag: "paid", Value: true})
	want("  bill  c1 o1  true")
	if err := f.Enter(Destination{Node: "3"}); err != nil {
		t.Fatal(err)
	}
	want("   bill c1 o1 Ada true")
	f.ApplyChanges("a", "", tool.Change{Key: "subject", Value: "late"}) // by a tool of an agent that has handed over
	want("   bill c1 o1 Ada true")
}

// Without a workflow, keys stay with their agent but for those that a handoff
// passes on.
func TestContextPass(t *testing.T) {
	all := agents("a", "b")
	first := all["a"]
	first.Handoffs = []agent.Handoff{{TargetAgent: "b", ContextPass: []string{"order", "workflow.total", "absent"}, Condition: "workflow.order && flags.ready"}}
	all["a"] = first
	f, err := New(plan.Plan{Agent: "a", Agents: all}, nil, CallFacts{})
	if err != nil {
		t.Fatal(err)
	}
	f.ApplyChanges("a", "", tool.Change{Key: "order", Value: "o1"}, tool.Change{Key: "total", Value: 7.0}, tool.Change{Key: "note", Value: "n"})
	if diff := cmp.Diff([]string{"end_call"}, offered(f)); diff != "" {
		t.Error(diff)
	}
	f.ApplyChanges("a", "", tool.Change{Flag: "ready", Value: "yes"})
	if diff := cmp.Diff([]string{"handoff_to_b → b", "end_call"}, offered(f)); diff != "" {
		t.Error(diff)
	}
	if err := f.Enter(Destination{Agent: "b"}); err != nil {
		t.Fatal(err)
	}
	if got := sees(f, "{{workflow.order}} {{workflow.total}} {{workflow.note}}{{workflow.absent}} {{flags.ready}}"); got != "o1 7  yes" {
		t.Errorf("b sees %q", got)
	}
}

// What a call keeps is bounded in all, whoever sets it; what does not fit is refused as a whole, and what gives room counts.
func TestContextIsBounded(t *testing.T) {
	m := newContext([]string{"shared"})
	text := strings.Repeat("x", 64<<10)
	for n := range 100 {
		m.apply(fmt.Sprintf("agent%d", n%7), tool.Change{Key: fmt.Sprintf("k%d", n), Value: text})
		m.apply("a", tool.Change{Flag: fmt.Sprintf("f%d", n), Value: text})
		m.apply("a", tool.Change{Key: "shared", Value: text})
		m.setInputs("b", map[string]string{fmt.Sprintf("in%d", n): "user.x"}, template.Scope{"user": map[string]any{"x": text}})
	}
	encoded, err := json.Marshal(m)
	if err != nil || len(encoded) > MaxContext+4096 || len(encoded) < MaxContext*3/4 {
		t.Fatalf("%d bytes are kept, %v", len(encoded), err)
	}
	if len(m.rejectedPaths) < 250 || len(m.Newest) > len(m.Own)*100 {
		t.Errorf("%d values were refused", len(m.rejectedPaths))
	}
	kept := m.size
	m.recomputeSize()
	if m.size != kept {
		t.Errorf("%d bytes by changes, %d by what is there", kept, m.size)
	}
	m.rejectedPaths = nil
	m.apply("agent0", tool.Change{Key: "k0", Value: "short"})
	if m.apply("a", tool.Change{Flag: "again", Value: text}); len(m.rejectedPaths) > 0 || m.Own["agent0"]["k0"] != "short" {
		t.Errorf("after room was made: %v are refused", m.rejectedPaths)
	}
}
