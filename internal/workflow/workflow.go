// Package workflow stores a tenant's workflows: acyclic graphs of agents for calls.
package workflow

import (
	"time"

	"github.com/uptrace/bun"

	"parley/internal/hook"
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

// Config is the graph, in requests and as stored. The tags beside json describe the fields in the API's
// description; rules.go validates.
type Config struct {
	Nodes       []Node       `json:"nodes" minItems:"1" maxItems:"200" doc:"Nodes of the graph. Exactly one is the entry, at least one an exit."`
	Connections []Connection `json:"connections" maxItems:"2000" doc:"Connections between nodes, without cycles."`
	// SharedContext are the context keys that every agent sees.
	SharedContext []string `json:"shared_context,omitzero" maxItems:"200" doc:"Context keys that every agent sees." example:"[\"customer_id\"]"`
	// CallHook is asked before web calls of the workflow.
	CallHook *hook.CallHook `json:"call_hook,omitempty" doc:"Request to your backend before each web call of the workflow: it can add data about the user, choose another workflow or agent, or reject the call. Phone numbers have their own."`
	// Analyses are names of analyses. They need not exist yet.
	Analyses []string `json:"analyses,omitzero" maxItems:"20" doc:"Names of the analyses of calls of this workflow." example:"[\"outcome\"]"`
}

// Node is an agent's position in the graph.
type Node struct {
	ID        string `json:"id" minLength:"1" maxLength:"100" doc:"Unique identifier of the node within the workflow." example:"intake"`
	AgentName string `json:"agent_name" minLength:"1" doc:"Name of an existing agent." example:"front-desk"`
	IsEntry   bool   `json:"is_entry" required:"false"`
	IsExit    bool   `json:"is_exit" required:"false"`
	// SkipCondition is a template.Condition; if it is true, the call continues with the node's successors.
	SkipCondition string `json:"skip_condition,omitempty" maxLength:"2000" doc:"Condition for skipping the node: an expression over user, workflow and flags." example:"{{flags.verified}}"`
	// ContextMapping maps context paths to the agent's inputs.
	ContextMapping map[string]string `json:"context_mapping,omitzero" doc:"Mapping of the agent's inputs to context paths." example:"{\"customer\":\"workflow.customer_id\"}"`
	Position       *Position         `json:"position,omitempty" doc:"Position of the node in an editor."`
}

// Position is the node's position in an editor. Its coordinates are not nil in a valid workflow.
type Position struct {
	X *float64 `json:"x" nullable:"false"`
	Y *float64 `json:"y" nullable:"false"`
}

// Connection connects two nodes, if its template.Condition is true or empty.
type Connection struct {
	SourceID  string `json:"source_id" minLength:"1" doc:"Unique identifier of a node." example:"intake"`
	TargetID  string `json:"target_id" minLength:"1" doc:"Unique identifier of a node." example:"booking"`
	Condition string `json:"condition,omitempty" maxLength:"2000" doc:"Condition: an expression over user, workflow and flags." example:"user.age >= 18"`
	// Description is an instruction to the language model: when to follow the connection.
	Description string `json:"description,omitempty" maxLength:"500" doc:"When the agent should follow the connection, for the language model: part of the description of its function." example:"The caller wants an appointment."`
}
