// Package workflow keeps a tenant's workflows: acyclic graphs of agents that a
// call is led through.
package workflow

import (
	"time"

	"github.com/uptrace/bun"
)

// Workflow is a workflow of a tenant.
type Workflow struct {
	bun.BaseModel `bun:"table:workflows,alias:w"`

	TenantID    string    `bun:"tenant_id,pk"`
	ID          string    `bun:"id,pk"`
	Slug        string    `bun:"slug"` // unique within the tenant; never changes
	Name        string    `bun:"name"`
	Description *string   `bun:"description"`
	Config      Config    `bun:"config,type:jsonb"`
	IsActive    bool      `bun:"is_active"`
	CreatedAt   time.Time `bun:"created_at"`
	UpdatedAt   time.Time `bun:"updated_at"`
}

// Config is the graph, as clients write it and as it is stored.
type Config struct {
	Nodes       []Node       `json:"nodes"`
	Connections []Connection `json:"connections"`
	// SharedContext names the context keys that every agent sees.
	SharedContext []string `json:"shared_context,omitzero"`
}

// Node is a place of an agent in the graph.
type Node struct {
	ID        string `json:"id"` // unique within the workflow
	AgentName string `json:"agent_name"`
	IsEntry   bool   `json:"is_entry"`
	IsExit    bool   `json:"is_exit"`
	// SkipCondition is a template.Condition; where it holds, the call passes
	// through the node to its successors.
	SkipCondition string `json:"skip_condition,omitempty"`
	// ContextMapping sets the agent's inputs from context paths.
	ContextMapping map[string]string `json:"context_mapping,omitzero"`
	Position       *Position         `json:"position,omitempty"`
}

// Position is where an editor draws a node.
type Position struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Connection leads from one node to another, where its template.Condition
// holds, or always without one.
type Connection struct {
	SourceID  string `json:"source_id"`
	TargetID  string `json:"target_id"`
	Condition string `json:"condition,omitempty"`
}
