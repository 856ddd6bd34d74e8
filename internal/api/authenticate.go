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
	var who auth.Principal
	var err error
	scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	bearer = strings.TrimSpace(bearer)
	switch key := r.Header.Get("X-API-Key"); {
	case key != "":
		who, err = s.deps.Auth.AuthenticateKey(r.Context(), key)
	case strings.EqualFold(scheme, "Bearer") && bearer != "":
		who, err = s.deps.Auth.Authenticate(r.Context(), bearer)
	default:
		if token := cookieToken(r); token != "" {
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

// authenticateLimited authenticates a request and counts it against its
// caller's limit.
func (s *Server) authenticateLimited(w http.ResponseWriter, r *http.Request) (auth.Principal, error) {
	who, err := s.authenticate(r)
	if err == nil {
		err = s.limit(w, r, who)
	}
	return who, err
}
