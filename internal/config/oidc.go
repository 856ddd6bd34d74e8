package config

import (
	"net/url"
	"strings"
)

// OIDC is the settings of sign-in by OpenID Connect.
type OIDC struct {
	OIDCIssuer       string   `name:"oidc-issuer" env:"PARLEY_OIDC_ISSUER" placeholder:"URL" help:"OpenID Connect provider at which users sign in, such as https://login.example.com. Default: none, users sign in with passwords alone."`
	OIDCClientID     string   `name:"oidc-client-id" env:"PARLEY_OIDC_CLIENT_ID" placeholder:"ID" help:"Its client ID for this server."`
	OIDCClientSecret string   `name:"oidc-client-secret" env:"PARLEY_OIDC_CLIENT_SECRET" secret:"" placeholder:"SECRET" help:"The client's secret. Default: none, a public client."`
	OIDCName         string   `name:"oidc-name" env:"PARLEY_OIDC_NAME" default:"single sign-on" placeholder:"NAME" help:"Its name on the page to sign in."`
	OIDCTenant       string   `name:"oidc-tenant" env:"PARLEY_OIDC_TENANT" placeholder:"NAME" help:"Tenant whose users sign in there. Default: the only tenant."`
	OIDCScopes       []string `name:"oidc-scopes" env:"PARLEY_OIDC_SCOPES" placeholder:"GROUP=SCOPE…,…" help:"Scopes of the groups of the provider: admins=*,support=calls:read agents:read. A user has those of all of their groups; without any, nobody signs in."`
	OIDCGroupsClaim  string   `name:"oidc-groups-claim" env:"PARLEY_OIDC_GROUPS_CLAIM" default:"groups" placeholder:"NAME" help:"Claim that has the groups, in the ID token or at the userinfo endpoint: a list, or one text."`
	OIDCRequest      []string `name:"oidc-request-scopes" env:"PARLEY_OIDC_REQUEST_SCOPES" placeholder:"NAME,…" help:"Scopes of OpenID Connect that are requested besides openid, email and profile, such as groups. Default: none."`
}

// GroupScopes returns the scopes of each group.
func (o OIDC) GroupScopes() map[string][]string {
	scopes := map[string][]string{}
	for _, item := range o.OIDCScopes {
		group, granted, _ := strings.Cut(item, "=")
		scopes[strings.TrimSpace(group)] = strings.Fields(granted)
	}
	return scopes
}

func (o OIDC) check() error {
	if o.OIDCIssuer == "" {
		return nil
	}
	u, err := url.Parse(o.OIDCIssuer)
	if err != nil || u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) {
		return wrong("PARLEY_OIDC_ISSUER", "want a URL such as https://login.example.com; http only on this machine")
	}
	if o.OIDCClientID == "" {
		return wrong("PARLEY_OIDC_CLIENT_ID", "is required with PARLEY_OIDC_ISSUER")
	}
	for _, item := range o.OIDCScopes {
		if group, granted, ok := strings.Cut(item, "="); !ok || strings.TrimSpace(group) == "" || len(strings.Fields(granted)) == 0 {
			return wrong("PARLEY_OIDC_SCOPES", "%q is no group with its scopes, such as support=calls:read agents:read", item)
		}
	}
	if len(o.OIDCScopes) == 0 {
		return wrong("PARLEY_OIDC_SCOPES", "is required with PARLEY_OIDC_ISSUER: without it nobody can sign in there")
	}
	return nil
}
