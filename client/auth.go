package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Tokens are a user session's.
type Tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"` // used up by Refresh
	TokenType    string `json:"token_type"`    // bearer
	ExpiresIn    int    `json:"expires_in"`    // seconds
}

// Login signs a user in. Wrong credentials are an *Error with code authentication_error.
func (c *Client) Login(ctx context.Context, email, password string) (*Tokens, error) {
	t := new(Tokens)
	body := map[string]string{"email": email, "password": password}
	return t, c.call(ctx, request{method: http.MethodPost, path: "/api/v1/auth/login", body: body}, t)
}

// Refresh exchanges a refresh token for new tokens. For 10 seconds the same client may present a token again;
// later, or from another address, it ends the whole session.
func (c *Client) Refresh(ctx context.Context, refreshToken string) (*Tokens, error) {
	t := new(Tokens)
	body := map[string]string{"refresh_token": refreshToken}
	return t, c.call(ctx, request{method: http.MethodPost, path: "/api/v1/auth/refresh", body: body}, t)
}

// Logout ends the session that a refresh token belongs to.
func (c *Client) Logout(ctx context.Context, refreshToken string) error {
	body := map[string]string{"refresh_token": refreshToken}
	return c.call(ctx, request{method: http.MethodPost, path: "/api/v1/auth/logout", body: body, repeatable: true}, nil)
}

// Me is who a credential stands for. The user and tenant are as the server answers them.
type Me struct {
	User   json.RawMessage `json:"user"`
	Tenant json.RawMessage `json:"tenant"`
	Scopes []string        `json:"scopes"`
}

// Me tells who the client's credential stands for.
func (c *Client) Me(ctx context.Context) (*Me, error) {
	m := new(Me)
	return m, c.call(ctx, request{method: http.MethodGet, path: "/api/v1/auth/me"}, m)
}

// APIKey is a key of the tenant's.
type APIKey struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Environment string    `json:"environment"` // live or test
	Scopes      []string  `json:"scopes"`
	RateLimit   int       `json:"rate_limit"` // requests a minute
	CreatedAt   time.Time `json:"created_at"`
	// Key is the whole key; only Create answers it.
	Key string `json:"key,omitempty"`
}

// NewAPIKey is what Create makes a key of.
type NewAPIKey struct {
	Name        string   `json:"name"`
	Environment string   `json:"environment"` // live or test
	Scopes      []string `json:"scopes"`
	RateLimit   int      `json:"rate_limit,omitempty"` // requests a minute; 0 for the server's default
}

// APIKeys are the operations on API keys. They need a Session; a key cannot manage keys.
type APIKeys struct{ c *Client }

// Create makes a key. The answer is the only one that holds it whole.
func (a APIKeys) Create(ctx context.Context, k NewAPIKey) (*APIKey, error) {
	made := new(APIKey)
	return made, a.c.call(ctx, request{method: http.MethodPost, path: "/api/v1/auth/api-keys", body: k}, made)
}

// List is the tenant's keys.
func (a APIKeys) List(ctx context.Context) ([]APIKey, error) {
	var list struct {
		Items []APIKey `json:"items"`
	}
	err := a.c.call(ctx, request{method: http.MethodGet, path: "/api/v1/auth/api-keys"}, &list)
	return list.Items, err
}

// Revoke ends a key: requests with it fail with key_revoked.
func (a APIKeys) Revoke(ctx context.Context, id string) error {
	return a.c.call(ctx, request{method: http.MethodDelete, path: "/api/v1/auth/api-keys/" + segment(id)}, nil)
}
