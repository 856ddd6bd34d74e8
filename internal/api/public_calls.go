package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"parley/internal/api/wire"
	"parley/internal/audit"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/publictoken"
)

// publicCalls is the path at which public tokens start calls.
const publicCalls = "/api/v1/public-calls"

// maxPublicBody is in bytes: anybody may send these bodies.
const maxPublicBody = 16 << 10

type startPublicCallBody struct {
	UserContext object `json:"user_context,omitempty" doc:"Data about the user, of the token's user_context_keys alone. Templates have it as {{user.*}}." example:"{\"page\":\"/pricing\"}"`
	Microphone  *bool  `json:"microphone,omitempty" doc:"Whether the caller has a microphone. With false, a caller who only writes, the conversation begins when they have joined; otherwise it waits up to 3 s for the microphone. Default: true." example:"false"`
}

type startPublicCallIn struct {
	Credential string `header:"Authorization" doc:"The public token, as a bearer credential." example:"Bearer pk_5f1c9a0d72e65b385f1c9a0d72e65b385f1c9a0d72e65b38"`
	Origin     string `header:"Origin" doc:"Origin of the page. Browsers send it." example:"https://www.example.com"`
	Body       startPublicCallBody
}

var errOtherOrigin = fault.New(fault.Authorization, "the public token is not for pages of this origin: add it to a new token's origins")

func (s *Server) registerPublicCalls() {
	wire.Register(s.router, wire.Operation{
		ID: "start-public-call", Method: http.MethodPost, Path: publicCalls, Tag: "Public tokens", Public: true, Unaudited: true, Status: http.StatusCreated, MaxBody: maxPublicBody,
		Summary: "Start a call with a public token", Description: "Starts a web call of the token's workflow or agent. The caller joins the room with `url` and `token`. The page's `Origin` must be one of the token's origins; CORS is answered for every page. Requests with public tokens are limited to 120 per minute and address, calls by the token.",
		Errors: []fault.Code{fault.Authentication, fault.KeyRevoked, fault.TokenExpired, fault.Authorization, fault.NotFound, fault.Conflict, fault.RateLimitExceeded, fault.BudgetExhausted, fault.ServiceUnavailable},
	}, s.startPublicCall)
}

func (s *Server) startPublicCall(ctx context.Context, _ auth.Principal, in *startPublicCallIn) (*wire.Answer[startedBody], error) {
	from := wire.ExchangeOf(ctx).Client
	if err := s.deps.Auth.AdmitPublicRequest(ctx, from); err != nil {
		return nil, err
	}
	scheme, secret, _ := strings.Cut(in.Credential, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return nil, fault.New(fault.Authentication, "a public token is needed: Authorization: Bearer %s…", publictoken.Prefix)
	}
	t, err := publictoken.Authenticate(ctx, s.deps.DB, strings.TrimSpace(secret))
	if err != nil {
		return nil, err
	}
	wire.ExchangeOf(ctx).Tenant = t.TenantID
	if !slices.Contains(t.Origins, in.Origin) {
		return nil, errOtherOrigin
	}
	if err := t.CheckContext(in.Body.UserContext); err != nil {
		return nil, err
	}
	if err := s.deps.Auth.AdmitPublicCall(ctx, t.ID, from, t.PerMinute); err != nil {
		return nil, err
	}
	return s.dispatchPublic(ctx, t, in.Body)
}

// dispatchPublic starts the call of a token.
func (s *Server) dispatchPublic(ctx context.Context, t *publictoken.Token, b startPublicCallBody) (*wire.Answer[startedBody], error) {
	r := call.Request{TenantID: t.TenantID, Livemode: t.Livemode, CallType: call.VoIP, UserContext: json.RawMessage(b.UserContext), Settings: call.Settings{MaxSeconds: t.MaxSeconds, Microphone: b.Microphone}, OnCreate: s.countPublic(ctx, t)}
	if t.WorkflowSlug != nil {
		r.WorkflowSlug = *t.WorkflowSlug
	} else {
		r.AgentName = *t.AgentName
	}
	c, needs, err := s.deps.Calls.Dispatch(ctx, r)
	if err != nil {
		return nil, err
	}
	started, err := s.started(c, needs, true)
	if err != nil {
		return nil, err
	}
	started.Warnings = nil // they are the tenant's
	s.openRoom(ctx, c)
	return wire.NewAnswer(started), nil
}

// countPublic returns what counts a call of a token and adds its start to the audit log, in the call's transaction.
func (s *Server) countPublic(ctx context.Context, t *publictoken.Token) call.OnCreate {
	e := newEntry(ctx, "call.start")
	e.TenantID, e.ActorType, e.ActorID = t.TenantID, audit.PublicToken, t.ID
	return func(ctx context.Context, tx database.Tx, callID string) error {
		if err := t.Count(ctx, tx); err != nil {
			return err
		}
		e.ResourceID = callID
		return audit.Add(ctx, tx, e)
	}
}
