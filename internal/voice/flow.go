package voice

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/template"
	"parley/internal/workflow"
)

// Plan is what a call needs to know of the agents that it may reach, as they
// were when it was dispatched: changing or deleting an agent does not touch
// calls in progress.
type Plan struct {
	// Agent is the only agent of a call without a workflow.
	Agent    string                  `json:"agent,omitempty"`
	Workflow *workflow.Config        `json:"workflow,omitempty"`
	Agents   map[string]agent.Config `json:"agents"`
}

// The functions that every agent is offered by the engine, where they apply.
const (
	toolEndCall      = "end_call"
	toolCompleteStep = "complete_step"
	toolHandoff      = "handoff_to_"
)

// flow is where a call is on its way through agents.
type flow struct {
	plan  Plan
	scope template.Scope
	graph *workflow.Graph // nil without a workflow
	node  string          // "" without a workflow
	agent string
	taken map[string]string // function offered now → node or agent it leads to
}

// newFlow stands at the entry: the workflow's entry node, or the first node
// behind it that is not skipped, or the only agent.
func newFlow(plan Plan, scope template.Scope) (*flow, error) {
	f := &flow{plan: plan, scope: scope}
	if plan.Workflow == nil {
		return f, f.enterAgent(plan.Agent)
	}
	f.graph = workflow.NewGraph(*plan.Workflow)
	entry, err := f.unskipped(f.graph.Entry().ID)
	if err != nil {
		return nil, err
	}
	return f, f.enterNode(entry)
}

func (f *flow) enterNode(id string) error {
	node, ok := f.graph.Node(id)
	if !ok {
		return fmt.Errorf("workflow has no node %q", id)
	}
	f.node = id
	return f.enterAgent(node.AgentName)
}

func (f *flow) enterAgent(name string) error {
	if _, ok := f.plan.Agents[name]; !ok {
		return fmt.Errorf("agent %q does not exist or is not active", name)
	}
	f.agent = name
	return nil
}

// config is the current agent's configuration.
func (f *flow) config() agent.Config { return f.plan.Agents[f.agent] }

// unskipped follows nodes whose skip condition holds to the first that is not
// skipped. The graph has no cycle.
func (f *flow) unskipped(id string) (string, error) {
	node, ok := f.graph.Node(id)
	if !ok {
		return "", fmt.Errorf("workflow has no node %q", id)
	}
	if !f.holds(node.SkipCondition, false) {
		return id, nil
	}
	for _, c := range f.graph.Next(id) {
		if f.holds(c.Condition, true) {
			return f.unskipped(c.TargetID)
		}
	}
	return id, nil // nothing behind it: the call cannot skip its end
}

// holds evaluates a condition; empty is what an absent one means.
func (f *flow) holds(condition string, empty bool) bool {
	if condition == "" {
		return empty
	}
	compiled, err := template.Compile(condition)
	return err == nil && compiled.Holds(f.scope)
}

// tools offers what the current agent may do with the call.
func (f *flow) tools() []dialogue.Tool {
	f.taken = map[string]string{}
	var tools []dialogue.Tool
	offer := func(name, target, description string) {
		f.taken[name] = target
		tools = append(tools, dialogue.Tool{Name: name, Description: description, Parameters: noParameters})
	}
	mayEnd := true
	if f.graph != nil {
		node, _ := f.graph.Node(f.node)
		mayEnd = node.IsExit
		connections := f.graph.Next(f.node)
		if len(connections) == 1 && connections[0].Condition == "" {
			if target, err := f.unskipped(connections[0].TargetID); err == nil {
				offer(toolCompleteStep, target, "Call this when your part of the conversation is done: the next agent takes over.")
			}
		}
		for _, c := range connections {
			target, err := f.unskipped(c.TargetID)
			if err != nil || !f.holds(c.Condition, true) {
				continue
			}
			node, _ := f.graph.Node(target)
			offer(handoffName(node.AgentName), target, "Hand the caller over to the agent "+node.AgentName+".")
		}
	} else {
		for _, h := range f.config().Handoffs {
			if _, exists := f.plan.Agents[h.TargetAgent]; exists && f.holds(h.Condition, true) {
				offer(handoffName(h.TargetAgent), h.TargetAgent, "Hand the caller over to the agent "+h.TargetAgent+".")
			}
		}
	}
	if mayEnd {
		offer(toolEndCall, "", "End the call. Say goodbye first.")
	}
	return tools
}

var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// handoffName is the function that leads to an agent, within the 64
// characters that language models accept as a function's name.
func handoffName(agent string) string {
	const most = 64 - len(toolHandoff)
	if len(agent) <= most {
		return toolHandoff + agent
	}
	sum := fnv.New32a()
	sum.Write([]byte(agent))
	return fmt.Sprintf("%s%s_%08x", toolHandoff, agent[:most-9], sum.Sum32())
}

// leads returns where an offered function leads, and whether it was offered.
func (f *flow) leads(function string) (target string, offered bool) {
	target, offered = f.taken[function]
	return target, offered
}

// enter goes where an offered function leads.
func (f *flow) enter(target string) error {
	if f.graph != nil {
		return f.enterNode(target)
	}
	return f.enterAgent(target)
}
