package routing

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"

	"parley/internal/dialogue"
	"parley/internal/workflow"
)

// The functions of the engine, offered to agents where they apply.
const (
	endCall       = "end_call"
	completeStep  = "complete_step"
	handoffPrefix = "handoff_to_"
)

// Destination is where a function leads: to a node of the workflow, or to an
// agent without one, or, with neither, to the end of the call.
type Destination struct{ Node, Agent string }

// EndsCall reports whether the destination is the end of the call.
func (d Destination) EndsCall() bool { return d == Destination{} }

// Functions returns the functions that the current agent may call.
type Functions struct {
	List         []dialogue.Tool
	Destinations map[string]Destination // of the engine's functions
	Tools        map[string]bool        // the tenant's tools
}

// add adds a function of the engine, once for each destination. One whose name is taken,
// as with two nodes of one agent, gets a number.
func (f *Functions) add(name string, to Destination, description string) {
	for n := 2; ; n++ {
		other, exists := f.Destinations[name]
		if !exists && !f.Tools[name] {
			break
		}
		if exists && other == to {
			return
		}
		suffix := fmt.Sprintf("_%d", n)
		name = name[:min(len(name), maxFunctionName-len(suffix))] + suffix
	}
	f.Destinations[name] = to
	f.List = append(f.List, dialogue.Tool{Name: name, Description: description, Parameters: noParameters})
}

// Functions returns the functions that the current agent may call.
func (r *Router) Functions() Functions {
	f := Functions{Destinations: map[string]Destination{}, Tools: map[string]bool{}}
	for _, name := range r.Config().Tools {
		if function, exists := r.functions[name]; exists && !f.Tools[name] {
			f.Tools[name] = true
			f.List = append(f.List, function)
		}
	}
	if r.graph == nil {
		holds := r.conditions()
		var skipped []workflow.Skip
		for _, h := range r.Config().Handoffs {
			if why := r.unreachable(h.TargetAgent); why != "" {
				skipped = append(skipped, workflow.Skip{Agent: h.TargetAgent, Reason: why})
			} else if !holds.evaluate(h.Condition, true) {
				skipped = append(skipped, workflow.Skip{Agent: h.TargetAgent, Reason: workflow.SkippedByCondition, Condition: shown(h.Condition)})
			} else {
				f.add(handoffName(h.TargetAgent), Destination{Agent: h.TargetAgent}, handoffDescription(h.TargetAgent))
			}
		}
		f.add(endCall, Destination{}, endDescription)
		r.decide(f, skipped)
		return f
	}
	connections := r.graph.Next(r.node)
	targets, skipped := r.nextNodes()
	if len(targets) == 1 && len(connections) == 1 && connections[0].Condition == "" {
		f.add(completeStep, Destination{Node: targets[0].ID}, described("Call this when your part of the conversation is done: the next agent takes over.", connections, targets[0]))
	}
	for _, node := range targets {
		f.add(handoffName(node.AgentName), Destination{Node: node.ID}, described(handoffDescription(node.AgentName), connections, node))
	}
	if node, _ := r.graph.Node(r.node); node.IsExit {
		f.add(endCall, Destination{}, endDescription)
	}
	r.decide(f, skipped)
	return f
}

// FindHandoff returns the destination of a tool's handoff to an agent: without a workflow any agent of the plan, in a
// workflow along the connections.
func (r *Router) FindHandoff(agent string) (to Destination, ok bool) {
	if r.graph == nil {
		return Destination{Agent: agent}, r.unreachable(agent) == ""
	}
	targets, _ := r.nextNodes()
	for _, node := range targets {
		if node.AgentName == agent {
			return Destination{Node: node.ID}, true
		}
	}
	return Destination{}, false
}

// unreachable returns why, without a workflow, the call cannot be handed over to an agent; "" if it can.
func (r *Router) unreachable(agent string) workflow.SkipReason {
	_, known := r.plan.Agents[agent]
	switch {
	case !known || agent == r.agent:
		return workflow.SkippedAsUnavailable
	case r.handoffs >= MaxHandoffs || r.entered >= MaxCallHandoffs:
		return workflow.SkippedByLimit
	}
	return ""
}

// nextNodes returns the nodes that can follow the current one, each once, and those that were skipped.
func (r *Router) nextNodes() (targets []workflow.Node, skipped []workflow.Skip) {
	f := r.follow()
	targets = f.along(nil, r.node)
	return targets, f.skippedBut(targets)
}

// follow begins to follow connections.
func (r *Router) follow() *followed {
	return &followed{graph: r.graph, holds: r.conditions(), seen: map[string]bool{}}
}

// followed is what was met on the ways from one node.
type followed struct {
	graph   *workflow.Graph
	holds   *conditions
	seen    map[string]bool // nodes
	skipped []workflow.Skip
}

// through appends the nodes that a connection to a node leads to, except those met before: the node, or, if its skip
// condition holds, all that its connections whose conditions hold lead to. A node without connections is not skipped:
// the call has to end somewhere.
func (f *followed) through(targets []workflow.Node, id string) []workflow.Node {
	node, exists := f.graph.Node(id)
	if !exists || f.seen[id] {
		return targets
	}
	f.seen[id] = true
	connections := f.graph.Next(id)
	if len(connections) == 0 || !f.holds.evaluate(node.SkipCondition, false) {
		return append(targets, node)
	}
	f.skip(node, workflow.SkippedBySkipCondition, node.SkipCondition)
	return f.along(targets, id)
}

// along appends the nodes that the connections of a node lead to, except those met before.
func (f *followed) along(targets []workflow.Node, id string) []workflow.Node {
	for _, c := range f.graph.Next(id) {
		if f.holds.evaluate(c.Condition, true) {
			targets = f.through(targets, c.TargetID)
		} else if node, exists := f.graph.Node(c.TargetID); exists {
			f.skip(node, workflow.SkippedByCondition, c.Condition)
		}
	}
	return targets
}

// skippedBut returns what was skipped, without the nodes that another way leads to.
func (f *followed) skippedBut(targets []workflow.Node) []workflow.Skip {
	return slices.DeleteFunc(f.skipped, func(s workflow.Skip) bool {
		return slices.ContainsFunc(targets, func(node workflow.Node) bool { return node.ID == s.Node })
	})
}

func (f *followed) skip(node workflow.Node, reason workflow.SkipReason, condition string) {
	f.skipped = append(f.skipped, workflow.Skip{Agent: node.AgentName, Node: node.ID, Reason: reason, Condition: shown(condition)})
}

const endDescription = "End the call. Say goodbye first."

func handoffDescription(agent string) string {
	return "Hand the caller over to the agent " + agent + "."
}

// described adds the description of the connection that leads to a node.
func described(description string, connections []workflow.Connection, to workflow.Node) string {
	for _, c := range connections {
		if c.TargetID == to.ID && c.Description != "" {
			return description + " " + c.Description
		}
	}
	return description
}

var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// maxFunctionName is the longest function name that language models accept, in characters.
const maxFunctionName = 64

// handoffName returns the name of the function that leads to an agent.
func handoffName(agent string) string {
	const most = maxFunctionName - len(handoffPrefix)
	if len(agent) <= most {
		return handoffPrefix + agent
	}
	sum := fnv.New32a()
	sum.Write([]byte(agent))
	return fmt.Sprintf("%s%s_%08x", handoffPrefix, agent[:most-9], sum.Sum32())
}
