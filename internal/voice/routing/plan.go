// Package routing holds where a call is among the agents of its plan: the nodes
// of a workflow, the functions that lead from one agent to the next, and the
// context that agents, conditions and templates see.
package routing

import (
	"parley/internal/agent"
	"parley/internal/prompt"
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
