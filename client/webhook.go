package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Webhook is a webhook configuration of a tenant.
type Webhook struct {
	ID         string            `json:"id"`
	Primary    bool              `json:"primary"` // whether it is the one of Client.Webhooks
	URL        string            `json:"url"`
	Secret     string            `json:"secret,omitempty"` // only in the answers of Set and RotateSecret
	Enabled    bool              `json:"enabled"`
	Filter     WebhookFilter     `json:"filter"`
	Headers    map[string]string `json:"headers,omitempty"`
	Timeout    int               `json:"timeout,omitempty"` // seconds
	MaxRetries int               `json:"max_retries,omitempty"`
	// RetryPolicy is standard, or extended for attempts over 24 hours.
	RetryPolicy string `json:"retry_policy,omitempty"`
	// PayloadFormat is event, or envelope for an object that also describes the delivery.
	PayloadFormat string    `json:"payload_format,omitempty"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

// WebhookFilter selects events and their optional data; nil fields have the server's default.
type WebhookFilter struct {
	Events            []string `json:"events,omitempty"`    // all when empty
	Workflows         []string `json:"workflows,omitempty"` // slugs; calls of all when empty
	Agents            []string `json:"agents,omitempty"`    // names; calls of all when empty
	IncludeTranscript *bool    `json:"include_transcript,omitempty"`
	IncludeContext    *bool    `json:"include_context,omitempty"`
	IncludeMetrics    *bool    `json:"include_metrics,omitempty"`
	IncludePage       *bool    `json:"include_page,omitempty"` // links to the pages of persons to whom callers are transferred
}

// WebhookSettings holds the parameters of Webhooks.Set.
type WebhookSettings struct {
	URL        string            `json:"url"`
	Enabled    *bool             `json:"enabled,omitempty"` // true when nil
	Filter     *WebhookFilter    `json:"filter,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`     // added to every delivery
	Timeout    int               `json:"timeout,omitempty"`     // seconds; 0 for the server's default
	MaxRetries int               `json:"max_retries,omitempty"` // attempts; 0 for the server's default
	// RetryPolicy is standard, the server's default, or extended.
	RetryPolicy string `json:"retry_policy,omitempty"`
	// PayloadFormat is event, the server's default, or envelope.
	PayloadFormat string `json:"payload_format,omitempty"`
}

// TestDelivery identifies a call.test event and its delivery.
type TestDelivery struct {
	EventID    string `json:"event_id"`
	DeliveryID string `json:"delivery_id"`
}

// Webhooks has the operations on the tenant's primary webhook; WebhookEndpoints those on all of them.
type Webhooks struct{ c *Client }

const webhooksPath = "/api/v1/webhooks"

// Get returns the webhook without its secret. Error: not_found.
func (w Webhooks) Get(ctx context.Context) (*Webhook, error) {
	return w.ask(ctx, request{method: http.MethodGet, path: webhooksPath})
}

// Set creates or replaces the webhook. Only the result contains the new signing secret.
func (w Webhooks) Set(ctx context.Context, s WebhookSettings) (*Webhook, error) {
	return w.ask(ctx, request{method: http.MethodPost, path: webhooksPath, body: s})
}

// Patch changes the webhook by a JSON Merge Patch (RFC 7396). The secret stays unchanged.
func (w Webhooks) Patch(ctx context.Context, patch map[string]any) (*Webhook, error) {
	return w.ask(ctx, request{method: http.MethodPatch, path: webhooksPath, body: patch, repeatable: true})
}

// Delete deletes the webhook.
func (w Webhooks) Delete(ctx context.Context) error {
	return w.c.call(ctx, request{method: http.MethodDelete, path: webhooksPath}, nil)
}

// Test sends a call.test event.
func (w Webhooks) Test(ctx context.Context) (*TestDelivery, error) {
	d := new(TestDelivery)
	return d, w.c.call(ctx, request{method: http.MethodPost, path: webhooksPath + "/test"}, d)
}

// Enable enables deliveries.
func (w Webhooks) Enable(ctx context.Context) (*Webhook, error) {
	return w.ask(ctx, request{method: http.MethodPost, path: webhooksPath + "/enable", repeatable: true})
}

// Disable disables deliveries.
func (w Webhooks) Disable(ctx context.Context) (*Webhook, error) {
	return w.ask(ctx, request{method: http.MethodPost, path: webhooksPath + "/disable", repeatable: true})
}

// RotateSecret returns a new signing secret. For overlap seconds requests are signed with the old one too.
func (w Webhooks) RotateSecret(ctx context.Context, overlap int) (*Webhook, error) {
	r := request{method: http.MethodPost, path: webhooksPath + "/rotate-secret"}
	if overlap > 0 {
		r.body = map[string]int{"overlap_seconds": overlap}
	}
	return w.ask(ctx, r)
}

func (w Webhooks) ask(ctx context.Context, r request) (*Webhook, error) {
	hook := new(Webhook)
	return hook, w.c.call(ctx, r, hook)
}

// CallData is the data that all call events have. Event.Data contains the additional fields of an event type.
type CallData struct {
	Sequence        int64             `json:"sequence"` // orders the events of a call, from 1; 0 for events of servers before it was there
	CallID          string            `json:"call_id"`
	RoomName        string            `json:"room_name"`
	WorkflowSlug    *string           `json:"workflow_slug"`
	AgentName       *string           `json:"agent_name"`
	UserID          *string           `json:"user_id"`
	CallType        string            `json:"call_type"`
	Direction       string            `json:"direction"`
	PhoneNumber     *string           `json:"phone_number"`
	Status          string            `json:"status"`
	StatusReason    *string           `json:"status_reason"`
	SIPStatus       *int              `json:"sip_status"` // what the telephone network answered instead of reaching the number
	DurationSeconds int               `json:"duration_seconds"`
	AgentHistory    []string          `json:"agent_history"`        // terminal events
	Quality         *Quality          `json:"quality"`              // terminal events of phone calls
	AnsweredBy      *AnsweredBy       `json:"answered_by"`          // terminal events of calls that were dialled
	Analyses        []CallAnalysis    `json:"analyses"`             // call.analyzed
	Agent           string            `json:"agent"`                // call.agent.changed
	PreviousAgent   string            `json:"previous_agent"`       // call.agent.changed
	PageURL         *string           `json:"page_url"`             // call.transfer.started, .answered and .completed, with filter.include_page; nil when it opens nothing any more
	PageExpiresAt   *time.Time        `json:"page_expires_at"`      // of the same events; nil without a page
	Metadata        json.RawMessage   `json:"metadata,omitempty"`   // as given at dispatch
	Context         json.RawMessage   `json:"context,omitempty"`    // with filter.include_context
	Transcript      []TranscriptLine  `json:"transcript,omitempty"` // with filter.include_transcript
	Metrics         *CallEventMetrics `json:"metrics,omitempty"`    // with filter.include_metrics
}

// TranscriptLine is a transcript entry in an event.
type TranscriptLine struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	DTMF    bool   `json:"dtmf,omitempty"` // Content is keys that the caller pressed on the phone
	Agent   string `json:"agent,omitempty"`
}

// CallEventMetrics holds the totals of a call in an event.
type CallEventMetrics struct {
	DurationSeconds int `json:"duration_seconds"`
	AgentCount      int `json:"agent_count"`
	MessageCount    int `json:"message_count"`
}
