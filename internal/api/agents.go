package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/agent"
	"parley/internal/auth"
	"parley/internal/fault"
)

// agentConfig is an agent's configuration, under a name of its own in the
// description.
type agentConfig agent.Config

type createAgentBody struct {
	Name        string      `json:"name" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"Unique name of the agent within the tenant, used in paths. Cannot be changed." example:"front-desk"`
	DisplayName *string     `json:"display_name,omitempty" nullable:"true" maxLength:"255" example:"Front desk"`
	Config      agentConfig `json:"config"`
}

// updateAgentBody is read from the raw body: it is a JSON Merge Patch.
type updateAgentBody struct{}

// Schema describes the patch.
func (updateAgentBody) Schema(r huma.Registry) *huma.Schema {
	return partial(r, reflect.TypeFor[createAgentBody](), "name")
}

type agentBody struct {
	ID          string      `json:"id" format:"uuid"`
	Name        string      `json:"name" example:"front-desk"`
	DisplayName *string     `json:"display_name" nullable:"true" example:"Front desk"`
	Config      agentConfig `json:"config"`
	IsActive    bool        `json:"is_active" doc:"Whether new calls may use the agent."`
	CreatedAt   Time        `json:"created_at"`
	Warnings    []string    `json:"warnings,omitempty" doc:"Possible mistakes in the accepted configuration: models that are not listed, missing tools, agents and prompt templates, and references that never have a value."`
}

func wireAgent(a *agent.Agent, warnings []string) *answer[agentBody] {
	return &answer[agentBody]{agentBody{a.ID, a.Name, a.DisplayName, agentConfig(a.Config), a.IsActive, Time(a.CreatedAt), warnings}}
}

type agentItem struct {
	ID          string  `json:"id" format:"uuid"`
	Name        string  `json:"name" example:"front-desk"`
	DisplayName *string `json:"display_name" nullable:"true" example:"Front desk"`
	IsActive    bool    `json:"is_active"`
	CreatedAt   Time    `json:"created_at"`
}

type agentIn struct {
	Name string `path:"name" example:"front-desk" doc:"Name of the agent."`
}

type createAgentIn struct {
	Body createAgentBody
}

type updateAgentIn struct {
	Name    string `path:"name" example:"front-desk" doc:"Name of the agent."`
	Body    updateAgentBody
	RawBody []byte
}

func (s *Server) registerAgents() {
	const tag, path = "Agents", "/api/v1/agents"
	register(s.router, operation{
		ID: "list-agents", Method: http.MethodGet, Path: path, Tag: tag, Scope: "agents:read",
		Summary: "List agents", Description: "Newest first.",
	}, s.listAgents)
	register(s.router, operation{
		ID: "create-agent", Method: http.MethodPost, Path: path, Tag: tag, Scope: "agents:write",
		Summary: "Create an agent", Description: "The agent is active immediately.",
		Status: http.StatusCreated, OwnRules: true, Errors: []fault.Code{fault.Conflict},
	}, s.createAgent)
	register(s.router, operation{
		ID: "get-agent", Method: http.MethodGet, Path: path + "/{name}", Tag: tag, Scope: "agents:read",
		Summary: "Get an agent", Errors: []fault.Code{fault.NotFound},
	}, s.getAgent)
	register(s.router, operation{
		ID: "update-agent", Method: http.MethodPut, Path: path + "/{name}", Tag: tag, Scope: "agents:write",
		Summary:     "Update an agent",
		Description: "The body is a JSON Merge Patch (RFC 7396): objects merge, arrays and values replace, null removes an optional field. The result is validated as on creation.",
		OwnRules:    true, MergePatch: true, Errors: []fault.Code{fault.NotFound},
	}, s.updateAgent)
	register(s.router, operation{
		ID: "delete-agent", Method: http.MethodDelete, Path: path + "/{name}", Tag: tag, Scope: "agents:delete",
		Summary:     "Delete an agent",
		Description: "An active agent that active workflows use cannot be deleted.",
		Errors:      []fault.Code{fault.NotFound, fault.Conflict},
	}, s.deleteAgent)
	register(s.router, operation{
		ID: "activate-agent", Method: http.MethodPost, Path: path + "/{name}/activate", Tag: tag, Scope: "agents:write",
		Summary: "Activate an agent", Errors: []fault.Code{fault.NotFound},
	}, s.activateAgent)
	register(s.router, operation{
		ID: "deactivate-agent", Method: http.MethodPost, Path: path + "/{name}/deactivate", Tag: tag, Scope: "agents:write",
		Summary: "Deactivate an agent", Description: "New calls can no longer use it. Calls in progress continue.",
		Errors: []fault.Code{fault.NotFound},
	}, s.deactivateAgent)
}

func (s *Server) agents(who auth.Principal) agent.Store {
	return s.deps.Agents.In(s.deps.DB.Tenant(who.TenantID))
}

func (s *Server) listAgents(ctx context.Context, who auth.Principal, in *listIn) (*answer[page[agentItem]], error) {
	found, total, err := s.agents(who).List(ctx, in.Limit, in.Offset, in.IsActive.pointer())
	if err != nil {
		return nil, err
	}
	items := make([]agentItem, len(found))
	for i, a := range found {
		items[i] = agentItem{a.ID, a.Name, a.DisplayName, a.IsActive, Time(a.CreatedAt)}
	}
	return &answer[page[agentItem]]{page[agentItem]{items, total, in.Limit, in.Offset}}, nil
}

func (s *Server) createAgent(ctx context.Context, who auth.Principal, in *createAgentIn) (*answer[agentBody], error) {
	a, warnings, err := s.agents(who).Create(ctx, agent.Draft{Name: in.Body.Name, DisplayName: in.Body.DisplayName, Config: agent.Config(in.Body.Config)})
	if err != nil {
		return nil, err
	}
	return wireAgent(a, warnings), nil
}

func (s *Server) getAgent(ctx context.Context, who auth.Principal, in *agentIn) (*answer[agentBody], error) {
	a, err := s.agents(who).Get(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return wireAgent(a, nil), nil
}

func (s *Server) updateAgent(ctx context.Context, who auth.Principal, in *updateAgentIn) (*answer[agentBody], error) {
	a, warnings, err := s.agents(who).Update(ctx, in.Name, in.RawBody)
	if err != nil {
		return nil, err
	}
	return wireAgent(a, warnings), nil
}

func (s *Server) deleteAgent(ctx context.Context, who auth.Principal, in *agentIn) (*empty, error) {
	return nil, s.agents(who).Delete(ctx, in.Name)
}

func (s *Server) activateAgent(ctx context.Context, who auth.Principal, in *agentIn) (*answer[agentBody], error) {
	a, err := s.agents(who).Activate(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return wireAgent(a, nil), nil
}

func (s *Server) deactivateAgent(ctx context.Context, who auth.Principal, in *agentIn) (*answer[agentBody], error) {
	a, err := s.agents(who).Deactivate(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	return wireAgent(a, nil), nil
}
