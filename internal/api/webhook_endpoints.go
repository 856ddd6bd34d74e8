package api

import (
	"context"
	"net/http"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/webhook"
)

type webhookIn struct {
	ID string `path:"id" maxLength:"64" doc:"Unique identifier of the webhook (whk_…)." example:"whk_0193a6f0000070008000000000000001"`
}

type createWebhookIn struct {
	Body webhookSettings
}

type updateWebhookIn struct {
	ID      string `path:"id" maxLength:"64" doc:"Unique identifier of the webhook (whk_…)." example:"whk_0193a6f0000070008000000000000001"`
	Body    webhookChanges
	RawBody []byte
}

type rotateEndpointIn struct {
	ID string `path:"id" maxLength:"64" doc:"Unique identifier of the webhook (whk_…)." example:"whk_0193a6f0000070008000000000000001"`
	rotateSecretIn
}

func showWebhook(w *webhook.Webhook, _ []string) webhookBody { return wireWebhook(*w, w.Secret).Body }

func (s *Server) webhooks(who auth.Principal) webhook.Store {
	return s.deps.Webhooks.Store(who.TenantID, who.Can(callsRead))
}

// registerWebhookEndpoints registers the operations on any webhook of a tenant.
func (s *Server) registerWebhookEndpoints() {
	const tag, path, write = "Webhooks", "/api/v1/webhook-endpoints", "webhooks:write"
	webhooks := wire.Resource[webhook.Store, webhook.Webhook, webhookBody]{
		Router: s.router, Tag: tag, Path: path, Key: "id", Title: "a webhook", Scope: "webhooks", LiveOnly: true, Store: s.webhooks, Show: showWebhook,
	}
	wire.List(webhooks, wire.Operation{Description: "The primary one, which is that of `/api/v1/webhooks`, first. The secrets are not returned."},
		func(ctx context.Context, store webhook.Store, in *wire.PageIn) ([]webhook.Webhook, int64, error) {
			return store.List(ctx, int(in.Limit), int(in.Offset))
		}, webhooks.Body)
	wire.Create(webhooks, wire.Operation{Description: "Each webhook receives the events that its own filter includes, signed with its own secret, which is returned only once. The first one becomes the primary one. A tenant has at most 20 unless the operator sets another limit."},
		func(ctx context.Context, store webhook.Store, in *createWebhookIn) (*webhook.Webhook, []string, error) {
			w, err := store.Create(ctx, in.Body.RawMessage)
			return w, nil, err
		})
	wire.Get[webhookIn](webhooks, wire.Operation{Description: "The secret is not returned."}, webhook.Store.Get)
	wire.Update[updateWebhookIn](webhooks, wire.Operation{Method: http.MethodPatch, MergePatch: true, Errors: []fault.Code{fault.NotFound},
		Description: "The body is a JSON Merge Patch (RFC 7396): objects merge, null sets the default. The secret is unchanged. When the host of `url` changes, stored headers must be given again."},
		wire.WithoutWarnings(webhook.Store.Update))
	wire.Delete[webhookIn](webhooks, wire.Operation{Description: "Its pending deliveries fail."}, webhook.Store.Delete)
	wire.Do[webhookIn](webhooks, "enable", wire.Operation{}, webhook.Store.Enable)
	wire.Do[webhookIn](webhooks, "disable", wire.Operation{}, webhook.Store.Disable)
	wire.Register(s.router, wire.Operation{ID: "rotate-webhook-endpoint-secret", Method: http.MethodPost, Action: "webhook_endpoint.rotate_secret", Path: path + "/{id}/rotate-secret",
		Tag: tag, LiveOnly: true, Scope: write, Errors: []fault.Code{fault.NotFound},
		Summary: "Rotate a webhook's secret", Description: "The response contains the new secret, which is returned only once. While the secrets overlap, deliveries have two signatures."},
		func(ctx context.Context, who auth.Principal, in *rotateEndpointIn) (*wire.Answer[webhookBody], error) {
			w, err := s.webhooks(who).Rotate(ctx, in.ID, in.overlap())
			if err != nil {
				return nil, err
			}
			return wireWebhook(*w, w.Secret), nil
		})
	wire.Register(s.router, wire.Operation{ID: "test-webhook-endpoint", Method: http.MethodPost, Path: path + "/{id}/test", Tag: tag, Scope: write, Status: http.StatusAccepted,
		Errors: []fault.Code{fault.NotFound, fault.Conflict}, Summary: "Send a call.test event to a webhook", Description: "The event is sent regardless of the filter."},
		func(ctx context.Context, who auth.Principal, in *webhookIn) (*wire.Answer[receiptBody], error) {
			return wireReceipt(s.deps.Deliveries.TestWebhook(ctx, who.TenantID, in.ID, who.Livemode))
		})
}

// overlap returns how long the previous secret remains valid.
func (in *rotateSecretIn) overlap() time.Duration {
	if in.Body == nil {
		return 0
	}
	return time.Duration(in.Body.OverlapSeconds) * time.Second
}
