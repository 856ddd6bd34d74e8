package api

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/analysis"
	"parley/internal/answering"
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
	Reason        wire.OptionalParam[string]      `query:"status_reason" maxLength:"100" doc:"Filter by status_reason." example:"busy"`
	PhoneNumber   wire.OptionalParam[string]      `query:"phone_number" maxLength:"255" doc:"Filter by the phone number that was dialled, or that called, as the call has it." example:"+4930123456"`
	Direction     string                          `query:"direction" enum:"inbound,outbound" doc:"Filter by direction."`
	AnsweredBy    string                          `query:"answered_by" enum:"human,voicemail,mailbox_full,screening,menu,fax,silence,unknown" doc:"Filter by the class of who answered."`
	AgentName     wire.OptionalParam[string]      `query:"agent_name" maxLength:"100" doc:"Filter by an agent that has held the call, or that a test call is with."`
	Metadata      wire.OptionalParam[string]      `query:"metadata.{key}" maxLength:"1000" doc:"Filter by a value of the metadata, such as metadata.order=4711. Any name takes the place of {key}; several can be given."`
	Result        wire.OptionalParam[string]      `query:"result.{key}" maxLength:"1000" doc:"Filter by an answer of an analysis: result.<criterion>=yes for that of any analysis, result.<analysis>.<criterion>=yes, a range of scores such as result.outcome.polite=7..10, or a property of the data such as result.outcome.data.service=cleaning. Several can be given."`
	CreatedAfter  wire.OptionalParam[wire.Moment] `query:"created_after" doc:"Only calls that were created at or after this time."`
	CreatedBefore wire.OptionalParam[wire.Moment] `query:"created_before" doc:"Only calls that were created before this time."`
	StartedAfter  wire.OptionalParam[wire.Moment] `query:"started_after" doc:"Only calls that became active at or after this time. Calls that never became active count by their creation."`
	StartedBefore wire.OptionalParam[wire.Moment] `query:"started_before" doc:"Only calls that became active before this time. Calls that never became active count by their creation."`
	Livemode      wire.OptionalParam[bool]        `query:"livemode" doc:"Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both."`

	metadata map[string]string
	results  []analysis.Match
}

// Resolve reads the filters of metadata and results, and refuses a range that ends before it begins.
func (in *listCallsIn) Resolve(ctx huma.Context) (faults []error) {
	in.metadata = wire.Family(ctx, metadataParameter)
	results := wire.Family(ctx, resultParameter)
	for _, key := range slices.Sorted(maps.Keys(results)) {
		match, err := analysis.ParseMatch(key, results[key])
		if err != nil {
			faults = append(faults, &huma.ErrorDetail{Location: "query.result." + key, Message: err.Error()})
		}
		in.results = append(in.results, match)
	}
	faults = append(faults, wire.RangeFaults(in.StartedAfter, in.StartedBefore)...)
	return append(faults, wire.RangeFaults(in.CreatedAfter, in.CreatedBefore)...)
}

// The query parameters that stand for those of all names of metadata, and of all answers.
const (
	metadataParameter = "metadata.{key}"
	resultParameter   = "result.{key}"
)

// callPage is a list's answer in the page style.
type callPage struct {
	Items    []callItem `json:"items"`
	Total    int64      `json:"total"`
	Page     int64      `json:"page"`
	PageSize int64      `json:"page_size"`
	Pages    int64      `json:"pages"`
}

type callItem struct {
	ID              string           `json:"id" format:"uuid"`
	WorkflowID      *string          `json:"workflow_id" nullable:"true" format:"uuid"`
	WorkflowSlug    *string          `json:"workflow_slug" nullable:"true"`
	AgentName       *string          `json:"agent_name" nullable:"true"`
	UserID          *string          `json:"user_id" nullable:"true"`
	Status          string           `json:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout"`
	StatusReason    *string          `json:"status_reason" nullable:"true"`
	Direction       string           `json:"direction" enum:"inbound,outbound"`
	CallType        string           `json:"call_type" enum:"voip,sip"`
	PhoneNumber     *string          `json:"phone_number" nullable:"true"`
	Held            bool             `json:"held"`
	AnsweredBy      *call.AnsweredBy `json:"answered_by,omitempty"`
	DurationSeconds int64            `json:"duration_seconds"`
	AgentHistory    []string         `json:"agent_history" nullable:"false"`
	Cost            *CostBody        `json:"cost,omitempty"`
	Metadata        object           `json:"metadata"`
	Results         object           `json:"results,omitempty" doc:"Answers of the call's analyses, absent without any, by <analysis>.<criterion>: yes, no, unknown or a score; and texts, numbers, true and false of their data by <analysis>.data.<property>, up to 200 characters." example:"{\"outcome.booked\":\"yes\",\"outcome.data.service\":\"cleaning\",\"outcome.polite\":9}"`
	StartedAt       *wire.Time       `json:"started_at" nullable:"true"`
	EndedAt         *wire.Time       `json:"ended_at" nullable:"true"`
	CreatedAt       wire.Time        `json:"created_at"`
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
	f.Details = call.Details{
		Reason: call.Reason(in.Reason.Value), PhoneNumber: in.PhoneNumber.Pointer(), Direction: in.Direction, AnsweredBy: answering.Class(in.AnsweredBy), AgentName: in.AgentName.Pointer(), Metadata: in.metadata, Results: in.results,
		CreatedAfter: in.CreatedAfter.Value.Time, CreatedBefore: in.CreatedBefore.Value.Time,
	}
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
			ID: c.ID, WorkflowID: c.WorkflowID, WorkflowSlug: c.WorkflowSlug, AgentName: c.AgentName, UserID: c.UserID, Status: string(c.Status),
			StatusReason: (*string)(c.StatusReason), Direction: c.Direction, CallType: c.CallType, PhoneNumber: c.PhoneNumber, Held: c.Held, AnsweredBy: c.AnsweredBy,
			DurationSeconds: c.DurationAtRead(), AgentHistory: c.AgentHistory, Cost: wireCost(c.Cost), Metadata: object(c.Metadata), Results: wireResults(c.Results),
			StartedAt: wire.NullableTime(c.StartedAt), EndedAt: wire.NullableTime(c.EndedAt), CreatedAt: wire.Time(c.CreatedAt),
		}
	}
	return wire.NewAnswer(page), nil
}

// wireResults returns answers of analyses by their keys; nil for none.
func wireResults(values []analysis.Value) object {
	if len(values) == 0 {
		return nil
	}
	results := map[string]json.RawMessage{}
	for _, v := range values {
		results[v.Key()] = v.JSON()
	}
	encoded, _ := json.Marshal(results) // values are valid JSON
	return object(encoded)
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
