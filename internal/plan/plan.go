// Package plan has the configuration that a call is dispatched with.
package plan

import (
	"encoding/json"
	"fmt"

	"parley/internal/agent"
	"parley/internal/prompt"
	"parley/internal/tool"
	"parley/internal/workflow"
)

// Plan is the configuration of all agents that a call can reach, as of its dispatch: later changes of agents,
// workflows, tools and prompts do not affect the call. It is stored as JSON, once for all calls with
// the same plan.
type Plan struct {
	// Agent is the only entry point of a call without a workflow; empty otherwise.
	Agent    string                  `json:"agent,omitempty"`
	Workflow *workflow.Config        `json:"workflow,omitempty"`
	Agents   map[string]agent.Config `json:"agents"` // keyed by name
	// Tools are the existing tools that the agents name, keyed by name.
	Tools map[string]tool.Definition `json:"tools,omitempty"`
	// Prompts are the templates that texts of the agents and tools refer to. They are rendered during the call, because
	// the context that they use is encrypted.
	Prompts prompt.Bodies `json:"prompts,omitempty"`
	// Vars are the tenant's variables, if anything in the plan refers to variables.
	Vars map[string]any `json:"vars,omitempty"`
	// Timezone is the tenant's, if anything in the plan may refer to the time; "" for UTC.
	Timezone string `json:"timezone,omitempty"`
}

// Decode decodes a stored plan.
func Decode(encoded json.RawMessage) (p Plan, err error) {
	if err := json.Unmarshal(encoded, &p); err != nil {
		return Plan{}, fmt.Errorf("decode the call's plan: %w", err)
	}
	return p, nil
}
