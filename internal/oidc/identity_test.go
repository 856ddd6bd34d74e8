package oidc

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The groups are a list or one text, whatever else a provider puts into the claim; the e-mail address has to be there, and not be
// unverified.
func TestIdentity(t *testing.T) {
	p := &Provider{settings: Settings{Issuer: "https://login.example.com", GroupsClaim: "roles"}}
	with := func(claims map[string]any) map[string]any {
		claims["email"] = "ada@example.com"
		return claims
	}
	for name, c := range map[string]struct {
		claims map[string]any
		groups []string
	}{
		"a list":               {with(map[string]any{"roles": []any{"admins", "support"}}), []string{"admins", "support"}},
		"one text":             {with(map[string]any{"roles": "admins", "email_verified": true}), []string{"admins"}},
		"verified as a text":   {with(map[string]any{"roles": "admins", "email_verified": "true"}), []string{"admins"}},
		"others than texts":    {with(map[string]any{"roles": []any{7, "support", nil, []any{"admins"}}}), []string{"support"}},
		"an object":            {with(map[string]any{"roles": map[string]any{"admins": true}}), nil},
		"another claim":        {with(map[string]any{"groups": []any{"admins"}}), nil},
		"an empty list":        {with(map[string]any{"roles": []any{}}), nil},
		"a text with a comma":  {with(map[string]any{"roles": "admins,support"}), []string{"admins,support"}},
		"none":                 {with(map[string]any{}), nil},
		"a list of one":        {with(map[string]any{"roles": []any{"support"}}), []string{"support"}},
		"null":                 {with(map[string]any{"roles": nil}), nil},
		"the same group twice": {with(map[string]any{"roles": []any{"a", "a"}}), []string{"a", "a"}},
	} {
		who, err := p.identity("42", c.claims)
		if diff := cmp.Diff(Identity{Subject: "https://login.example.com 42", Email: "ada@example.com", Groups: c.groups}, who); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	for name, claims := range map[string]map[string]any{
		"no address":         {"roles": "admins"},
		"an unverified one":  {"roles": "admins", "email": "ada@example.com", "email_verified": false},
		"unverified, a text": {"roles": "admins", "email": "ada@example.com", "email_verified": "false"},
		"not a text":         {"roles": "admins", "email": []any{"ada@example.com"}},
	} {
		if who, err := p.identity("42", claims); !errors.Is(err, ErrEmail) {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
}
