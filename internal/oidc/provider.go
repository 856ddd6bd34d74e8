// Package oidc signs users in at an OpenID Connect provider: the authorization code flow with PKCE (RFC 7636).
package oidc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// requestTimeout bounds each request to the provider.
const requestTimeout = 10 * time.Second

// Settings are those of a provider.
type Settings struct {
	Issuer       string
	ClientID     string
	ClientSecret string // "" for a public client
	// Scopes are requested besides openid, email and profile.
	Scopes []string
	// GroupsClaim is the claim with the user's groups: a list of texts, or one text.
	GroupsClaim string
	// Redirect is the URL of the callback.
	Redirect string
}

// Provider is an OpenID Connect provider. Its configuration is read at the first sign-in, and again after a failure.
type Provider struct {
	settings Settings
	client   *http.Client

	reading  sync.Mutex
	provider *oidc.Provider
}

// New returns a provider.
func New(s Settings) *Provider {
	return &Provider{settings: s, client: &http.Client{Timeout: requestTimeout}}
}

// Attempt is one sign-in. The browser keeps it, and no one else.
type Attempt struct {
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"` // of PKCE
}

// Identity is a user that the provider has authenticated.
type Identity struct {
	Subject string // unique with the issuer
	Email   string
	Groups  []string
}

// ErrEmail is the error of an identity without an e-mail address, or with one that the provider has not verified.
var ErrEmail = errors.New("the identity provider has no verified e-mail address of the user")

// Begin returns a new sign-in, and the provider's page for it.
func (p *Provider) Begin(ctx context.Context) (a Attempt, url string, err error) {
	flow, _, err := p.flow(ctx)
	if err != nil {
		return a, "", err
	}
	a = Attempt{State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier()}
	return a, flow.AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), nil
}

// Finish exchanges the code that the provider has sent the browser back with. The caller has compared the state.
func (p *Provider) Finish(ctx context.Context, a Attempt, code string) (who Identity, err error) {
	ctx = oidc.ClientContext(ctx, p.client)
	flow, provider, err := p.flow(ctx)
	if err != nil {
		return who, err
	}
	token, err := flow.Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		return who, fmt.Errorf("exchange the code: %w", err)
	}
	raw, _ := token.Extra("id_token").(string)
	verified, err := provider.Verifier(&oidc.Config{ClientID: p.settings.ClientID}).Verify(ctx, raw)
	if err != nil {
		return who, fmt.Errorf("verify the ID token: %w", err)
	}
	if verified.Nonce != a.Nonce {
		return who, errors.New("verify the ID token: its nonce is that of another sign-in")
	}
	claims := map[string]any{}
	if err := verified.Claims(&claims); err != nil {
		return who, fmt.Errorf("read the ID token: %w", err)
	}
	if provider.UserInfoEndpoint() != "" {
		if err := p.addUserInfo(ctx, provider, token, verified.Subject, claims); err != nil {
			return who, err
		}
	}
	return p.identity(verified.Subject, claims)
}

// addUserInfo adds the claims that are not in the ID token.
func (p *Provider) addUserInfo(ctx context.Context, provider *oidc.Provider, token *oauth2.Token, subject string, claims map[string]any) error {
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("ask for the user: %w", err)
	}
	if info.Subject != subject { // OpenID Connect Core 5.3.2
		return errors.New("ask for the user: the answer is about another one")
	}
	further := map[string]any{}
	if err := info.Claims(&further); err != nil {
		return fmt.Errorf("read the user: %w", err)
	}
	for name, value := range further {
		if _, has := claims[name]; !has {
			claims[name] = value
		}
	}
	return nil
}

func (p *Provider) identity(subject string, claims map[string]any) (who Identity, err error) {
	who = Identity{Subject: p.settings.Issuer + " " + subject}
	who.Email, _ = claims["email"].(string)
	if verified, said := claims["email_verified"]; who.Email == "" || said && verified != true && verified != "true" {
		return who, ErrEmail
	}
	switch groups := claims[p.settings.GroupsClaim].(type) {
	case string:
		who.Groups = []string{groups}
	case []any:
		for _, group := range groups {
			if name, is := group.(string); is {
				who.Groups = append(who.Groups, name)
			}
		}
	}
	return who, nil
}

// flow returns the flow at the provider, whose configuration it reads once.
func (p *Provider) flow(ctx context.Context) (*oauth2.Config, *oidc.Provider, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	if p.provider == nil {
		// Its keys are read later, too, with this context's client.
		provider, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.settings.Issuer)
		if err != nil {
			return nil, nil, fmt.Errorf("read the identity provider's configuration: %w", err)
		}
		p.provider = provider
	}
	return &oauth2.Config{
		ClientID: p.settings.ClientID, ClientSecret: p.settings.ClientSecret, Endpoint: p.provider.Endpoint(), RedirectURL: p.settings.Redirect,
		Scopes: slices.Concat([]string{oidc.ScopeOpenID, "email", "profile"}, p.settings.Scopes),
	}, p.provider, nil
}
