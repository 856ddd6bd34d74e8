package api

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/agent"
	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
)

// agentConfig is an agent's configuration, under its own name in the
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
	agents := wire.Resource[agent.Store, agent.Agent, agentBody]{
		Router: s.router, Tag: "Agents", Path: "/api/v1/agents", Key: "name", Title: "an agent", Scope: "agents", Answer: wire.MaxBody, Store: s.agents, Show: showAgent,
		Changed: func(who auth.Principal, a *agent.Agent) {
			if s.deps.AgentSaved != nil && a.IsActive {
				s.deps.AgentSaved(who.TenantID, a.Name)
			}
		},
	}
	wire.List(agents, wire.Operation{Description: "Newest first."},
		func(ctx context.Context, store agent.Store, in *wire.ListIn) ([]agent.Agent, int64, error) {
			return store.List(ctx, in.Limit, in.Offset, in.IsActive.Pointer())
		},
		func(a *agent.Agent) agentItem {
			return agentItem{a.ID, a.Name, a.DisplayName, a.IsActive, wire.Time(a.CreatedAt)}
		})
	wire.Create(agents, wire.Operation{Description: "The agent is active immediately."},
		func(ctx context.Context, store agent.Store, in *createAgentIn) (*agent.Agent, []string, error) {
			return store.Create(ctx, agent.Draft{Name: in.Body.Name, DisplayName: in.Body.DisplayName, Config: agent.Config(in.Body.Config)})
		})
	wire.Get[agentIn](agents, wire.Operation{}, agent.Store.Get)
	wire.Update[updateAgentIn](agents, wire.Operation{
		Description: "The body is a JSON Merge Patch (RFC 7396): objects merge, arrays and values replace, null removes an optional field or an entry of a map. The result is validated as on creation.",
		MergePatch:  true,
	}, agent.Store.Update)
	wire.Delete[agentIn](agents, wire.Operation{
		Scope: "agents:delete", Description: "An active agent that active workflows use cannot be deleted.", Errors: []fault.Code{fault.NotFound, fault.Conflict},
	}, agent.Store.Delete)
	wire.Do[agentIn](agents, "activate", wire.Operation{}, agent.Store.Activate)
	wire.Do[agentIn](agents, "deactivate", wire.Operation{Description: "New calls can no longer use it. Calls in progress continue."}, agent.Store.Deactivate)
}

func (s *Server) agents(who auth.Principal) agent.Store {
	return s.deps.Agents.In(s.deps.DB.Tenant(who.TenantID))
}
