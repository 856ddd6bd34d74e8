package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// CallQuery filters calls and selects a page. The zero value is the first page of all calls, of the server's default size.
type CallQuery struct {
	Page, PageSize              int // the first page is 1
	Status                      string
	StatusReason, Direction     string
	AnsweredBy                  string // class of who answered
	PhoneNumber                 string // that was dialled, or that called
	AgentName                   string // that has held the call, or that a test call is with
	WorkflowID, UserID          string
	Metadata                    map[string]string // values of the call's metadata
	Results                     map[string]string // answers of analyses, such as yes of outcome.booked
	CreatedAfter, CreatedBefore time.Time
	StartedAfter, StartedBefore time.Time // of a call that never became active, when it was made
	Livemode                    *bool     // nil for both
}

func (o CallQuery) query() url.Values {
	q := url.Values{}
	setQuery(q, "status", o.Status)
	setQuery(q, "status_reason", o.StatusReason)
	setQuery(q, "direction", o.Direction)
	setQuery(q, "answered_by", o.AnsweredBy)
	setQuery(q, "phone_number", o.PhoneNumber)
	setQuery(q, "agent_name", o.AgentName)
	for key, value := range o.Metadata {
		q.Set("metadata."+key, value)
	}
	for key, value := range o.Results {
		q.Set("result."+key, value)
	}
	setQuery(q, "created_after", o.CreatedAfter)
	setQuery(q, "created_before", o.CreatedBefore)
	setQuery(q, "workflow_id", o.WorkflowID)
	setQuery(q, "user_id", o.UserID)
	setQuery(q, "page", o.Page)
	setQuery(q, "page_size", o.PageSize)
	setQuery(q, "started_after", o.StartedAfter)
	setQuery(q, "started_before", o.StartedBefore)
	setQuery(q, "livemode", o.Livemode)
	return q
}

// CallPage is a page of calls, newest first.
type CallPage struct {
	Items    []ListedCall `json:"items"`
	Total    int          `json:"total"`
	Page     int          `json:"page"`
	PageSize int          `json:"page_size"`
	Pages    int          `json:"pages"`
}

// ListedCall is a call in a list.
type ListedCall struct {
	ID              string         `json:"id"`
	WorkflowID      *string        `json:"workflow_id"`
	WorkflowSlug    *string        `json:"workflow_slug"`
	AgentName       *string        `json:"agent_name"`
	UserID          *string        `json:"user_id"`
	Status          string         `json:"status"`
	StatusReason    *string        `json:"status_reason"`
	Direction       string         `json:"direction"`
	CallType        string         `json:"call_type"`
	PhoneNumber     *string        `json:"phone_number"`
	Held            bool           `json:"held"`
	AnsweredBy      *AnsweredBy    `json:"answered_by"` // nil for calls that were not dialled
	DurationSeconds int            `json:"duration_seconds"`
	AgentHistory    []string       `json:"agent_history"`
	Cost            *Cost          `json:"cost"` // nil until the call has ended
	Metadata        map[string]any `json:"metadata"`
	Results         map[string]any `json:"results"` // nil for none; answers of analyses by outcome.booked, and values of their data by outcome.data.service
	StartedAt       *time.Time     `json:"started_at"`
	EndedAt         *time.Time     `json:"ended_at"`
	CreatedAt       time.Time      `json:"created_at"`
}

// ActiveCall is a call in the list of active calls.
type ActiveCall struct {
	ID           string     `json:"id"`
	WorkflowSlug *string    `json:"workflow_slug"`
	UserID       *string    `json:"user_id"`
	Status       string     `json:"status"`
	CallType     string     `json:"call_type"`
	Held         bool       `json:"held"`
	CurrentAgent *string    `json:"current_agent"`
	StartedAt    *time.Time `json:"started_at"`
}

// List returns a page of the tenant's calls.
func (s Calls) List(ctx context.Context, o CallQuery) (*CallPage, error) {
	page := new(CallPage)
	return page, s.c.call(ctx, request{method: http.MethodGet, path: callsPath, query: o.query()}, page)
}

// ActiveCallQuery filters the calls that have not ended.
type ActiveCallQuery struct {
	Limit    int   // 0 for the server's default
	Livemode *bool // nil for both
}

// ListActive returns the newest calls that have not ended.
func (s Calls) ListActive(ctx context.Context, o ActiveCallQuery) ([]ActiveCall, error) {
	q := url.Values{}
	setQuery(q, "limit", o.Limit)
	setQuery(q, "livemode", o.Livemode)
	var calls []ActiveCall
	err := s.c.call(ctx, request{method: http.MethodGet, path: callsPath + "/active", query: q}, &calls)
	return calls, err
}
