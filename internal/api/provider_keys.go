package api

import (
	"context"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/provider/keycheck"
	"parley/internal/providerkey"
)

type createProviderKeyBody struct {
	ProviderType string `json:"provider_type" enum:"stt,llm,tts" example:"stt"`
	ProviderName string `json:"provider_name" doc:"Name of a provider of that type, see GET /api/v1/providers." example:"deepgram"`
	APIKey       string `json:"api_key" required:"false" maxLength:"2048" pattern:"^[!-~]*$" doc:"Encrypted at rest and never returned. Required, except for openai_compatible servers without authentication." example:"your-key-of-the-provider"`
	BaseURL      string `json:"base_url" required:"false" maxLength:"2048" doc:"Address of the server that the key is sent to, with http, https, ws or wss. Default: the provider's own; openai_compatible has none." example:"https://models.example.com/v1"`
	IsDefault    bool   `json:"is_default" required:"false" doc:"Whether the key becomes the default of its type, replacing the current one. Default: false."`
}

type createProviderKeyIn struct {
	Body createProviderKeyBody
}

type providerKeyBody struct {
	ID           string    `json:"id" format:"uuid"`
	ProviderType string    `json:"provider_type" enum:"stt,llm,tts"`
	ProviderName string    `json:"provider_name" example:"deepgram"`
	Hint         string    `json:"hint" doc:"Last four characters of the key; fewer for a key of less than eight." example:"a1b2"`
	BaseURL      string    `json:"base_url" doc:"Address of the server that the key is sent to; empty for the provider's own."`
	IsDefault    bool      `json:"is_default"`
	CreatedAt    wire.Time `json:"created_at"`
}

func showProviderKey(k *providerkey.Key, _ []string) providerKeyBody {
	return providerKeyBody{k.ID, k.ProviderType, k.ProviderName, k.Hint, k.BaseURL, k.IsDefault, wire.Time(k.CreatedAt)}
}

// KeyChecks is what the API needs to ask vendors about keys.
type KeyChecks interface {
	Check(ctx context.Context, vendor, key, baseURL string) keycheck.Result
}

type keyCheckBody struct {
	Result  string `json:"result" enum:"accepted,refused,unknown" doc:"Whether the vendor accepted or refused the key; unknown if it could not be reached or its response is inconclusive." example:"refused"`
	Message string `json:"message" doc:"Message of the vendor without the key, or the reason why there is none; empty if the key is accepted." example:"401 Unauthorized: Invalid credentials."`
}

type providerKeyIn struct {
	ID wire.ID `path:"id" doc:"Unique identifier of the provider key."`
}

func (s *Server) registerProviderKeys() {
	const tag, path = "Provider keys", "/api/v1/provider-keys"
	wire.Register(s.router, wire.Operation{
		ID: "list-provider-keys", Method: http.MethodGet, Path: path, Tag: tag, Scope: "provider-keys:read",
		Summary: "List provider keys", Description: "Newest first, without the keys themselves.",
	}, s.listProviderKeys)
	keys := wire.Resource[providerkey.Store, providerkey.Key, providerKeyBody]{
		Router: s.router, Tag: tag, Path: path, Key: "id", Title: "a provider key", Scope: "provider-keys", LiveOnly: true, Store: s.providerKeys, Show: showProviderKey,
	}
	wire.Create(keys, wire.Operation{Description: "Stores your own key for a provider. It has priority over the platform's key."},
		func(ctx context.Context, store providerkey.Store, in *createProviderKeyIn) (*providerkey.Key, []string, error) {
			key, err := store.Create(ctx, providerkey.Draft(in.Body))
			return key, nil, err
		})
	wire.Delete[providerKeyIn](keys, wire.Operation{}, providerkey.Store.Delete)
	wire.Register(s.router, wire.Operation{
		ID: "check-provider-key", Method: http.MethodPost, Path: path + "/{id}/check", Tag: tag, LiveOnly: true, Scope: "provider-keys:write",
		Summary: "Check a key for a provider", Description: "Sends one request, free of charge, to the vendor or to the server at the key's base_url, to check whether it accepts the key.",
		Errors: []fault.Code{fault.NotFound, fault.Conflict},
	}, s.checkProviderKey)
}

func (s *Server) providerKeys(who auth.Principal) providerkey.Store {
	return s.deps.ProviderKeys.In(s.deps.DB.Tenant(who.TenantID))
}

func (s *Server) listProviderKeys(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Answer[wire.ItemsBody[providerKeyBody]], error) {
	keys, err := s.providerKeys(who).List(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]providerKeyBody, len(keys))
	for i := range keys {
		items[i] = showProviderKey(&keys[i], nil)
	}
	return wire.NewAnswer(wire.ItemsBody[providerKeyBody]{Items: items}), nil
}

func (s *Server) checkProviderKey(ctx context.Context, who auth.Principal, in *providerKeyIn) (*wire.Answer[keyCheckBody], error) {
	k, plain, err := s.providerKeys(who).Open(ctx, in.ID.String())
	if err != nil {
		return nil, err
	}
	result := s.deps.KeyChecks.Check(ctx, k.ProviderName, plain, k.BaseURL)
	return wire.NewAnswer(keyCheckBody{string(result.Verdict), result.Message}), nil
}
