package api

import (
	"context"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/audit"
	"parley/internal/auth"
	"parley/internal/fault"
)

type auditActorBody struct {
	Type audit.ActorType `json:"type" enum:"user,api_key,public_token,page_link,operator" doc:"user: a user's session; api_key: an API key; public_token: a web page with a public token; page_link: a person to whom a caller was transferred, with the link to their page; operator: a command on the server."`
	ID   *string         `json:"id" nullable:"true" doc:"Unique identifier of the user, the API key, the public token or the page; null for the operator." example:"0193a6f0-7c1e-7b52-9d3e-2f4a6c8e0b12"`
}

type auditResourceBody struct {
	Type string  `json:"type" doc:"Kind of the resource." example:"agent"`
	ID   *string `json:"id" nullable:"true" doc:"Unique identifier of the resource." example:"0193a6f0-5d20-7c11-8a4b-90c1d2e3f405"`
	Name *string `json:"name" nullable:"true" doc:"Name or slug of the resource, where it has one." example:"front-desk"`
}

type auditEntryBody struct {
	ID            string            `json:"id" doc:"Unique identifier of the entry." example:"aud_0193a6f0000070008000000000000001"`
	CreatedAt     wire.Time         `json:"created_at" doc:"Time of the change (UTC)."`
	Actor         auditActorBody    `json:"actor" doc:"User, API key, public token or operator that made the change."`
	Action        string            `json:"action" doc:"Action, as resource.verb." example:"agent.update"`
	Resource      auditResourceBody `json:"resource" doc:"The changed resource."`
	Changes       []string          `json:"changes" doc:"Names of the updated fields, without their values." example:"[\"config.prompt\",\"display_name\"]"`
	ClientAddress *string           `json:"client_address" nullable:"true" doc:"IP address of the client; null if unknown." example:"192.0.2.17"`
	RequestID     *string           `json:"request_id" nullable:"true" doc:"The request's X-Request-Id; null for a command." example:"8f3c1b7a9d2e4f60a1b2c3d4e5f60718"`
}

func wireEntry(e *audit.Entry) auditEntryBody {
	return auditEntryBody{
		ID: e.ID, CreatedAt: wire.Time(e.CreatedAt), Actor: auditActorBody{e.ActorType, optional(e.ActorID)}, Action: e.Action,
		Resource: auditResourceBody{e.ResourceType, optional(e.ResourceID), optional(e.ResourceName)}, Changes: e.Changes,
		ClientAddress: optional(e.ClientAddress), RequestID: optional(e.RequestID),
	}
}

// optional returns nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

type listAuditIn struct {
	Actor        string                          `query:"actor" maxLength:"64" doc:"Filter by actor: the id of a user, API key or public token, or operator."`
	Action       string                          `query:"action" maxLength:"100" doc:"Filter by action, such as agent.update."`
	ResourceType string                          `query:"resource_type" maxLength:"100" doc:"Filter by kind of resource, such as agent."`
	ResourceID   string                          `query:"resource_id" maxLength:"255" doc:"Filter by resource: its id, name or slug."`
	From         wire.OptionalParam[wire.Moment] `query:"from" doc:"Only changes at or after this time."`
	To           wire.OptionalParam[wire.Moment] `query:"to" doc:"Only changes before this time."`
	Limit        int                             `query:"limit" default:"50" minimum:"1" maximum:"100" doc:"Maximum number of items to return."`
	Offset       int                             `query:"offset" default:"0" minimum:"0" maximum:"1000000" doc:"Number of items to skip."`
}

func (s *Server) registerAuditLog() {
	wire.Register(s.router, wire.Operation{
		ID: "list-audit-log", Method: http.MethodGet, Path: "/api/v1/audit-log", Tag: "Audit log", LiveOnly: true, Scope: "audit:read",
		Summary:     "List audit log entries",
		Description: "Lists who changed what and when, newest first: every change through the API, calls that were started, ended or controlled, sign-ins, failed sign-ins and sign-outs of users, and the operator's commands. Entries cannot be changed or deleted; they are kept for a year unless the operator sets another retention (PARLEY_AUDIT_RETENTION).",
	}, s.listAuditLog)
}

func (s *Server) listAuditLog(ctx context.Context, who auth.Principal, in *listAuditIn) (*wire.Answer[wire.Page[auditEntryBody]], error) {
	if in.From.Given && in.To.Given && in.From.Value.After(in.To.Value.Time) {
		return nil, fault.Invalid([]fault.Detail{{Field: "from", Message: "must not be after to"}})
	}
	entries, total, err := audit.List(ctx, s.deps.DB, who.TenantID, audit.Query{
		Actor: in.Actor, Action: in.Action, ResourceType: in.ResourceType, Resource: in.ResourceID,
		From: in.From.Value.Time, To: in.To.Value.Time, Limit: in.Limit, Offset: in.Offset,
	})
	if err != nil {
		return nil, err
	}
	items := make([]auditEntryBody, len(entries))
	for i := range entries {
		items[i] = wireEntry(&entries[i])
	}
	return wire.NewAnswer(wire.NewPage(items, int64(total), int64(in.Limit), int64(in.Offset))), nil
}
