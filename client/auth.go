package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Tokens are the tokens of a user session.
type Tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"` // used up by Refresh
	TokenType    string `json:"token_type"`    // bearer
	ExpiresIn    int    `json:"expires_in"`    // seconds
}

// Login signs a user in. Error: authentication_error for wrong credentials.
func (c *Client) Login(ctx context.Context, email, password string) (*Tokens, error) {
	t := new(Tokens)
	body := map[string]string{"email": email, "password": password}
	return t, c.call(ctx, request{method: http.MethodPost, path: "/api/v1/auth/login", body: body}, t)
}

// Refresh exchanges a refresh token for new tokens. The same client may reuse a token within 10 seconds; reuse later, or
// from another address, revokes the session.
func (c *Client) Refresh(ctx context.Context, refreshToken string) (*Tokens, error) {
	t := new(Tokens)
	body := map[string]string{"refresh_token": refreshToken}
	return t, c.call(ctx, request{method: http.MethodPost, path: "/api/v1/auth/refresh", body: body}, t)
}

// Logout revokes the session of a refresh token.
func (c *Client) Logout(ctx context.Context, refreshToken string) error {
	body := map[string]string{"refresh_token": refreshToken}
	return c.call(ctx, request{method: http.MethodPost, path: "/api/v1/auth/logout", body: body, repeatable: true}, nil)
}

// Me is the principal of a credential. User and Tenant are the server's JSON.
type Me struct {
	User   json.RawMessage `json:"user"`
	Tenant json.RawMessage `json:"tenant"`
	Scopes []string        `json:"scopes"`
}

// Me returns the principal of the client's credential.
func (c *Client) Me(ctx context.Context) (*Me, error) {
	m := new(Me)
	return m, c.call(ctx, request{method: http.MethodGet, path: "/api/v1/auth/me"}, m)
}

// APIKey is an API key of the tenant.
type APIKey struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Environment string    `json:"environment"` // live or test
	Scopes      []string  `json:"scopes"`
	RateLimit   int       `json:"rate_limit"` // requests a minute
	CreatedAt   time.Time `json:"created_at"`
	Prefix      string    `json:"prefix"` // first characters of the key, by which it is recognised
	// Key is the full key, set only by Create.
	Key string `json:"key,omitempty"`
}

// NewAPIKey holds the parameters of APIKeys.Create.
type NewAPIKey struct {
	Name        string   `json:"name"`
	Environment string   `json:"environment"` // live or test
	Scopes      []string `json:"scopes"`
	RateLimit   int      `json:"rate_limit,omitempty"` // requests a minute; 0 for the server's default
}

// APIKeys has the operations on API keys. They need a Session: API keys cannot manage API keys.
type APIKeys struct{ c *Client }

// Create creates an API key. Only its result contains the full key.
func (a APIKeys) Create(ctx context.Context, k NewAPIKey) (*APIKey, error) {
	made := new(APIKey)
	return made, a.c.call(ctx, request{method: http.MethodPost, path: "/api/v1/auth/api-keys", body: k}, made)
}

// List returns all of the tenant's API keys.
func (a APIKeys) List(ctx context.Context) ([]APIKey, error) {
	var keys []APIKey
	for {
		q := url.Values{"limit": {"100"}, "offset": {strconv.Itoa(len(keys))}}
		var page Page[APIKey]
		if err := a.c.call(ctx, request{method: http.MethodGet, path: "/api/v1/auth/api-keys", query: q}, &page); err != nil {
			return nil, err
		}
		keys = append(keys, page.Items...)
		if len(page.Items) == 0 || len(keys) >= page.Total {
			return keys, nil
		}
	}
}

// Revoke revokes a key: requests with it fail with key_revoked.
func (a APIKeys) Revoke(ctx context.Context, id string) error {
	return a.c.call(ctx, request{method: http.MethodDelete, path: "/api/v1/auth/api-keys/" + segment(id)}, nil)
}
