package voice

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/prompt"
	"parley/internal/template"
	"parley/internal/tool"
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
	// Tools are those that the agents name and that exist.
	Tools map[string]tool.Definition `json:"tools,omitempty"`
	// Prompts are the templates of the library that the agents' texts refer to.
	Prompts prompt.Bodies `json:"prompts,omitempty"`
}

// The functions that every agent is offered by the engine, where they apply.
const (
	toolEndCall      = "end_call"
	toolCompleteStep = "complete_step"
	toolHandoff      = "handoff_to_"
)

// maxMoves is how often agents without a workflow may hand a caller over who
// says nothing meanwhile: two that send callers to each other would never stop.
// Workflows do, having no cycle.
const maxMoves = 5

// flow is where a call is on its way through agents.
type flow struct {
	plan   Plan
	scope  template.Scope // what the current agent's templates see
	memory *memory
	// functions are the plan's tools as language models take them.
	functions map[string]dialogue.Tool
	graph     *workflow.Graph // nil without a workflow
	node      string          // "" without a workflow
	agent     string
	// moves counts the handoffs since the caller last spoke.
	moves int
	// missing are context paths that a mapping names and that lead nowhere;
	// the session takes them.
	missing []string
}

// newFlow stands at the entry: the workflow's entry node, or, where it is to
// be skipped, the first that it leads to, if any; or the only agent.
func newFlow(plan Plan, scope template.Scope) (*flow, error) {
	f := &flow{plan: plan, scope: scope, memory: newMemory(nil), functions: map[string]dialogue.Tool{}}
	for name, t := range plan.Tools {
		schema, err := tool.Schema(t.Config)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", name, err)
		}
		f.functions[name] = dialogue.Tool{Name: name, Description: t.Description, Parameters: schema}
	}
	if plan.Workflow == nil {
		return f, f.enterAgent(plan.Agent)
	}
	f.memory = newMemory(plan.Workflow.SharedContext)
	f.graph = workflow.NewGraph(*plan.Workflow)
	entry := f.graph.Entry()
	if targets := f.behind(entry.ID); len(targets) > 0 {
		entry = targets[0]
	}
	return f, f.enterNode(entry.ID)
}

// resume goes on with the agent that spoke when the call was interrupted. An
// agent of several nodes is taken for the first of them; one that the plan
// does not have leaves the call where it begins.
func (f *flow) resume(name string) {
	if f.graph == nil {
		_ = f.enterAgent(name)
		return
	}
	for _, node := range f.plan.Workflow.Nodes {
		if node.AgentName == name && f.enterNode(node.ID) == nil {
			return
		}
	}
}

func (f *flow) enterNode(id string) error {
	node, ok := f.graph.Node(id)
	if !ok {
		return fmt.Errorf("workflow has no node %q", id)
	}
	f.node = id
	if err := f.enterAgent(node.AgentName); err != nil {
		return err
	}
	f.missing = append(f.missing, f.memory.inputs(f.agent, node.ContextMapping, f.whole())...)
	f.recall()
	return nil
}

func (f *flow) enterAgent(name string) error {
	if _, ok := f.plan.Agents[name]; !ok {
		return fmt.Errorf("agent %q does not exist or is not active", name)
	}
	f.agent = name
	f.recall()
	return nil
}

// recall lets templates see what the current agent knows by now.
func (f *flow) recall() {
	f.scope["flags"], f.scope["workflow"] = f.memory.Flags, f.memory.seen(f.agent)
}

// change sets what tools that an agent called set.
func (f *flow) change(agent string, changes ...tool.Change) {
	for _, c := range changes {
		f.memory.change(agent, c)
	}
	f.recall()
}

// whole is the scope of conditions and mappings: all that the call knows.
func (f *flow) whole() template.Scope {
	scope := maps.Clone(f.scope)
	scope["flags"], scope["workflow"] = f.memory.Flags, f.memory.Newest
	return scope
}

// config is the current agent's configuration.
func (f *flow) config() agent.Config { return f.plan.Agents[f.agent] }

// behind is where a way to a node leads: to it, or, where it is to be skipped,
// to all that its open connections lead to. A node that nothing follows is not
// skipped: the call has to end somewhere. One whose connections are all closed
// leads nowhere.
func (f *flow) behind(id string) (targets []workflow.Node) {
	seen := map[string]bool{}
	var follow func(id string)
	follow = func(id string) {
		node, exists := f.graph.Node(id)
		if !exists || seen[id] {
			return
		}
		seen[id] = true
		connections := f.graph.Next(id)
		if len(connections) == 0 || !f.holds(node.SkipCondition, false) {
			targets = append(targets, node)
			return
		}
		for _, c := range connections {
			if f.holds(c.Condition, true) {
				follow(c.TargetID)
			}
		}
	}
	follow(id)
	return targets
}

// holds evaluates a condition; empty is what an absent one means.
func (f *flow) holds(condition string, empty bool) bool {
	if condition == "" {
		return empty
	}
	compiled, err := template.Compile(condition)
	return err == nil && compiled.Holds(f.whole())
}

// route is where a function that was offered leads: to a node of the workflow,
// or to an agent without one, or, with neither, to the end of the call.
type route struct{ node, agent string }

func (r route) ends() bool { return r == route{} }

// offer is the functions that an agent is offered, and where they lead.
type offer struct {
	tools  []dialogue.Tool
	routes map[string]route
	uses   map[string]bool // those of the tools that are the tenant's
}

// add offers a function. The same way twice is offered once; another way by
// the same name, as of two nodes with one agent, gets a number.
func (o *offer) add(name string, to route, description string) {
	for n := 2; ; n++ {
		taken, exists := o.routes[name]
		if !exists && !o.uses[name] {
			break
		}
		if exists && taken == to {
			return
		}
		suffix := fmt.Sprintf("_%d", n)
		name = name[:min(len(name), maxFunctionName-len(suffix))] + suffix
	}
	o.routes[name] = to
	o.tools = append(o.tools, dialogue.Tool{Name: name, Description: description, Parameters: noParameters})
}

// offer tells what the current agent may do with the call.
func (f *flow) offer() offer {
	o := offer{routes: map[string]route{}, uses: map[string]bool{}}
	for _, name := range f.config().Tools {
		if function, exists := f.functions[name]; exists && !o.uses[name] {
			o.uses[name] = true
			o.tools = append(o.tools, function)
		}
	}
	if f.graph == nil {
		for _, h := range f.config().Handoffs {
			if f.reaches(h.TargetAgent) && f.holds(h.Condition, true) {
				o.add(handoffName(h.TargetAgent), route{agent: h.TargetAgent}, handoffDescription(h.TargetAgent))
			}
		}
		o.add(toolEndCall, route{}, endDescription)
		return o
	}
	connections := f.graph.Next(f.node)
	targets := f.next()
	if len(targets) == 1 && len(connections) == 1 && connections[0].Condition == "" {
		o.add(toolCompleteStep, route{node: targets[0].ID}, "Call this when your part of the conversation is done: the next agent takes over.")
	}
	for _, node := range targets {
		o.add(handoffName(node.AgentName), route{node: node.ID}, handoffDescription(node.AgentName))
	}
	if node, _ := f.graph.Node(f.node); node.IsExit {
		o.add(toolEndCall, route{}, endDescription)
	}
	return o
}

// way is how a tool's handoff leads to an agent: without a workflow to any
// that the call knows, in one along the connections.
func (f *flow) way(agent string) (to route, ok bool) {
	if f.graph == nil {
		return route{agent: agent}, f.reaches(agent)
	}
	for _, node := range f.next() {
		if node.AgentName == agent {
			return route{node: node.ID}, true
		}
	}
	return route{}, false
}

// reaches tells whether the call, which has no workflow, can go over to an
// agent.
func (f *flow) reaches(agent string) bool {
	_, known := f.plan.Agents[agent]
	return known && agent != f.agent && f.moves < maxMoves
}

// next are the nodes that the call may go to from the one where it is. Of
// several ways to one of them there are as many.
func (f *flow) next() (targets []workflow.Node) {
	for _, c := range f.graph.Next(f.node) {
		if f.holds(c.Condition, true) {
			targets = append(targets, f.behind(c.TargetID)...)
		}
	}
	return targets
}

const endDescription = "End the call. Say goodbye first."

func handoffDescription(agent string) string {
	return "Hand the caller over to the agent " + agent + "."
}

var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// maxFunctionName is the most characters that language models accept.
const maxFunctionName = 64

// handoffName is the function that leads to an agent.
func handoffName(agent string) string {
	const most = maxFunctionName - len(toolHandoff)
	if len(agent) <= most {
		return toolHandoff + agent
	}
	sum := fnv.New32a()
	sum.Write([]byte(agent))
	return fmt.Sprintf("%s%s_%08x", toolHandoff, agent[:most-9], sum.Sum32())
}

// enter goes where an offered function leads.
func (f *flow) enter(to route) error {
	if to.node != "" {
		return f.enterNode(to.node)
	}
	previous, handoffs := f.agent, f.config().Handoffs
	if err := f.enterAgent(to.agent); err != nil {
		return err
	}
	f.moves++
	for _, h := range handoffs {
		if h.TargetAgent == to.agent {
			f.memory.pass(previous, to.agent, h.ContextPass)
		}
	}
	f.recall()
	return nil
}
