package api

import (
	"context"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
)

// KeyBody is an API key as clients see it. Its name is exported, for huma
// describes the fields of embedded exported types only.
type KeyBody struct {
	ID          string    `json:"id" format:"uuid"`
	Name        string    `json:"name"`
	Environment string    `json:"environment" enum:"live,test"`
	Prefix      string    `json:"prefix" doc:"First characters of the key, to identify it." example:"svc_live_4f1c9a"`
	Scopes      []string  `json:"scopes"`
	RateLimit   int       `json:"rate_limit" doc:"Rate limit, in requests per minute."`
	CreatedAt   wire.Time `json:"created_at"`
}

func wireKey(k *auth.Key) KeyBody {
	return KeyBody{k.ID, k.Name, k.Environment, k.Prefix, k.Scopes, k.RateLimit, wire.Time(k.CreatedAt)}
}

type newKeyBody struct {
	Key string `json:"key" doc:"The API key. Returned only in this response."`
	KeyBody
}

type createKeyIn struct {
	Body struct {
		Name        string   `json:"name" minLength:"1" maxLength:"255" example:"Backend"`
		Environment string   `json:"environment" enum:"live,test"`
		Scopes      []string `json:"scopes" maxItems:"100" doc:"Scopes of the key: resource:action, resource:* or *. Only scopes that you have yourself can be granted." example:"[\"calls:write\",\"calls:read\"]"`
		RateLimit   int      `json:"rate_limit,omitempty" default:"600" minimum:"1" maximum:"100000" doc:"Rate limit, in requests per minute."`
	}
}

type listKeysIn struct {
	Limit  int `query:"limit" default:"50" minimum:"1" maximum:"100" doc:"Maximum number of items to return."`
	Offset int `query:"offset" default:"0" minimum:"0" doc:"Number of items to skip."`
}

type keyPage struct {
	Items  []KeyBody `json:"items"`
	Total  int       `json:"total"`
	Limit  int       `json:"limit"`
	Offset int       `json:"offset"`
}

type keyIn struct {
	ID wire.ID `path:"id" doc:"Unique identifier of the API key (not the key itself)."`
}

func (s *Server) registerAPIKeys() {
	const tag = "API keys"
	wire.Register(s.router, wire.Operation{
		ID: "create-api-key", Method: http.MethodPost, Path: "/api/v1/auth/api-keys", Tag: tag,
		Summary:     "Create an API key",
		Description: "Requires a user's session.",
		Status:      http.StatusCreated, SessionOnly: true, Errors: []fault.Code{fault.Authorization, fault.Conflict},
	}, s.createKey)
	wire.Register(s.router, wire.Operation{
		ID: "list-api-keys", Method: http.MethodGet, Path: "/api/v1/auth/api-keys", Tag: tag,
		Summary:     "List API keys",
		Description: "Newest first, without revoked keys. Requires a user's session.",
		SessionOnly: true,
	}, s.listKeys)
	wire.Register(s.router, wire.Operation{
		ID: "revoke-api-key", Method: http.MethodDelete, Path: "/api/v1/auth/api-keys/{id}", Tag: tag,
		Summary:     "Revoke an API key",
		Description: "Requests with the key then fail with `key_revoked`. Requires a user's session.",
		SessionOnly: true, Errors: []fault.Code{fault.Authorization, fault.NotFound},
	}, s.revokeKey)
}

func (s *Server) createKey(ctx context.Context, who auth.Principal, in *createKeyIn) (*wire.Answer[newKeyBody], error) {
	made, secret, err := s.deps.Auth.IssueKey(ctx, who, auth.KeyDraft{
		Name: in.Body.Name, Environment: in.Body.Environment, Scopes: in.Body.Scopes, RateLimit: in.Body.RateLimit,
	})
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(newKeyBody{secret, wireKey(made)}), nil
}

func (s *Server) listKeys(ctx context.Context, who auth.Principal, in *listKeysIn) (*wire.Answer[keyPage], error) {
	keys, total, err := s.deps.Auth.Keys(ctx, who, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	page := keyPage{Items: make([]KeyBody, len(keys)), Total: total, Limit: in.Limit, Offset: in.Offset}
	for i := range keys {
		page.Items[i] = wireKey(&keys[i])
	}
	return wire.NewAnswer(page), nil
}

func (s *Server) revokeKey(ctx context.Context, who auth.Principal, in *keyIn) (*wire.Empty, error) {
	return nil, s.deps.Auth.RevokeKey(ctx, who, in.ID.String())
}
