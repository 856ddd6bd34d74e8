package workflow

import (
	"errors"
	"fmt"

	"parley/internal/template"
)

// Graph is a workflow as a call runs it: conditions compiled, places looked up
// by id. It may be used concurrently.
type Graph struct {
	entry string
	steps map[string]Step
	links map[string][]Link
}

// Step is a node of a running workflow.
type Step struct {
	Node
	skip *template.Condition
}

// Skipped reports whether the call passes through the step.
func (s Step) Skipped(scope template.Scope) bool { return s.skip != nil && s.skip.Holds(scope) }

// Link is a way on from a step.
type Link struct {
	Target string // a node id
	// Conditional tells a link with a condition from one that is always open.
	Conditional bool
	condition   *template.Condition
}

// Open reports whether the call may take the link.
func (l Link) Open(scope template.Scope) bool {
	return l.condition == nil || l.condition.Holds(scope)
}

// Graph makes the running form of a configuration. Stored ones keep the rules;
// the error is for one that does not.
func (c Config) Graph() (*Graph, error) {
	g := &Graph{steps: map[string]Step{}, links: map[string][]Link{}}
	for _, node := range c.Nodes {
		skip, err := compile(node.SkipCondition)
		if err != nil {
			return nil, fmt.Errorf("skip condition of node %s %w", node.ID, err)
		}
		g.steps[node.ID] = Step{Node: node, skip: skip}
		if node.IsEntry {
			g.entry = node.ID
		}
	}
	if _, ok := g.steps[g.entry]; !ok {
		return nil, errors.New("the workflow has no entry node")
	}
	for _, connection := range c.Connections {
		if _, ok := g.steps[connection.TargetID]; !ok {
			return nil, fmt.Errorf("connection to node %s, which there is not", connection.TargetID)
		}
		condition, err := compile(connection.Condition)
		if err != nil {
			return nil, fmt.Errorf("condition of connection %s → %s %w", connection.SourceID, connection.TargetID, err)
		}
		g.links[connection.SourceID] = append(g.links[connection.SourceID], Link{Target: connection.TargetID, Conditional: condition != nil, condition: condition})
	}
	return g, nil
}

func compile(expression string) (*template.Condition, error) {
	if expression == "" {
		return nil, nil
	}
	return template.Compile(expression)
}

// Entry is where the call begins.
func (g *Graph) Entry() Step { return g.steps[g.entry] }

// Node returns a step by its node's id.
func (g *Graph) Node(id string) (Step, bool) {
	s, ok := g.steps[id]
	return s, ok
}

// Next lists the ways on from a node, in the order of the configuration.
func (g *Graph) Next(id string) []Link { return g.links[id] }
