package api

import (
	"context"
	"math"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/call"
)

// listCallsIn selects a page of calls.
type listCallsIn struct {
	Page          int64                           `query:"page" default:"1" minimum:"1" doc:"Page number, from 1."`
	PageSize      int64                           `query:"page_size" default:"20" minimum:"1" maximum:"100" doc:"Number of calls per page."`
	Status        string                          `query:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout" doc:"Filter by status."`
	WorkflowID    wire.ID                         `query:"workflow_id" doc:"Filter by workflow."`
	UserID        wire.OptionalParam[string]      `query:"user_id" doc:"Your identifier of the user."`
	StartedAfter  wire.OptionalParam[wire.Moment] `query:"started_after" doc:"Only calls that became active at or after this time. Calls that never became active count by their creation."`
	StartedBefore wire.OptionalParam[wire.Moment] `query:"started_before" doc:"Only calls that became active before this time. Calls that never became active count by their creation."`
	Livemode      wire.OptionalParam[bool]        `query:"livemode" doc:"Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both."`
}

// Resolve refuses a range that ends before it begins.
func (in *listCallsIn) Resolve(huma.Context) []error {
	return wire.RangeFaults(in.StartedAfter, in.StartedBefore)
}

// callPage is a list's answer in the page style.
type callPage struct {
	Items    []callItem `json:"items"`
	Total    int64      `json:"total"`
	Page     int64      `json:"page"`
	PageSize int64      `json:"page_size"`
	Pages    int64      `json:"pages"`
}

type callItem struct {
	ID              string     `json:"id" format:"uuid"`
	WorkflowID      *string    `json:"workflow_id" nullable:"true" format:"uuid"`
	WorkflowSlug    *string    `json:"workflow_slug" nullable:"true"`
	UserID          *string    `json:"user_id" nullable:"true"`
	Status          string     `json:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout"`
	CallType        string     `json:"call_type" enum:"voip,sip"`
	Held            bool       `json:"held"`
	DurationSeconds int64      `json:"duration_seconds"`
	AgentHistory    []string   `json:"agent_history" nullable:"false"`
	StartedAt       *wire.Time `json:"started_at" nullable:"true"`
	EndedAt         *wire.Time `json:"ended_at" nullable:"true"`
}

type listActiveCallsIn struct {
	Limit    int64                    `query:"limit" default:"50" minimum:"1" maximum:"100" doc:"Maximum number of items to return."`
	Livemode wire.OptionalParam[bool] `query:"livemode" doc:"Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both."`
}

type activeCallItem struct {
	ID           string     `json:"id" format:"uuid"`
	WorkflowSlug *string    `json:"workflow_slug" nullable:"true"`
	UserID       *string    `json:"user_id" nullable:"true"`
	Status       string     `json:"status" enum:"pending,connecting,active"`
	CallType     string     `json:"call_type" enum:"voip,sip"`
	Held         bool       `json:"held"`
	CurrentAgent *string    `json:"current_agent" nullable:"true"`
	StartedAt    *wire.Time `json:"started_at" nullable:"true"`
}

func (s *Server) registerCallLists() {
	wire.Register(s.router, wire.Operation{
		ID: "list-calls", Method: http.MethodGet, Path: "/api/v1/calls", Tag: "Calls", Scope: "calls:read",
		Summary: "List calls", Description: "Newest first.",
	}, s.listCalls)
	wire.Register(s.router, wire.Operation{
		ID: "list-active-calls", Method: http.MethodGet, Path: "/api/v1/calls/active", Tag: "Calls", Scope: "calls:read",
		Summary: "List open calls", Description: "Newest first.",
	}, s.listActiveCalls)
}

func (s *Server) listCalls(ctx context.Context, who auth.Principal, in *listCallsIn) (*wire.Answer[callPage], error) {
	mode, none := livemode(who, in.Livemode.Pointer())
	if none {
		return wire.NewAnswer(callPage{Items: []callItem{}, Page: in.Page, PageSize: in.PageSize}), nil
	}
	f := call.Filter{Status: call.Status(in.Status), UserID: in.UserID.Pointer(), Livemode: mode, After: in.StartedAfter.Value.Time, Before: in.StartedBefore.Value.Time}
	if id := in.WorkflowID.String(); id != "" {
		f.WorkflowID = &id
	}
	offset := int64(math.MaxInt64) // after every call
	if in.Page-1 <= offset/in.PageSize {
		offset = (in.Page - 1) * in.PageSize
	}
	calls, total, err := s.deps.Calls.List(ctx, who.TenantID, f, in.PageSize, offset)
	if err != nil {
		return nil, err
	}
	page := callPage{Items: make([]callItem, len(calls)), Total: total, Page: in.Page, PageSize: in.PageSize, Pages: (total + in.PageSize - 1) / in.PageSize}
	for i, c := range calls {
		page.Items[i] = callItem{
			ID: c.ID, WorkflowID: c.WorkflowID, WorkflowSlug: c.WorkflowSlug, UserID: c.UserID, Status: string(c.Status), CallType: c.CallType, Held: c.Held,
			DurationSeconds: c.DurationAtRead(), AgentHistory: c.AgentHistory, StartedAt: wire.NullableTime(c.StartedAt), EndedAt: wire.NullableTime(c.EndedAt),
		}
	}
	return wire.NewAnswer(page), nil
}

func (s *Server) listActiveCalls(ctx context.Context, who auth.Principal, in *listActiveCallsIn) (*wire.Answer[[]activeCallItem], error) {
	mode, none := livemode(who, in.Livemode.Pointer())
	if none {
		return wire.NewAnswer([]activeCallItem{}), nil
	}
	calls, err := s.deps.Calls.ListActive(ctx, who.TenantID, mode, in.Limit)
	if err != nil {
		return nil, err
	}
	items := make([]activeCallItem, len(calls))
	for i, c := range calls {
		items[i] = activeCallItem{c.ID, c.WorkflowSlug, c.UserID, string(c.Status), c.CallType, c.Held, c.CurrentAgent, wire.NullableTime(c.StartedAt)}
	}
	return wire.NewAnswer(items), nil
}
