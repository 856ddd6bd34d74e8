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
	APIKey       string `json:"api_key" minLength:"1" maxLength:"2048" pattern:"^[!-~]*$" doc:"Encrypted at rest and never returned." example:"your-key-of-the-provider"`
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
	IsDefault    bool      `json:"is_default"`
	CreatedAt    wire.Time `json:"created_at"`
}

func wireProviderKey(k *providerkey.Key) providerKeyBody {
	return providerKeyBody{k.ID, k.ProviderType, k.ProviderName, k.Hint, k.IsDefault, wire.Time(k.CreatedAt)}
}

// KeyChecks is what the API needs to ask vendors about keys.
type KeyChecks interface {
	Check(ctx context.Context, vendor, key string) keycheck.Result
}

type keyCheckBody struct {
	Result  string `json:"result" enum:"accepted,refused,unknown" doc:"accepted or refused by the vendor; unknown when it was not reached, or said neither." example:"refused"`
	Message string `json:"message" doc:"What the vendor said, without the key, or why it said nothing; empty when the key is accepted." example:"401 Unauthorized: Invalid credentials."`
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
	wire.Register(s.router, wire.Operation{
		ID: "create-provider-key", Method: http.MethodPost, Path: path, Tag: tag, LiveOnly: true, Scope: "provider-keys:write",
		Summary: "Create a provider key", Description: "Stores your own key for a provider. It has priority over the platform's key.",
		Status: http.StatusCreated, OwnRules: true, Errors: []fault.Code{fault.Conflict},
	}, s.createProviderKey)
	wire.Register(s.router, wire.Operation{
		ID: "delete-provider-key", Method: http.MethodDelete, Path: path + "/{id}", Tag: tag, LiveOnly: true, Scope: "provider-keys:write",
		Summary: "Delete a provider key", Errors: []fault.Code{fault.NotFound},
	}, s.deleteProviderKey)
	wire.Register(s.router, wire.Operation{
		ID: "check-provider-key", Method: http.MethodPost, Path: path + "/{id}/check", Tag: tag, LiveOnly: true, Scope: "provider-keys:write",
		Summary: "Check a key for a provider", Description: "Asks the vendor whether it takes the key, with one request that costs nothing.",
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
		items[i] = wireProviderKey(&keys[i])
	}
	return wire.NewAnswer(wire.ItemsBody[providerKeyBody]{Items: items}), nil
}

func (s *Server) createProviderKey(ctx context.Context, who auth.Principal, in *createProviderKeyIn) (*wire.Answer[providerKeyBody], error) {
	return wire.Show(wireProviderKey)(s.providerKeys(who).Create(ctx, providerkey.Draft(in.Body)))
}

func (s *Server) deleteProviderKey(ctx context.Context, who auth.Principal, in *providerKeyIn) (*wire.Empty, error) {
	return nil, s.providerKeys(who).Delete(ctx, in.ID.String())
}

func (s *Server) checkProviderKey(ctx context.Context, who auth.Principal, in *providerKeyIn) (*wire.Answer[keyCheckBody], error) {
	k, plain, err := s.providerKeys(who).Open(ctx, in.ID.String())
	if err != nil {
		return nil, err
	}
	result := s.deps.KeyChecks.Check(ctx, k.ProviderName, plain)
	return wire.NewAnswer(keyCheckBody{string(result.Verdict), result.Message}), nil
}
