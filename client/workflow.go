package client

import (
	"context"
	"net/http"
	"time"
)

// Workflow is a directed acyclic graph of agents.
type Workflow struct {
	ID          string         `json:"id"`
	Slug        string         `json:"slug"`
	Name        string         `json:"name"`
	Description *string        `json:"description"`
	Config      WorkflowConfig `json:"config"` // not in lists
	IsActive    bool           `json:"is_active"`
	CreatedAt   time.Time      `json:"created_at"`
	Warnings    []string       `json:"warnings,omitempty"` // context paths in the config that can never lead anywhere
}

// WorkflowConfig is the graph of a workflow.
type WorkflowConfig struct {
	Nodes         []Node       `json:"nodes"`
	Connections   []Connection `json:"connections"`
	SharedContext []string     `json:"shared_context,omitempty"` // context keys that every agent sees
	CallHook      *CallHook    `json:"call_hook,omitempty"`      // asked before web calls of the workflow
	Analyses      []string     `json:"analyses,omitempty"`       // names of the analyses of its calls
}

// Node is a node of a workflow, which runs an agent.
type Node struct {
	ID             string            `json:"id"`
	AgentName      string            `json:"agent_name"`
	IsEntry        bool              `json:"is_entry"`
	IsExit         bool              `json:"is_exit"`
	SkipCondition  string            `json:"skip_condition,omitempty"`
	ContextMapping map[string]string `json:"context_mapping,omitempty"`
	Position       *Position         `json:"position,omitempty"`
}

// Position is the position of a node in an editor.
type Position struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Connection is an edge between two nodes.
type Connection struct {
	SourceID  string `json:"source_id"`
	TargetID  string `json:"target_id"`
	Condition string `json:"condition,omitempty"`
	// Description is an instruction to the language model: when to follow the connection.
	Description string `json:"description,omitempty"`
}

// NewWorkflow holds the parameters of Workflows.Create.
type NewWorkflow struct {
	Slug        string         `json:"slug"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	Config      WorkflowConfig `json:"config"`
}

// WorkflowChange holds the parameters of Workflows.Update; nil fields stay unchanged. Each key set in Config replaces that
// key entirely.
type WorkflowChange struct {
	Name        *string        `json:"name,omitempty"`
	Description *string        `json:"description,omitempty"`
	Config      map[string]any `json:"config,omitempty"`
}

// Workflows has the operations on workflows.
type Workflows struct{ c *Client }

const workflowsPath = "/api/v1/workflows"

// Create creates a workflow. Error: validation_error with a Detail per broken rule.
func (w Workflows) Create(ctx context.Context, n NewWorkflow) (*Workflow, error) {
	made := new(Workflow)
	return made, w.c.call(ctx, request{method: http.MethodPost, path: workflowsPath, body: n}, made)
}

// Get returns a workflow by slug. Error: not_found.
func (w Workflows) Get(ctx context.Context, slug string) (*Workflow, error) {
	found := new(Workflow)
	return found, w.c.call(ctx, request{method: http.MethodGet, path: workflowsPath + "/" + segment(slug)}, found)
}

// List returns a page of the tenant's workflows, without Config.
func (w Workflows) List(ctx context.Context, o ListOptions) (*Page[Workflow], error) {
	page := new(Page[Workflow])
	return page, w.c.call(ctx, request{method: http.MethodGet, path: workflowsPath, query: o.query()}, page)
}

// Update changes a workflow and returns it.
func (w Workflows) Update(ctx context.Context, slug string, change WorkflowChange) (*Workflow, error) {
	changed := new(Workflow)
	return changed, w.c.call(ctx, request{method: http.MethodPut, path: workflowsPath + "/" + segment(slug), body: change}, changed)
}

// Delete deletes a workflow; active calls continue.
func (w Workflows) Delete(ctx context.Context, slug string) error {
	return w.c.call(ctx, request{method: http.MethodDelete, path: workflowsPath + "/" + segment(slug)}, nil)
}

// Activate allows new calls to use the workflow.
func (w Workflows) Activate(ctx context.Context, slug string) (*Workflow, error) {
	return w.set(ctx, slug, "activate")
}

// Deactivate prevents new calls from using the workflow; active calls continue.
func (w Workflows) Deactivate(ctx context.Context, slug string) (*Workflow, error) {
	return w.set(ctx, slug, "deactivate")
}

func (w Workflows) set(ctx context.Context, slug, activity string) (*Workflow, error) {
	changed := new(Workflow)
	path := workflowsPath + "/" + segment(slug) + "/" + activity
	return changed, w.c.call(ctx, request{method: http.MethodPost, path: path, repeatable: true}, changed)
}
