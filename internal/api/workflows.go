package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/workflow"
)

// workflowConfig is a workflow's configuration, under a name of its own in the
// description.
type workflowConfig workflow.Config

type createWorkflowBody struct {
	Slug        string         `json:"slug" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"Unique among your workflows; stays as it is." example:"appointment"`
	Name        string         `json:"name" minLength:"1" maxLength:"255" example:"Make an appointment"`
	Description *string        `json:"description,omitempty" nullable:"true" maxLength:"2000" example:"Finds a time and confirms it."`
	Config      workflowConfig `json:"config"`
}

// updateWorkflowBody is read from the raw body, which tells absent fields and
// null apart.
type updateWorkflowBody struct{}

// Schema describes the changes.
func (updateWorkflowBody) Schema(r huma.Registry) *huma.Schema {
	return partial(r, reflect.TypeFor[createWorkflowBody](), "slug")
}

type workflowBody struct {
	ID          string         `json:"id" format:"uuid"`
	Slug        string         `json:"slug" example:"appointment"`
	Name        string         `json:"name" example:"Make an appointment"`
	Description *string        `json:"description" nullable:"true"`
	Config      workflowConfig `json:"config"`
	IsActive    bool           `json:"is_active" doc:"Whether new calls may use the workflow."`
	CreatedAt   Time           `json:"created_at"`
	Warnings    []string       `json:"warnings,omitempty" doc:"What was accepted and may still be a mistake: context paths that can never lead anywhere."`
}

func wireWorkflow(w *workflow.Workflow, warnings []string) *answer[workflowBody] {
	return &answer[workflowBody]{workflowBody{w.ID, w.Slug, w.Name, w.Description, workflowConfig(w.Config), w.IsActive, Time(w.CreatedAt), warnings}}
}

type workflowItem struct {
	ID        string `json:"id" format:"uuid"`
	Slug      string `json:"slug" example:"appointment"`
	Name      string `json:"name" example:"Make an appointment"`
	IsActive  bool   `json:"is_active"`
	CreatedAt Time   `json:"created_at"`
}

type workflowIn struct {
	Slug string `path:"slug" example:"appointment" doc:"The workflow's slug."`
}

type createWorkflowIn struct {
	Body createWorkflowBody
}

type updateWorkflowIn struct {
	Slug    string `path:"slug" example:"appointment" doc:"The workflow's slug."`
	Body    updateWorkflowBody
	RawBody []byte
}

func (s *Server) registerWorkflows() {
	const tag, path = "Workflows", "/api/v1/workflows"
	register(s.router, operation{
		ID: "list-workflows", Method: http.MethodGet, Path: path, Tag: tag, Scope: "workflows:read",
		Summary: "List workflows", Description: "The newest first.",
	}, s.listWorkflows)
	register(s.router, operation{
		ID: "create-workflow", Method: http.MethodPost, Path: path, Tag: tag, Scope: "workflows:write",
		Summary:     "Create a workflow",
		Description: "It is active at once. Exactly one node is the entry, at least one an exit; node ids are unique, agents exist, connections lead between nodes and form no cycle.",
		Status:      http.StatusCreated, OwnRules: true, Errors: []fault.Code{fault.Conflict},
	}, s.createWorkflow)
	register(s.router, operation{
		ID: "get-workflow", Method: http.MethodGet, Path: path + "/{slug}", Tag: tag, Scope: "workflows:read",
		Summary: "Get a workflow", Errors: []fault.Code{fault.NotFound},
	}, s.getWorkflow)
	register(s.router, operation{
		ID: "update-workflow", Method: http.MethodPut, Path: path + "/{slug}", Tag: tag, Scope: "workflows:write",
		Summary:     "Update a workflow",
		Description: "What the body holds of name and description, and of nodes, connections and shared_context under config, replaces what was there; null removes. The result must keep the rules of creation.",
		OwnRules:    true, Errors: []fault.Code{fault.NotFound},
	}, s.updateWorkflow)
	register(s.router, operation{
		ID: "delete-workflow", Method: http.MethodDelete, Path: path + "/{slug}", Tag: tag, Scope: "workflows:delete",
		Summary: "Delete a workflow", Description: "Calls in progress go on.",
		Errors: []fault.Code{fault.NotFound},
	}, s.deleteWorkflow)
	register(s.router, operation{
		ID: "activate-workflow", Method: http.MethodPost, Path: path + "/{slug}/activate", Tag: tag, Scope: "workflows:write",
		Summary: "Activate a workflow", Errors: []fault.Code{fault.NotFound},
	}, s.activateWorkflow)
	register(s.router, operation{
		ID: "deactivate-workflow", Method: http.MethodPost, Path: path + "/{slug}/deactivate", Tag: tag, Scope: "workflows:write",
		Summary: "Deactivate a workflow", Description: "New calls cannot use it then. Calls in progress go on.",
		Errors: []fault.Code{fault.NotFound},
	}, s.deactivateWorkflow)
}

func (s *Server) workflows(who auth.Principal) workflow.Store {
	return s.deps.Workflows.In(s.deps.DB.Tenant(who.TenantID))
}

func (s *Server) listWorkflows(ctx context.Context, who auth.Principal, in *listIn) (*answer[page[workflowItem]], error) {
	found, total, err := s.workflows(who).List(ctx, in.Limit, in.Offset, in.IsActive.pointer())
	if err != nil {
		return nil, err
	}
	items := make([]workflowItem, len(found))
	for i, w := range found {
		items[i] = workflowItem{w.ID, w.Slug, w.Name, w.IsActive, Time(w.CreatedAt)}
	}
	return &answer[page[workflowItem]]{page[workflowItem]{items, total, in.Limit, in.Offset}}, nil
}

func (s *Server) createWorkflow(ctx context.Context, who auth.Principal, in *createWorkflowIn) (*answer[workflowBody], error) {
	w, warnings, err := s.workflows(who).Create(ctx, workflow.Draft{
		Slug: in.Body.Slug, Name: in.Body.Name, Description: in.Body.Description, Config: workflow.Config(in.Body.Config),
	})
	if err != nil {
		return nil, err
	}
	return wireWorkflow(w, warnings), nil
}

func (s *Server) getWorkflow(ctx context.Context, who auth.Principal, in *workflowIn) (*answer[workflowBody], error) {
	w, err := s.workflows(who).Get(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	return wireWorkflow(w, nil), nil
}

func (s *Server) updateWorkflow(ctx context.Context, who auth.Principal, in *updateWorkflowIn) (*answer[workflowBody], error) {
	w, warnings, err := s.workflows(who).Update(ctx, in.Slug, in.RawBody)
	if err != nil {
		return nil, err
	}
	return wireWorkflow(w, warnings), nil
}

func (s *Server) deleteWorkflow(ctx context.Context, who auth.Principal, in *workflowIn) (*empty, error) {
	return nil, s.workflows(who).Delete(ctx, in.Slug)
}

func (s *Server) activateWorkflow(ctx context.Context, who auth.Principal, in *workflowIn) (*answer[workflowBody], error) {
	w, err := s.workflows(who).Activate(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	return wireWorkflow(w, nil), nil
}

func (s *Server) deactivateWorkflow(ctx context.Context, who auth.Principal, in *workflowIn) (*answer[workflowBody], error) {
	w, err := s.workflows(who).Deactivate(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	return wireWorkflow(w, nil), nil
}
