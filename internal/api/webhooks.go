package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/seal"
	"parley/internal/webhook"
)

// Webhooks stores the tenants' webhook configurations.
type Webhooks interface {
	Get(ctx context.Context, tenantID string) (webhook.Webhook, error)
	Put(ctx context.Context, tenantID string, doc []byte, readsCalls bool) (w webhook.Webhook, secret string, err error)
	Patch(ctx context.Context, tenantID string, patch []byte, readsCalls bool) (webhook.Webhook, error)
	SetEnabled(ctx context.Context, tenantID string, enabled bool) (webhook.Webhook, error)
	Rotate(ctx context.Context, tenantID string, overlap time.Duration) (w webhook.Webhook, secret string, err error)
	Delete(ctx context.Context, tenantID string) error
	// Store has all webhooks of a tenant; the other methods mean the primary one.
	Store(tenantID string, readsCalls bool) webhook.Store
}

// Deliveries is the log of what was sent to webhooks, and the way to send
// more.
type Deliveries interface {
	Test(ctx context.Context, tenantID string, livemode bool) (webhook.Receipt, error)
	TestWebhook(ctx context.Context, tenantID, webhookID string, livemode bool) (webhook.Receipt, error)
	Replay(ctx context.Context, tenantID, deliveryID string, readsCalls bool) (webhook.Receipt, error)
	ReplayFailed(ctx context.Context, tenantID string, query webhook.ReplayQuery, readsCalls bool) (webhook.Replayed, error)
	Deliveries(ctx context.Context, tenantID string, query webhook.DeliveryQuery) (page []webhook.Delivery, total int, err error)
	Delivery(ctx context.Context, tenantID, id string) (webhook.Delivery, []webhook.Attempt, error)
}

// webhookBody is a webhook configuration as clients see it.
type webhookBody struct {
	ID            string                `json:"id" example:"whk_0193a6f0000070008000000000000001"`
	Primary       bool                  `json:"primary"`
	URL           string                `json:"url"`
	Secret        string                `json:"secret,omitempty" doc:"Secret that signs deliveries. Returned only in the responses to creation and rotation."`
	Enabled       bool                  `json:"enabled"`
	Filter        webhookFilterBody     `json:"filter"`
	Headers       map[string]string     `json:"headers" doc:"Custom headers of deliveries. Values are masked: ********." example:"{\"Authorization\":\"********\"}"`
	Timeout       int                   `json:"timeout"`
	MaxRetries    int                   `json:"max_retries"`
	RetryPolicy   webhook.RetryPolicy   `json:"retry_policy" enum:"standard,extended"`
	PayloadFormat webhook.PayloadFormat `json:"payload_format" enum:"event,envelope"`
	CreatedAt     wire.Time             `json:"created_at"`
	UpdatedAt     wire.Time             `json:"updated_at"`
}

// webhookFilterBody is what a webhook receives, as clients see it.
type webhookFilterBody struct {
	Events            []string `json:"events" doc:"Event types that are sent."`
	Workflows         []string `json:"workflows" nullable:"true"`
	Agents            []string `json:"agents" nullable:"true"`
	IncludeTranscript bool     `json:"include_transcript"`
	IncludeContext    bool     `json:"include_context"`
	IncludeMetrics    bool     `json:"include_metrics"`
	IncludePage       bool     `json:"include_page"`
}

func wireWebhook(w webhook.Webhook, secret string) *wire.Answer[webhookBody] {
	if w.Filter.Events == nil {
		w.Filter.Events = event.Types // all are sent
	}
	return &wire.Answer[webhookBody]{Body: webhookBody{
		ID: w.ID, Primary: w.Primary, URL: w.URL, Secret: secret, Enabled: w.Enabled, Filter: webhookFilterBody(w.Filter), Headers: seal.MaskHeaders(w.Headers),
		Timeout: w.Timeout, MaxRetries: w.MaxRetries, RetryPolicy: w.RetryPolicy, PayloadFormat: w.PayloadFormat,
		CreatedAt: wire.Time(w.CreatedAt), UpdatedAt: wire.Time(w.UpdatedAt),
	}}
}

// eventType is the type of an event; callEventType that of an event of a call, which call.test is not.
type (
	eventType     string
	callEventType string
)

// Schema has the values of package event.
func (eventType) Schema(huma.Registry) *huma.Schema { return oneOf(event.Types) }

// Schema has those of calls.
func (callEventType) Schema(huma.Registry) *huma.Schema {
	return oneOf(slices.DeleteFunc(slices.Clone(event.Types), func(name string) bool { return name == event.CallTest }))
}

// oneOf is the schema of strings that are one of these.
func oneOf(values []string) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, value := range values {
		s.Enum = append(s.Enum, value)
	}
	return s
}

// webhookSettings is a request's configuration as text, because a partial update distinguishes null from absent,
// and package webhook reports all invalid values together.
type webhookSettings struct{ json.RawMessage }

// webhookSettingsBody describes webhookSettings: types here, values in package
// webhook.
type webhookSettingsBody struct {
	URL     string `json:"url" doc:"Destination URL: absolute, https, at most 2,048 bytes, without user name and password. Private addresses and names such as localhost are rejected; what a name resolves to is checked with every delivery. A server that allows private networks (PARLEY_ALLOW_PRIVATE_NETWORKS) also accepts http and private addresses." example:"https://example.com/hooks/parley"`
	Enabled bool   `json:"enabled,omitempty" doc:"Whether events are sent. Default: true."`
	Filter  struct {
		Events            []eventType `json:"events,omitempty" doc:"Event types to send. Default: all."`
		Workflows         []string    `json:"workflows,omitempty" nullable:"true" minItems:"1" maxItems:"100" doc:"Slugs of workflows; only events of their calls are sent. Default: events of all calls. They need not exist yet."`
		Agents            []string    `json:"agents,omitempty" nullable:"true" minItems:"1" maxItems:"100" doc:"Names of agents; only events of calls that one of them leads or has led are sent. With workflows, both must apply. Default: events of all calls."`
		IncludeTranscript bool        `json:"include_transcript,omitempty" doc:"Whether terminal events include the transcript. Default: false. Switching it on, or changing url while it is on, also requires the scope calls:read."`
		IncludeContext    bool        `json:"include_context,omitempty" doc:"Whether terminal events include the call's user_context. Default: false. Switching it on, or changing url while it is on, also requires the scope calls:read."`
		IncludeMetrics    bool        `json:"include_metrics,omitempty" doc:"Whether terminal events include the call's metrics. Default: true."`
		IncludePage       bool        `json:"include_page,omitempty" doc:"Whether the events of a transfer to a person include page_url, the link to the person's page. Default: false. Switching it on, or changing url while it is on, also requires the scope calls:read."`
	} `json:"filter,omitempty"`
	Headers       map[string]*string `json:"headers,omitempty" doc:"Custom headers of every delivery: at most 50, with values of at most 4,096 bytes without control characters. These names are always rejected: Host, Content-Type, Content-Length, Content-Encoding, User-Agent, X-Webhook-*, Connection, Keep-Alive, Proxy-Connection, Proxy-Authorization, TE, Trailer, Transfer-Encoding, Upgrade and Expect. Names that differ only in case are rejected too. The masked value ******** keeps the stored value while the scheme, host and port of url stay the same; when they change, every header must be given again or removed."`
	Timeout       int                `json:"timeout,omitempty" minimum:"1" maximum:"60" doc:"Timeout of an attempt, in seconds. Default: 30."`
	MaxRetries    int                `json:"max_retries,omitempty" minimum:"1" maximum:"20" doc:"Maximum number of attempts, including the first. Default: 5. The extended policy has its own number."`
	RetryPolicy   string             `json:"retry_policy,omitempty" enum:"standard,extended" doc:"Retry policy. standard (default): max_retries attempts with exponential backoff from one second. extended: 8 attempts over 24 hours."`
	PayloadFormat string             `json:"payload_format,omitempty" enum:"event,envelope" doc:"Payload format. event (default): the event itself. envelope: the event within an object that describes the delivery."`
}

// Schema describes the settings of a new configuration.
func (webhookSettings) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[webhookSettingsBody](), true, "")
}

// webhookChanges are what a partial update changes of the settings.
type webhookChanges struct{ json.RawMessage }

// Schema describes the patch.
func (webhookChanges) Schema(r huma.Registry) *huma.Schema {
	return wire.Partial(r, reflect.TypeFor[webhookSettingsBody]())
}

// callsRead is needed, too, to have sent what was said in calls.
const callsRead = "calls:read"

// receiptBody names an event and the delivery that was queued for it.
type receiptBody struct {
	EventID    string `json:"event_id"`
	DeliveryID string `json:"delivery_id"`
}

func wireReceipt(r webhook.Receipt, err error) (*wire.Answer[receiptBody], error) {
	if err != nil {
		return nil, err
	}
	return &wire.Answer[receiptBody]{Body: receiptBody(r)}, nil
}

// DeliveryBody is an entry of the delivery log as clients see it. Its name is
// exported, for huma describes the fields of embedded exported types only.
type DeliveryBody struct {
	ID             string         `json:"id" example:"dlv_0193a6f0000070008000000000000001"`
	WebhookID      *string        `json:"webhook_id" nullable:"true"`
	EventID        string         `json:"event_id"`
	Event          string         `json:"event" doc:"Type of the event."`
	CallID         *string        `json:"call_id" nullable:"true"`
	Status         webhook.Status `json:"status" enum:"pending,in_flight,delivered,failed"`
	AttemptCount   int            `json:"attempt_count" doc:"Number of attempts so far."`
	MaxAttempts    int            `json:"max_attempts"`
	NextAttemptAt  *wire.Time     `json:"next_attempt_at" nullable:"true"`
	ResponseStatus *int           `json:"response_status" nullable:"true" doc:"HTTP status of the last response; null if there was none."`
	Error          *string        `json:"error" nullable:"true" doc:"Why the last attempt got no response; null if it got one."`
	CreatedAt      wire.Time      `json:"created_at"`
	FinishedAt     *wire.Time     `json:"finished_at" nullable:"true"`
}

func wireDelivery(d webhook.Delivery) DeliveryBody {
	return DeliveryBody{ID: d.ID, WebhookID: d.WebhookID, EventID: d.EventID, Event: d.EventType, CallID: d.CallID, Status: d.Status, AttemptCount: d.Attempts,
		MaxAttempts: d.MaxAttempts, NextAttemptAt: (*wire.Time)(d.NextAttemptAt), ResponseStatus: d.ResponseStatus, Error: d.Error,
		CreatedAt: wire.Time(d.CreatedAt), FinishedAt: (*wire.Time)(d.FinishedAt)}
}

// deliveryDetailBody is an entry of the delivery log with its event and attempts.
type deliveryDetailBody struct {
	DeliveryBody
	EventData object        `json:"event_data" nullable:"true" doc:"Field data of the event as sent, without transcript, context and metrics, which are added when a delivery is sent and not stored. null for the event of a call if the credential does not have the scope calls:read."`
	Attempts  []attemptBody `json:"attempts"`
}

// attemptBody is one try of a delivery as clients see it.
type attemptBody struct {
	Attempt        int       `json:"attempt"`
	StartedAt      wire.Time `json:"started_at"`
	DurationMS     int64     `json:"duration_ms"`
	ResponseStatus *int      `json:"response_status" nullable:"true"`
	ResponseBody   string    `json:"response_body" doc:"First 16 KiB of the response body."`
	Error          *string   `json:"error" nullable:"true" doc:"Why there was no response; null if there was one."`
}

func wireAttempt(a webhook.Attempt) attemptBody {
	body := attemptBody{Attempt: a.Number, StartedAt: wire.Time(a.StartedAt), DurationMS: a.DurationMS, ResponseStatus: a.ResponseStatus, ResponseBody: a.ResponseBody}
	if a.Error != "" {
		body.Error = &a.Error
	}
	return body
}

// deliveryPage is a page of the delivery log, newest first.
type deliveryPage struct {
	Items  []DeliveryBody `json:"items"`
	Total  int            `json:"total" doc:"Total number of matching deliveries. Pending and in-flight deliveries are counted up to 10,000."`
	Limit  int            `json:"limit"`
	Offset int            `json:"offset"`
}

type webhookSettingsIn struct{ Body webhookSettings }

type webhookChangesIn struct{ Body webhookChanges }

type rotateSecretIn struct {
	Body *struct {
		OverlapSeconds int `json:"overlap_seconds,omitempty" minimum:"0" maximum:"86400" doc:"How long the previous secret also signs deliveries, in seconds. Default: 0."`
	}
}

type listDeliveriesIn struct {
	Status  string    `query:"status" enum:"pending,in_flight,delivered,failed" doc:"Filter by delivery status."`
	Event   eventType `query:"event" doc:"Filter by event type."`
	CallID  wire.ID   `query:"call_id" doc:"Filter by call."`
	Webhook string    `query:"webhook_id" maxLength:"64" doc:"Filter by webhook."`
	Limit   int       `query:"limit" default:"50" minimum:"1" maximum:"100" doc:"Maximum number of items to return."`
	Offset  int       `query:"offset" default:"0" minimum:"0" maximum:"1000000" doc:"Number of items to skip."`
}

type replayFailedIn struct {
	Body struct {
		CreatedAfter  wire.Time     `json:"created_after" doc:"Only deliveries created at or after this time."`
		CreatedBefore *wire.Time    `json:"created_before,omitempty" doc:"Only deliveries created before this time. Default: now."`
		Event         callEventType `json:"event,omitempty" doc:"Filter by event type."`
		WebhookID     string        `json:"webhook_id,omitempty" maxLength:"64" doc:"Filter by webhook. Default: all that are enabled."`
	}
}

// replayedBody is how many deliveries were replayed.
type replayedBody struct {
	Replayed int  `json:"replayed" doc:"Number of deliveries that were queued."`
	HasMore  bool `json:"has_more" doc:"Whether more deliveries match; repeat the request to replay them."`
}

type deliveryIn struct {
	ID string `path:"id" maxLength:"64" doc:"Unique identifier of the delivery (dlv_…)."`
}

func (s *Server) registerWebhooks() {
	const path, read, write = "/api/v1/webhooks", "webhooks:read", "webhooks:write"
	none := []fault.Code{fault.NotFound}
	disabled := []fault.Code{fault.NotFound, fault.Conflict}

	wire.Register(s.router, wire.Operation{ID: "get-webhook", Method: http.MethodGet, Path: path, Tag: "Webhooks", Scope: read, Errors: none,
		Summary: "Get the webhook configuration", Description: "The secret is not returned."},
		func(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Answer[webhookBody], error) {
			w, err := s.deps.Webhooks.Get(ctx, who.TenantID)
			if err != nil {
				return nil, err
			}
			return wireWebhook(w, ""), nil
		})
	wire.Register(s.router, wire.Operation{ID: "put-webhook", Method: http.MethodPost, Action: "webhook.replace", Path: path, Tag: "Webhooks", LiveOnly: true, Scope: write, Status: http.StatusCreated, OwnRules: true,
		Summary: "Create or replace the webhook configuration", Description: "This is the primary webhook of the tenant; `/api/v1/webhook-endpoints` has further ones. The response contains the new secret, which is returned only once."},
		func(ctx context.Context, who auth.Principal, in *webhookSettingsIn) (*wire.Answer[webhookBody], error) {
			w, secret, err := s.deps.Webhooks.Put(ctx, who.TenantID, in.Body.RawMessage, who.Can(callsRead))
			if err != nil {
				return nil, err
			}
			return wireWebhook(w, secret), nil
		})
	wire.Register(s.router, wire.Operation{ID: "patch-webhook", Method: http.MethodPatch, Action: "webhook.update", Path: path, Tag: "Webhooks", LiveOnly: true, Scope: write, OwnRules: true, MergePatch: true, Errors: none,
		Summary: "Update the webhook configuration", Description: "The body is a JSON Merge Patch (RFC 7396): objects merge, null sets the default. The secret is unchanged. When the host of `url` changes, stored headers must be given again."},
		func(ctx context.Context, who auth.Principal, in *webhookChangesIn) (*wire.Answer[webhookBody], error) {
			w, err := s.deps.Webhooks.Patch(ctx, who.TenantID, in.Body.RawMessage, who.Can(callsRead))
			if err != nil {
				return nil, err
			}
			return wireWebhook(w, ""), nil
		})
	wire.Register(s.router, wire.Operation{ID: "delete-webhook", Method: http.MethodDelete, Path: path, Tag: "Webhooks", LiveOnly: true, Scope: write, Errors: none,
		Summary: "Delete the webhook configuration", Description: "Pending deliveries fail."},
		func(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Empty, error) {
			return &wire.Empty{}, s.deps.Webhooks.Delete(ctx, who.TenantID)
		})
	for _, change := range []struct {
		name, summary string
		enabled       bool
	}{{"enable", "Enable the webhook", true}, {"disable", "Disable the webhook", false}} {
		wire.Register(s.router, wire.Operation{ID: change.name + "-webhook", Method: http.MethodPost, Path: path + "/" + change.name, Tag: "Webhooks", LiveOnly: true, Scope: write, Errors: none,
			Summary: change.summary},
			func(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Answer[webhookBody], error) {
				w, err := s.deps.Webhooks.SetEnabled(ctx, who.TenantID, change.enabled)
				if err != nil {
					return nil, err
				}
				return wireWebhook(w, ""), nil
			})
	}
	wire.Register(s.router, wire.Operation{ID: "rotate-webhook-secret", Method: http.MethodPost, Action: "webhook.rotate_secret", Path: path + "/rotate-secret", Tag: "Webhooks", LiveOnly: true, Scope: write, Errors: none,
		Summary: "Rotate the webhook secret", Description: "The response contains the new secret, which is returned only once. While the secrets overlap, deliveries have two signatures."},
		func(ctx context.Context, who auth.Principal, in *rotateSecretIn) (*wire.Answer[webhookBody], error) {
			w, secret, err := s.deps.Webhooks.Rotate(ctx, who.TenantID, in.overlap())
			if err != nil {
				return nil, err
			}
			return wireWebhook(w, secret), nil
		})
	wire.Register(s.router, wire.Operation{ID: "test-webhook", Method: http.MethodPost, Path: path + "/test", Tag: "Webhooks", Scope: write, Status: http.StatusAccepted, Errors: disabled,
		Summary: "Send a call.test event", Description: "The event is sent regardless of the filter."},
		func(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Answer[receiptBody], error) {
			return wireReceipt(s.deps.Deliveries.Test(ctx, who.TenantID, who.Livemode))
		})
	s.registerDeliveries(path+"/deliveries", read, write)
}

func (s *Server) registerDeliveries(path, read, write string) {
	wire.Register(s.router, wire.Operation{ID: "list-webhook-deliveries", Method: http.MethodGet, Path: path, Tag: "Webhooks", Scope: read,
		Summary: "List deliveries, newest first", Description: "A test key sees deliveries of test events only."},
		func(ctx context.Context, who auth.Principal, in *listDeliveriesIn) (*wire.Answer[deliveryPage], error) {
			found, total, err := s.deps.Deliveries.Deliveries(ctx, who.TenantID, webhook.DeliveryQuery{
				Status: webhook.Status(in.Status), EventType: string(in.Event), CallID: in.CallID.String(), WebhookID: in.Webhook, TestOnly: !who.Livemode, Limit: in.Limit, Offset: in.Offset})
			if err != nil {
				return nil, err
			}
			page := deliveryPage{Items: []DeliveryBody{}, Total: total, Limit: in.Limit, Offset: in.Offset}
			for _, d := range found {
				page.Items = append(page.Items, wireDelivery(d))
			}
			return &wire.Answer[deliveryPage]{Body: page}, nil
		})
	wire.Register(s.router, wire.Operation{ID: "get-webhook-delivery", Method: http.MethodGet, Path: path + "/{id}", Tag: "Webhooks", Scope: read, Errors: []fault.Code{fault.NotFound},
		Summary: "Get a delivery with its event and attempts"},
		func(ctx context.Context, who auth.Principal, in *deliveryIn) (*wire.Answer[deliveryDetailBody], error) {
			d, attempts, err := s.seenDelivery(ctx, who, in.ID)
			if err != nil {
				return nil, err
			}
			detail := deliveryDetailBody{DeliveryBody: wireDelivery(d), Attempts: []attemptBody{}}
			if d.CallID == nil || who.Can(callsRead) {
				detail.EventData = object(d.EventData)
			}
			for _, a := range attempts {
				detail.Attempts = append(detail.Attempts, wireAttempt(a))
			}
			return &wire.Answer[deliveryDetailBody]{Body: detail}, nil
		})
	wire.Register(s.router, wire.Operation{ID: "replay-webhook-delivery", Method: http.MethodPost, Path: path + "/{id}/replay", Tag: "Webhooks", Scope: write, Status: http.StatusAccepted,
		Errors:  []fault.Code{fault.NotFound, fault.Conflict},
		Summary: "Replay a delivery", Description: "Creates a new delivery of the same event to the same webhook, with its current configuration. A terminal event with transcript or context also requires the scope `calls:read`."},
		func(ctx context.Context, who auth.Principal, in *deliveryIn) (*wire.Answer[receiptBody], error) {
			if !who.Livemode {
				if _, _, err := s.seenDelivery(ctx, who, in.ID); err != nil {
					return nil, err
				}
			}
			return wireReceipt(s.deps.Deliveries.Replay(ctx, who.TenantID, in.ID, who.Can(callsRead)))
		})
	wire.Register(s.router, wire.Operation{ID: "replay-webhook-deliveries", Method: http.MethodPost, Action: "webhook_delivery.replay_failed", Path: path + "/replay", Tag: "Webhooks", Scope: write, Status: http.StatusAccepted,
		Errors:  []fault.Code{fault.NotFound, fault.Conflict},
		Summary: "Replay failed deliveries", Description: "Creates new deliveries of the events of failed deliveries in a time range: at most 1,000, oldest first, ten per second. A test key replays test events only. Events with a later delivery are skipped, so that the request can be repeated; `call.test` events are skipped too. Terminal events with transcript or context also require the scope `calls:read`."},
		func(ctx context.Context, who auth.Principal, in *replayFailedIn) (*wire.Answer[replayedBody], error) {
			before := time.Now()
			if in.Body.CreatedBefore != nil {
				before = time.Time(*in.Body.CreatedBefore)
			}
			r, err := s.deps.Deliveries.ReplayFailed(ctx, who.TenantID, webhook.ReplayQuery{After: time.Time(in.Body.CreatedAfter), Before: before, EventType: string(in.Body.Event), WebhookID: in.Body.WebhookID, TestOnly: !who.Livemode}, who.Can(callsRead))
			if err != nil {
				return nil, err
			}
			return &wire.Answer[replayedBody]{Body: replayedBody{Replayed: r.Count, HasMore: r.HasMore}}, nil
		})
}

// seenDelivery returns a delivery that a credential sees: a test key sees those
// of test keys' events alone.
func (s *Server) seenDelivery(ctx context.Context, who auth.Principal, id string) (webhook.Delivery, []webhook.Attempt, error) {
	d, attempts, err := s.deps.Deliveries.Delivery(ctx, who.TenantID, id)
	if err == nil && d.Livemode && !who.Livemode {
		return webhook.Delivery{}, nil, fault.Missing("webhook delivery")
	}
	return d, attempts, err
}
