package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/workflow"
)

// workflowConfig is a workflow's configuration, under a name of its own in the
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

var (
	answerWorkflow       = wire.Show(func(w *workflow.Workflow) workflowBody { return showWorkflow(w, nil) })
	answerWarnedWorkflow = wire.ShowWarned(showWorkflow)
)

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
	const tag, path = "Workflows", "/api/v1/workflows"
	wire.Register(s.router, wire.Operation{
		ID: "list-workflows", Method: http.MethodGet, Path: path, Tag: tag, Scope: "workflows:read",
		Summary: "List workflows", Description: "Newest first.",
	}, s.listWorkflows)
	wire.Register(s.router, wire.Operation{
		ID: "create-workflow", Method: http.MethodPost, Path: path, Tag: tag, Scope: "workflows:write",
		Summary:     "Create a workflow",
		Description: "The workflow is active immediately. Exactly one node is the entry and at least one an exit; node ids are unique, agents exist, and connections connect existing nodes without a cycle.",
		Status:      http.StatusCreated, OwnRules: true, Errors: []fault.Code{fault.Conflict},
	}, s.createWorkflow)
	wire.Register(s.router, wire.Operation{
		ID: "get-workflow", Method: http.MethodGet, Path: path + "/{slug}", Tag: tag, Scope: "workflows:read",
		Summary: "Get a workflow", Errors: []fault.Code{fault.NotFound},
	}, s.getWorkflow)
	wire.Register(s.router, wire.Operation{
		ID: "update-workflow", Method: http.MethodPut, Path: path + "/{slug}", Tag: tag, Scope: "workflows:write",
		Summary:     "Update a workflow",
		Description: "The given fields replace the stored ones: name, description, and under config nodes, connections and shared_context. null removes a field. The result must satisfy the rules of creation.",
		OwnRules:    true, Errors: []fault.Code{fault.NotFound},
	}, s.updateWorkflow)
	wire.Register(s.router, wire.Operation{
		ID: "delete-workflow", Method: http.MethodDelete, Path: path + "/{slug}", Tag: tag, Scope: "workflows:delete",
		Summary: "Delete a workflow", Description: "Calls in progress continue.",
		Errors: []fault.Code{fault.NotFound},
	}, s.deleteWorkflow)
	wire.Register(s.router, wire.Operation{
		ID: "activate-workflow", Method: http.MethodPost, Path: path + "/{slug}/activate", Tag: tag, Scope: "workflows:write",
		Summary: "Activate a workflow", Errors: []fault.Code{fault.NotFound},
	}, s.activateWorkflow)
	wire.Register(s.router, wire.Operation{
		ID: "deactivate-workflow", Method: http.MethodPost, Path: path + "/{slug}/deactivate", Tag: tag, Scope: "workflows:write",
		Summary: "Deactivate a workflow", Description: "New calls can no longer use it. Calls in progress continue.",
		Errors: []fault.Code{fault.NotFound},
	}, s.deactivateWorkflow)
}

func (s *Server) workflows(who auth.Principal) workflow.Store {
	return s.deps.Workflows.In(s.deps.DB.Tenant(who.TenantID))
}

func (s *Server) listWorkflows(ctx context.Context, who auth.Principal, in *wire.ListIn) (*wire.Answer[wire.Page[workflowItem]], error) {
	found, total, err := s.workflows(who).List(ctx, in.Limit, in.Offset, in.IsActive.Pointer())
	if err != nil {
		return nil, err
	}
	return wire.ListOf(found, total, in.PageIn, func(w *workflow.Workflow) workflowItem {
		return workflowItem{w.ID, w.Slug, w.Name, w.IsActive, wire.Time(w.CreatedAt)}
	}), nil
}

func (s *Server) createWorkflow(ctx context.Context, who auth.Principal, in *createWorkflowIn) (*wire.Answer[workflowBody], error) {
	return answerWarnedWorkflow(s.workflows(who).Create(ctx, workflow.Draft{
		Slug: in.Body.Slug, Name: in.Body.Name, Description: in.Body.Description, Config: workflow.Config(in.Body.Config),
	}))
}

func (s *Server) getWorkflow(ctx context.Context, who auth.Principal, in *workflowIn) (*wire.Answer[workflowBody], error) {
	return answerWorkflow(s.workflows(who).Get(ctx, in.Slug))
}

func (s *Server) updateWorkflow(ctx context.Context, who auth.Principal, in *updateWorkflowIn) (*wire.Answer[workflowBody], error) {
	return answerWarnedWorkflow(s.workflows(who).Update(ctx, in.Slug, in.RawBody))
}

func (s *Server) deleteWorkflow(ctx context.Context, who auth.Principal, in *workflowIn) (*wire.Empty, error) {
	return nil, s.workflows(who).Delete(ctx, in.Slug)
}

func (s *Server) activateWorkflow(ctx context.Context, who auth.Principal, in *workflowIn) (*wire.Answer[workflowBody], error) {
	return answerWorkflow(s.workflows(who).Activate(ctx, in.Slug))
}

func (s *Server) deactivateWorkflow(ctx context.Context, who auth.Principal, in *workflowIn) (*wire.Answer[workflowBody], error) {
	return answerWorkflow(s.workflows(who).Deactivate(ctx, in.Slug))
}
