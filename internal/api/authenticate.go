package api

import (
	"net/http"
	"strings"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
)

// authenticate returns the principal of a request, from X-API-Key, from Authorization: Bearer with a session token
// or a key, or from a session cookie.
func (s *Server) authenticate(r *http.Request) (auth.Principal, error) {
	key, bearer, err := headerCredential(r)
	if err != nil {
		return auth.Principal{}, err
	}
	var who auth.Principal
	switch {
	case key != "":
		who, err = s.deps.Auth.AuthenticateKey(r.Context(), key)
	case bearer != "":
		who, err = s.deps.Auth.Authenticate(r.Context(), bearer)
	default:
		var token string
		if token, err = s.cookieToken(r); err != nil {
			return auth.Principal{}, err
		}
		if token != "" {
			who, err = s.deps.Auth.Authenticate(r.Context(), token)
			break
		}
		err = fault.New(fault.Authentication, "a credential is needed: X-API-Key, or Authorization: Bearer")
	}
	if err == nil {
		wire.ExchangeOf(r.Context()).Tenant = who.TenantID
	}
	return who, err
}

// headerCredential returns the credential in a request's headers: an API key or a bearer credential, both "" for none. Two different
// ones are an error: a proxy on the way may have checked the other one.
func headerCredential(r *http.Request) (key, bearer string, err error) {
	for _, name := range []string{"X-API-Key", "Authorization"} {
		if len(r.Header.Values(name)) > 1 {
			return "", "", fault.New(fault.Authentication, "the request has more than one header %s", name)
		}
	}
	scheme, credential, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		bearer = strings.TrimSpace(credential)
	}
	if key = r.Header.Get("X-API-Key"); key != "" && bearer != "" && key != bearer {
		return "", "", fault.New(fault.Authentication, "the request has two credentials: send X-API-Key or Authorization: Bearer, not both")
	}
	return key, bearer, nil
}

// authenticateLimited authenticates a request and counts it against its
// caller's limit.
func (s *Server) authenticateLimited(w http.ResponseWriter, r *http.Request) (auth.Principal, error) {
	who, err := s.authenticate(r)
	if err == nil {
		err = s.limit(w, r, who)
	}
	return who, err
}
