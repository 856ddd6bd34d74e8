package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/agent"
	"parley/internal/api/wire"
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
	return wire.Partial(r, reflect.TypeFor[createAgentBody](), "name")
}

type agentBody struct {
	ID          string      `json:"id" format:"uuid"`
	Name        string      `json:"name" example:"front-desk"`
	DisplayName *string     `json:"display_name" nullable:"true" example:"Front desk"`
	Config      agentConfig `json:"config"`
	IsActive    bool        `json:"is_active" doc:"Whether new calls may use the agent."`
	CreatedAt   wire.Time   `json:"created_at"`
	Warnings    []string    `json:"warnings,omitempty" doc:"Possible mistakes in the accepted configuration: models that are not listed, missing tools, agents and prompt templates, and references that never have a value."`
}

func showAgent(a *agent.Agent, warnings []string) agentBody {
	return agentBody{a.ID, a.Name, a.DisplayName, agentConfig(a.Config), a.IsActive, wire.Time(a.CreatedAt), warnings}
}

var (
	answerAgent       = wire.Show(func(a *agent.Agent) agentBody { return showAgent(a, nil) })
	answerWarnedAgent = wire.ShowWarned(showAgent)
)

type agentItem struct {
	ID          string    `json:"id" format:"uuid"`
	Name        string    `json:"name" example:"front-desk"`
	DisplayName *string   `json:"display_name" nullable:"true" example:"Front desk"`
	IsActive    bool      `json:"is_active"`
	CreatedAt   wire.Time `json:"created_at"`
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
	wire.Register(s.router, wire.Operation{
		ID: "list-agents", Method: http.MethodGet, Path: path, Tag: tag, Scope: "agents:read",
		Summary: "List agents", Description: "Newest first.",
	}, s.listAgents)
	wire.Register(s.router, wire.Operation{
		ID: "create-agent", Method: http.MethodPost, Path: path, Tag: tag, Scope: "agents:write",
		Summary: "Create an agent", Description: "The agent is active immediately.",
		Status: http.StatusCreated, OwnRules: true, Errors: []fault.Code{fault.Conflict},
	}, s.createAgent)
	wire.Register(s.router, wire.Operation{
		ID: "get-agent", Method: http.MethodGet, Path: path + "/{name}", Tag: tag, Scope: "agents:read",
		Summary: "Get an agent", Errors: []fault.Code{fault.NotFound},
	}, s.getAgent)
	wire.Register(s.router, wire.Operation{
		ID: "update-agent", Method: http.MethodPut, Path: path + "/{name}", Tag: tag, Scope: "agents:write",
		Summary:     "Update an agent",
		Description: "The body is a JSON Merge Patch (RFC 7396): objects merge, arrays and values replace, null removes an optional field. The result is validated as on creation.",
		OwnRules:    true, MergePatch: true, Errors: []fault.Code{fault.NotFound},
	}, s.updateAgent)
	wire.Register(s.router, wire.Operation{
		ID: "delete-agent", Method: http.MethodDelete, Path: path + "/{name}", Tag: tag, Scope: "agents:delete",
		Summary:     "Delete an agent",
		Description: "An active agent that active workflows use cannot be deleted.",
		Errors:      []fault.Code{fault.NotFound, fault.Conflict},
	}, s.deleteAgent)
	wire.Register(s.router, wire.Operation{
		ID: "activate-agent", Method: http.MethodPost, Path: path + "/{name}/activate", Tag: tag, Scope: "agents:write",
		Summary: "Activate an agent", Errors: []fault.Code{fault.NotFound},
	}, s.activateAgent)
	wire.Register(s.router, wire.Operation{
		ID: "deactivate-agent", Method: http.MethodPost, Path: path + "/{name}/deactivate", Tag: tag, Scope: "agents:write",
		Summary: "Deactivate an agent", Description: "New calls can no longer use it. Calls in progress continue.",
		Errors: []fault.Code{fault.NotFound},
	}, s.deactivateAgent)
}

func (s *Server) agents(who auth.Principal) agent.Store {
	return s.deps.Agents.In(s.deps.DB.Tenant(who.TenantID))
}

func (s *Server) listAgents(ctx context.Context, who auth.Principal, in *wire.ListIn) (*wire.Answer[wire.Page[agentItem]], error) {
	found, total, err := s.agents(who).List(ctx, in.Limit, in.Offset, in.IsActive.Pointer())
	if err != nil {
		return nil, err
	}
	return wire.ListOf(found, total, in.PageIn, func(a *agent.Agent) agentItem {
		return agentItem{a.ID, a.Name, a.DisplayName, a.IsActive, wire.Time(a.CreatedAt)}
	}), nil
}

func (s *Server) createAgent(ctx context.Context, who auth.Principal, in *createAgentIn) (*wire.Answer[agentBody], error) {
	return answerWarnedAgent(s.agents(who).Create(ctx, agent.Draft{Name: in.Body.Name, DisplayName: in.Body.DisplayName, Config: agent.Config(in.Body.Config)}))
}

func (s *Server) getAgent(ctx context.Context, who auth.Principal, in *agentIn) (*wire.Answer[agentBody], error) {
	return answerAgent(s.agents(who).Get(ctx, in.Name))
}

func (s *Server) updateAgent(ctx context.Context, who auth.Principal, in *updateAgentIn) (*wire.Answer[agentBody], error) {
	return answerWarnedAgent(s.agents(who).Update(ctx, in.Name, in.RawBody))
}

func (s *Server) deleteAgent(ctx context.Context, who auth.Principal, in *agentIn) (*wire.Empty, error) {
	return nil, s.agents(who).Delete(ctx, in.Name)
}

func (s *Server) activateAgent(ctx context.Context, who auth.Principal, in *agentIn) (*wire.Answer[agentBody], error) {
	return answerAgent(s.agents(who).Activate(ctx, in.Name))
}

func (s *Server) deactivateAgent(ctx context.Context, who auth.Principal, in *agentIn) (*wire.Answer[agentBody], error) {
	return answerAgent(s.agents(who).Deactivate(ctx, in.Name))
}
