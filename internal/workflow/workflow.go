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

// Config is the graph, as clients write it and as it is stored. The tags beside
// json describe the fields to clients; rules.go is what holds.
type Config struct {
	Nodes       []Node       `json:"nodes" minItems:"1" maxItems:"200" doc:"Exactly one is the entry, at least one an exit."`
	Connections []Connection `json:"connections" maxItems:"2000" doc:"Ways from node to node, without a cycle."`
	// SharedContext names the context keys that every agent sees.
	SharedContext []string `json:"shared_context,omitzero" maxItems:"200" doc:"Context keys that every agent sees." example:"[\"customer_id\"]"`
}

// Node is a place of an agent in the graph.
type Node struct {
	ID        string `json:"id" minLength:"1" maxLength:"100" doc:"Unique within the workflow." example:"intake"`
	AgentName string `json:"agent_name" minLength:"1" doc:"Name of an existing agent." example:"front-desk"`
	IsEntry   bool   `json:"is_entry" required:"false"`
	IsExit    bool   `json:"is_exit" required:"false"`
	// SkipCondition is a template.Condition; where it holds, the call passes
	// through the node to its successors.
	SkipCondition string `json:"skip_condition,omitempty" maxLength:"2000" doc:"An expression over user, workflow and flags; the node is passed through where it holds." example:"{{flags.verified}}"`
	// ContextMapping sets the agent's inputs from context paths.
	ContextMapping map[string]string `json:"context_mapping,omitzero" doc:"Sets the agent's inputs from context paths." example:"{\"customer\":\"workflow.customer_id\"}"`
	Position       *Position         `json:"position,omitempty" doc:"Where an editor draws the node."`
}

// Position is where an editor draws a node. Neither coordinate is nil in a
// workflow that keeps the rules.
type Position struct {
	X *float64 `json:"x" nullable:"false"`
	Y *float64 `json:"y" nullable:"false"`
}

// Connection leads from one node to another, where its template.Condition
// holds, or always without one.
type Connection struct {
	SourceID  string `json:"source_id" minLength:"1" doc:"A node's id." example:"intake"`
	TargetID  string `json:"target_id" minLength:"1" doc:"A node's id." example:"booking"`
	Condition string `json:"condition,omitempty" maxLength:"2000" doc:"An expression over user, workflow and flags." example:"user.age >= 18"`
}
