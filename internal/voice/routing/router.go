// Package routing tracks the position of a call in its plan: the current agent
// and node of the workflow, the functions that lead to other agents, and the
// context that agents, conditions and templates use.
package routing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/mergepatch"
	"parley/internal/plan"
	"parley/internal/prompt"
	"parley/internal/template"
	"parley/internal/tool"
	"parley/internal/workflow"
)

// MaxHandoffs is how often agents without a workflow may hand over a caller who does not speak in between: two that
// hand callers to each other would never stop. A workflow has no cycle and needs no limit.
const MaxHandoffs = 5

// MaxCallHandoffs is how often agents without a workflow may hand over a caller in all: each handoff opens providers.
const MaxCallHandoffs = 100

// Router tracks the current agent and the destinations that it may hand the call to. It is not safe for concurrent use;
// results are copies or do not change.
type Router struct {
	plan    plan.Plan
	scope   template.Scope // data of the current agent's templates
	context *Context
	// functions are the plan's tools in the form for language models.
	functions map[string]dialogue.Tool
	graph     *workflow.Graph // nil without a workflow
	node      string          // "" without a workflow
	agent     string
	spoken    string // the language that the user speaks, once it has changed; "" before
	handoffs  int    // since the caller last spoke
	entered   int    // handoffs in all

	decisions     decisions
	missingInputs []string        // context paths of inputs that have no value
	unknownPaths  []string        // paths in prompts that the call does not have
	reportedPaths map[string]bool // of unknownPaths, over the whole call

	compiled           map[string]*template.Condition // of the plan, as they are needed
	brokenConditions   []string                       // why conditions could not be evaluated
	reportedConditions map[string]bool                // of brokenConditions, over the whole call
}

// New makes a router at the entry of a plan: the workflow's entry node, or, where
// its skip condition holds, the first that it leads to, if any; or the only agent.
// user is the call's user_context.
func New(p plan.Plan, user map[string]any, facts CallFacts) (*Router, error) {
	r := &Router{plan: p, scope: template.Scope{"user": user, "call": facts.Scope(), "vars": p.Vars, "params": map[string]any{}}, context: newContext(nil),
		functions: map[string]dialogue.Tool{}, reportedPaths: map[string]bool{}, compiled: map[string]*template.Condition{}, reportedConditions: map[string]bool{}}
	for name, t := range p.Tools {
		schema, err := t.Schema()
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", name, err)
		}
		r.functions[name] = dialogue.Tool{Name: name, Description: t.Description, Parameters: schema}
	}
	if p.Workflow == nil {
		return r, r.enterAgent(p.Agent)
	}
	r.context = newContext(p.Workflow.SharedContext)
	r.graph = workflow.NewGraph(*p.Workflow)
	entry := r.graph.Entry()
	f := r.follow()
	if targets := f.through(nil, entry.ID); len(targets) > 0 {
		entry, r.decisions.entry = targets[0], f.skippedBut(targets[:1])
	}
	return r, r.enterNode(entry.ID)
}

// Agent returns the name of the current agent.
func (r *Router) Agent() string { return r.agent }

// Config returns the current agent's configuration in the language in effect.
func (r *Router) Config() agent.Config { return r.plan.Agents[r.agent].In(r.Language()) }

// Tool returns a tool of the plan.
func (r *Router) Tool(name string) tool.Definition { return r.plan.Tools[name] }

// ResumeAgent enters the agent that spoke when the call was interrupted: the first of its nodes. With an agent that the
// plan does not have, the call stays at its entry.
func (r *Router) ResumeAgent(agent string) {
	if r.graph == nil {
		_ = r.enterAgent(agent)
		return
	}
	for _, node := range r.plan.Workflow.Nodes {
		if node.AgentName == agent && r.enterNode(node.ID) == nil {
			return
		}
	}
}

// MergeUser applies a JSON Merge Patch to the user's context. It changes nothing if that fails, or the context would exceed MaxContext.
func (r *Router) MergeUser(patch map[string]any) error {
	var merged map[string]any // a copy: tools that run read the context
	document, err := json.Marshal(r.User())
	if err == nil {
		var change []byte
		if change, err = json.Marshal(patch); err == nil {
			document, err = mergepatch.Apply(document, change)
		}
	}
	if err == nil {
		merged, err = template.DecodeObject(document)
	}
	switch {
	case err != nil:
		return fmt.Errorf("merge the user context: %w", err)
	case len(document) > MaxContext:
		return fmt.Errorf("the user context would have more than %d KiB", MaxContext>>10)
	}
	r.scope["user"] = merged
	return nil
}

// RestoreUser replaces the user's context.
func (r *Router) RestoreUser(user map[string]any) { r.scope["user"] = user }

// User returns the user's context.
func (r *Router) User() map[string]any {
	user, _ := r.scope["user"].(map[string]any)
	return user
}

// Position returns the context and current node, which another worker needs to continue the call.
func (r *Router) Position() (*Context, string) { return r.context, r.node }

// NewContext returns an empty context, to be decoded into.
func (r *Router) NewContext() *Context { return newContext(nil) }

// Restore sets the position, the node only if it is one of the current agent.
func (r *Router) Restore(c *Context, node string) {
	c.sharedKeys = r.context.sharedKeys
	c.recomputeSize()
	r.context, r.missingInputs = c, nil
	if r.graph != nil {
		if n, exists := r.graph.Node(node); exists && n.AgentName == r.agent {
			r.node = node
		}
	}
	r.updateScope()
}

// CallerSpoke resets the count of handoffs without a word of the caller.
func (r *Router) CallerSpoke() { r.handoffs = 0 }

// AtHandoffLimit reports whether the last handoff was the last one before the
// caller speaks again.
func (r *Router) AtHandoffLimit() bool { return r.handoffs == MaxHandoffs }

// AtCallHandoffLimit reports whether the last handoff was the last one of the call.
func (r *Router) AtCallHandoffLimit() bool { return r.entered == MaxCallHandoffs }

// Enter makes the agent of a destination the current one.
func (r *Router) Enter(to Destination) error {
	if to.Node != "" {
		return r.enterNode(to.Node)
	}
	previous, handoffs := r.agent, r.Config().Handoffs
	if err := r.enterAgent(to.Agent); err != nil {
		return err
	}
	r.handoffs++
	r.entered++
	for _, h := range handoffs {
		if h.TargetAgent == to.Agent {
			r.recordSet(r.context.copyKeys(previous, to.Agent, h.ContextPass), workflow.SetByPass, "")
		}
	}
	r.updateScope()
	return nil
}

func (r *Router) enterNode(id string) error {
	node, ok := r.graph.Node(id)
	if !ok {
		return fmt.Errorf("workflow has no node %q", id)
	}
	r.node = id
	if err := r.enterAgent(node.AgentName); err != nil {
		return err
	}
	set, missing := r.context.setInputs(r.agent, node.ContextMapping, r.fullScope())
	r.recordSet(set, workflow.SetByMapping, "")
	r.missingInputs = append(r.missingInputs, missing...)
	r.updateScope()
	return nil
}

func (r *Router) enterAgent(name string) error {
	if _, ok := r.plan.Agents[name]; !ok {
		return fmt.Errorf("agent %q does not exist or is not active", name)
	}
	r.agent = name
	r.updateScope()
	return nil
}

// updateScope updates the data of templates to that of the current agent.
func (r *Router) updateScope() {
	r.scope["flags"], r.scope["workflow"] = r.context.Flags, r.context.visibleTo(r.agent)
}

// setTime sets the time that templates and conditions see, in the time zone of the current agent.
func (r *Router) setTime() {
	r.scope.SetTime(time.Now(), cmp.Or(r.plan.Agents[r.agent].Timezone, r.plan.Timezone))
}

// fullScope returns the data of conditions and context mappings: all of the call's.
func (r *Router) fullScope() template.Scope {
	r.setTime()
	scope := maps.Clone(r.scope)
	scope["flags"], scope["workflow"] = r.context.Flags, r.context.Newest
	return scope
}

// ToolScope returns a snapshot of the data for the templates of a tool that an agent calls.
func (r *Router) ToolScope(agent string, t tool.Definition) template.Scope {
	r.setTime()
	scope := maps.Clone(r.scope)
	scope["flags"], scope["workflow"] = maps.Clone(r.context.Flags), r.context.visibleTo(agent)
	scope["prompt"], _ = r.plan.Prompts.Resolve(prompt.Slugs(t.Config.Texts()...), r.userLanguage(), scope)
	return scope
}

// FreeBytes returns how much of MaxContext the context leaves.
func (r *Router) FreeBytes() int { return MaxContext - r.context.size }

// Warning is a fault of the plan or its context, for the tenant.
type Warning struct {
	Message  string
	Critical bool
}

// Warnings returns the warnings since the last call of Warnings.
func (r *Router) Warnings() (warnings []Warning) {
	for _, path := range r.missingInputs {
		warnings = append(warnings, Warning{Message: fmt.Sprintf("an input comes from {{%s}}, which this call does not have", path)})
	}
	for _, path := range r.context.rejectedPaths {
		warnings = append(warnings, Warning{Critical: true,
			Message: fmt.Sprintf("%s is not set: the call keeps at most %d KiB in all (limit call_memory)", path, MaxContext>>10)})
	}
	for _, path := range r.unknownPaths {
		warnings = append(warnings, Warning{Message: fmt.Sprintf("the prompt names {{%s}}, which this call does not have", path)})
	}
	for _, why := range r.brokenConditions {
		warnings = append(warnings, Warning{Critical: true, Message: why})
	}
	r.missingInputs, r.context.rejectedPaths, r.unknownPaths, r.brokenConditions = nil, nil, nil, nil
	return warnings
}
