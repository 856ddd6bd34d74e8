package api

import (
	"context"
	"net/http"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/publictoken"
)

type createPublicTokenBody struct {
	WorkflowSlug    *string    `json:"workflow_slug,omitempty" nullable:"true" maxLength:"100" doc:"Slug of the workflow whose calls the token starts. Give either this or agent_name." example:"support"`
	AgentName       *string    `json:"agent_name,omitempty" nullable:"true" maxLength:"100" doc:"Name of the agent whose calls the token starts. Give either this or workflow_slug."`
	Origins         []string   `json:"origins" minItems:"1" maxItems:"20" doc:"Origins of the web pages that may use the token, exactly as browsers send them: scheme, host and, unless it is the scheme's own, port." example:"[\"https://www.example.com\"]"`
	PerMinute       int        `json:"per_minute,omitempty" minimum:"1" maximum:"600" default:"6" doc:"Calls a minute from one address (of IPv6: one /64); ten times as many in all."`
	PerDay          int        `json:"per_day,omitempty" minimum:"1" maximum:"1000000" default:"1000" doc:"Calls a day (UTC)."`
	MaxSeconds      int        `json:"max_seconds,omitempty" minimum:"10" maximum:"14400" default:"300" doc:"Maximum duration of a call, in seconds, within the server's own."`
	ExpiresAt       *time.Time `json:"expires_at,omitempty" nullable:"true" doc:"Time from which the token is no longer valid. Default: never." example:"2027-12-31T00:00:00Z"`
	UserContextKeys []string   `json:"user_context_keys,omitempty" maxItems:"50" doc:"Keys that a page may set in user_context, which templates have as {{user.*}}. Default: none." example:"[\"page\"]"`
}

func (b *createPublicTokenBody) Faults() []fault.Detail { return publictoken.Draft(*b).Faults() }

type createPublicTokenIn struct {
	Body createPublicTokenBody
}

type publicTokenBody struct {
	ID              string     `json:"id" format:"uuid"`
	Token           string     `json:"token,omitempty" doc:"The public token. Returned only when it is created." example:"pk_5f1c9a0d72e65b385f1c9a0d72e65b385f1c9a0d72e65b38"`
	Prefix          string     `json:"prefix" doc:"First characters of the token." example:"pk_5f1c9a"`
	WorkflowSlug    *string    `json:"workflow_slug" nullable:"true" doc:"Slug of the workflow whose calls the token starts; null for an agent." example:"demo"`
	AgentName       *string    `json:"agent_name" nullable:"true" doc:"Name of the agent whose calls the token starts; null for a workflow."`
	Origins         []string   `json:"origins" nullable:"false" doc:"Origins of the web pages that may use the token." example:"[\"https://www.example.com\"]"`
	PerMinute       int        `json:"per_minute" doc:"Calls a minute from one address." example:"6"`
	PerDay          int        `json:"per_day" doc:"Calls a day (UTC)." example:"1000"`
	MaxSeconds      int        `json:"max_seconds" doc:"Maximum duration of a call, in seconds." example:"300"`
	UserContextKeys []string   `json:"user_context_keys" nullable:"false" doc:"Keys that a page may set in user_context." example:"[\"page\"]"`
	Livemode        bool       `json:"livemode" doc:"Whether the token starts live calls: false if it was created with a test key." example:"true"`
	ExpiresAt       *wire.Time `json:"expires_at" nullable:"true" doc:"Time from which the token is no longer valid (UTC); null for never." example:"2027-12-31T00:00:00Z"`
	CreatedAt       wire.Time  `json:"created_at"`
}

func showPublicToken(t *publictoken.Token, secret string) publicTokenBody {
	b := publicTokenBody{ID: t.ID, Token: secret, Prefix: t.Shown, WorkflowSlug: t.WorkflowSlug, AgentName: t.AgentName, Origins: t.Origins, PerMinute: t.PerMinute, PerDay: t.PerDay,
		MaxSeconds: t.MaxSeconds, UserContextKeys: t.UserContextKeys, Livemode: t.Livemode, CreatedAt: wire.Time(t.CreatedAt)}
	if !t.ExpiresAt.IsZero() {
		b.ExpiresAt = new(wire.Time(t.ExpiresAt.Time))
	}
	return b
}

type publicTokenIn struct {
	ID wire.ID `path:"id" doc:"Unique identifier of the public token."`
}

func (s *Server) registerPublicTokens() {
	tokens := wire.Resource[publictoken.Store, publictoken.Token, publicTokenBody]{
		Router: s.router, Tag: "Public tokens", Path: "/api/v1/public-tokens", Key: "id", Title: "a public token", Scope: "public-tokens", Store: s.publicTokens,
		Show: func(t *publictoken.Token, _ []string) publicTokenBody { return showPublicToken(t, "") },
	}
	wire.List(tokens, wire.Operation{Description: "Newest first, without the tokens themselves and without revoked ones."},
		func(ctx context.Context, store publictoken.Store, in *wire.PageIn) ([]publictoken.Token, int64, error) {
			return store.List(ctx, in.Limit, in.Offset)
		}, tokens.Body)
	wire.Register(s.router, wire.Operation{
		ID: "create-public-token", Method: http.MethodPost, Path: tokens.Path, Tag: tokens.Tag, Scope: "public-tokens:write", AlsoScope: "calls:write", Status: http.StatusCreated, Errors: []fault.Code{fault.Conflict},
		Summary: "Create a public token", Description: "Creates a token that may stand in a web page. It starts web calls of one workflow or agent, and permits nothing else. Pages of other origins are refused by their browsers and by the server; since other programs can claim any origin, its limits are what a stranger can use.",
	}, s.createPublicToken)
	wire.Get[publicTokenIn](tokens, wire.Operation{Description: "Without the token itself."}, publictoken.Store.Get)
	wire.Delete[publicTokenIn](tokens, wire.Operation{Summary: "Revoke a public token", Description: "It starts no more calls from now on. Calls under way go on."}, publictoken.Store.Revoke)
	s.registerPublicCalls()
}

func (s *Server) publicTokens(who auth.Principal) publictoken.Store {
	return publictoken.In(s.deps.DB.Tenant(who.TenantID), who.Livemode)
}

func (s *Server) createPublicToken(ctx context.Context, who auth.Principal, in *createPublicTokenIn) (*wire.Answer[publicTokenBody], error) {
	t, secret, err := s.publicTokens(who).Create(ctx, publictoken.Draft(in.Body))
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(showPublicToken(t, secret)), nil
}
