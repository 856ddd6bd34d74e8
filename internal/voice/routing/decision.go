package routing

import (
	"fmt"
	"reflect"

	"parley/internal/tool"
	"parley/internal/workflow"
)

// decisions compares each decision of a call with the one before.
type decisions struct {
	set     []workflow.SetPath // since the last decision
	entry   []workflow.Skip    // on the way to the first agent, for the first decision
	last    workflow.Decision  // without Set and entry
	pending []workflow.Decision
}

// Decisions returns the decisions since the last call of Decisions.
func (r *Router) Decisions() []workflow.Decision {
	pending := r.decisions.pending
	r.decisions.pending = nil
	return pending
}

// decide adds a decision, if it differs from the one before. An agent without a workflow and handoffs decides nothing, unless
// tools set values.
func (r *Router) decide(f Functions, skipped []workflow.Skip) {
	d := workflow.Decision{Agent: r.agent, Node: r.node, Offered: []workflow.Offer{}, Skipped: skipped}
	for _, function := range f.List {
		if to, leads := f.Destinations[function.Name]; leads {
			d.Offered = append(d.Offered, r.offer(function.Name, to))
		}
	}
	changed := !reflect.DeepEqual(d, r.decisions.last) && (r.graph != nil || len(r.Config().Handoffs) > 0)
	if !changed && len(r.decisions.set) == 0 {
		return
	}
	r.decisions.last = d
	d.Skipped = append(append([]workflow.Skip{}, r.decisions.entry...), d.Skipped...)
	d.Set = append([]workflow.SetPath{}, r.decisions.set...)
	r.decisions.set, r.decisions.entry = nil, nil
	r.decisions.pending = append(r.decisions.pending, d)
}

func (r *Router) offer(function string, to Destination) workflow.Offer {
	o := workflow.Offer{Function: function, Agent: to.Agent, Node: to.Node}
	if to.Node != "" {
		node, _ := r.graph.Node(to.Node)
		o.Agent = node.AgentName
	}
	return o
}

// recordSet records that a path of the context was set.
func (r *Router) recordSet(paths []string, reason workflow.SetReason, tool string) {
	for _, path := range paths {
		r.decisions.set = append(r.decisions.set, workflow.SetPath{Path: path, Reason: reason, Tool: tool})
	}
}

// ApplyChanges applies the changes of a tool that an agent called to the context.
func (r *Router) ApplyChanges(agent, tool string, changes ...tool.Change) {
	for _, c := range changes {
		if path := r.context.apply(agent, c); path != "" {
			r.recordSet([]string{path}, workflow.SetByTool, tool)
		}
	}
	r.updateScope()
}

// shown returns the part of a condition that a Skip repeats.
func shown(condition string) string { return fmt.Sprintf("%.*s", workflow.MaxShown, condition) }
