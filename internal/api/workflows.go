package api

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/workflow"
)

// workflowConfig is a workflow's configuration, under its own name in the
// description.
type workflowConfig workflow.Config

type createWorkflowBody struct {
	Slug        string         `json:"slug" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"Unique identifier of the workflow within the tenant, used in paths. Cannot be changed." example:"appointment"`
	Name        string         `json:"name" minLength:"1" maxLength:"255" example:"Make an appointment"`
	Description *string        `json:"description,omitempty" nullable:"true" maxLength:"2000" example:"Finds a time and confirms it."`
	Config      workflowConfig `json:"config"`
}

// updateWorkflowBody is parsed from the raw body, to distinguish absent fields from null.
type updateWorkflowBody struct{}

// Schema describes the changes.
func (updateWorkflowBody) Schema(r huma.Registry) *huma.Schema {
	return wire.Partial(r, reflect.TypeFor[createWorkflowBody](), "slug")
}

type workflowBody struct {
	ID          string         `json:"id" format:"uuid"`
	Slug        string         `json:"slug" example:"appointment"`
	Name        string         `json:"name" example:"Make an appointment"`
	Description *string        `json:"description" nullable:"true"`
	Config      workflowConfig `json:"config"`
	IsActive    bool           `json:"is_active" doc:"Whether new calls may use the workflow."`
	CreatedAt   wire.Time      `json:"created_at"`
	Warnings    []string       `json:"warnings,omitempty" doc:"Possible mistakes in the accepted configuration, such as context paths that never have a value."`
}

func showWorkflow(w *workflow.Workflow, warnings []string) workflowBody {
	return workflowBody{w.ID, w.Slug, w.Name, w.Description, workflowConfig(w.Config), w.IsActive, wire.Time(w.CreatedAt), warnings}
}

type workflowItem struct {
	ID        string    `json:"id" format:"uuid"`
	Slug      string    `json:"slug" example:"appointment"`
	Name      string    `json:"name" example:"Make an appointment"`
	IsActive  bool      `json:"is_active"`
	CreatedAt wire.Time `json:"created_at"`
}

type workflowIn struct {
	Slug string `path:"slug" example:"appointment" doc:"Slug of the workflow."`
}

type createWorkflowIn struct {
	Body createWorkflowBody
}

type updateWorkflowIn struct {
	Slug    string `path:"slug" example:"appointment" doc:"Slug of the workflow."`
	Body    updateWorkflowBody
	RawBody []byte
}

func (s *Server) registerWorkflows() {
	workflows := wire.Resource[workflow.Store, workflow.Workflow, workflowBody]{
		Router: s.router, Tag: "Workflows", Path: "/api/v1/workflows", Key: "slug", Title: "a workflow", Scope: "workflows", Answer: wire.MaxBody, Store: s.workflows, Show: showWorkflow,
	}
	wire.List(workflows, wire.Operation{Description: "Newest first."},
		func(ctx context.Context, store workflow.Store, in *wire.ListIn) ([]workflow.Workflow, int64, error) {
			return store.List(ctx, in.Limit, in.Offset, in.IsActive.Pointer())
		},
		func(w *workflow.Workflow) workflowItem {
			return workflowItem{w.ID, w.Slug, w.Name, w.IsActive, wire.Time(w.CreatedAt)}
		})
	wire.Create(workflows, wire.Operation{
		Description: "The workflow is active immediately. Exactly one node is the entry and at least one an exit; node ids are unique, agents exist, and connections connect existing nodes without a cycle.",
	}, func(ctx context.Context, store workflow.Store, in *createWorkflowIn) (*workflow.Workflow, []string, error) {
		return store.Create(ctx, workflow.Draft{Slug: in.Body.Slug, Name: in.Body.Name, Description: in.Body.Description, Config: workflow.Config(in.Body.Config)})
	})
	wire.Get[workflowIn](workflows, wire.Operation{}, workflow.Store.Get)
	wire.Update[updateWorkflowIn](workflows, wire.Operation{
		Description: "The given fields replace the stored ones: name, description, and under config nodes, connections, shared_context and analyses. null removes a field. The result must satisfy the rules of creation.",
	}, workflow.Store.Update)
	wire.Delete[workflowIn](workflows, wire.Operation{Scope: "workflows:delete", Description: "Calls in progress continue."}, workflow.Store.Delete)
	wire.Do[workflowIn](workflows, "activate", wire.Operation{}, workflow.Store.Activate)
	wire.Do[workflowIn](workflows, "deactivate", wire.Operation{Description: "New calls can no longer use it. Calls in progress continue."}, workflow.Store.Deactivate)
}

func (s *Server) workflows(who auth.Principal) workflow.Store {
	return s.deps.Workflows.In(s.deps.DB.Tenant(who.TenantID))
}
