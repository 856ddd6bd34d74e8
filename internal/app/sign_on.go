package app

import (
	"context"
	"errors"

	"parley/internal/api"
	"parley/internal/oidc"
	"parley/internal/tenant"
)

// signOn returns sign-in at the identity provider of the settings; nil without one.
func signOn(g *infrastructure) *api.SingleSignOn {
	c := g.config.OIDC
	if c.OIDCIssuer == "" {
		return nil
	}
	provider := oidc.New(oidc.Settings{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: c.OIDCClientSecret, Scopes: c.OIDCRequest, GroupsClaim: c.OIDCGroupsClaim,
		Redirect: g.config.Reachable() + api.CallbackPath,
	})
	return &api.SingleSignOn{Provider: provider, Name: c.OIDCName, Scopes: c.GroupScopes(), Tenant: func(ctx context.Context) (string, error) {
		if c.OIDCTenant != "" {
			t, err := tenant.Named(ctx, g.db, c.OIDCTenant)
			if err != nil {
				return "", err
			}
			return t.ID, nil
		}
		all, err := tenant.List(ctx, g.db)
		if err != nil {
			return "", err
		}
		if len(all) != 1 {
			return "", errors.New("PARLEY_OIDC_TENANT is not set, and there is not exactly one tenant")
		}
		return all[0].ID, nil
	}}
}
