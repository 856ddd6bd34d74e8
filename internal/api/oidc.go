package api

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"parley/internal/api/wire"
	"parley/internal/audit"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/oidc"
)

// Identities is an OpenID Connect provider.
type Identities interface {
	Begin(ctx context.Context) (a oidc.Attempt, url string, err error)
	Finish(ctx context.Context, a oidc.Attempt, code string) (oidc.Identity, error)
}

// SingleSignOn is sign-in at an OpenID Connect provider.
type SingleSignOn struct {
	Provider Identities
	Name     string              // of the provider, on the page to sign in
	Scopes   map[string][]string // by group
	// Tenant returns the id of the users' tenant.
	Tenant func(ctx context.Context) (string, error)
}

const (
	oidcPath     = "/api/v1/auth/oidc"
	callbackPath = oidcPath + "/callback"
	// attemptLifetime is how long a user may take at the provider.
	attemptLifetime = 10 * time.Minute
)

// CallbackPath is the path to which the provider sends browsers back.
const CallbackPath = callbackPath

// attemptCookie has the oidc.Attempt of a browser. It is sent when the provider sends the browser back (SameSite=Lax).
var attemptCookie = sessionCookie{"parley_oidc", callbackPath}

// The reasons why a browser comes back to the page to sign in without a session.
const (
	oidcFailed  = "failed"  // the provider did not answer, refused, or the attempt is not this browser's
	oidcGroups  = "groups"  // none of the user's groups has scopes
	oidcTaken   = "taken"   // another user has the e-mail address
	oidcEmail   = "email"   // no verified e-mail address
	oidcTooMany = "toomany" // requests of the address
)

type signInMethodsBody struct {
	OIDC *oidcMethod `json:"oidc,omitempty" doc:"Sign-in at an OpenID Connect provider; absent without one."`
}

type oidcMethod struct {
	Name string `json:"name" doc:"Name of the provider." example:"single sign-on"`
	URL  string `json:"url" doc:"Path at which a browser begins to sign in." example:"/api/v1/auth/oidc"`
}

func (s *Server) registerSingleSignOn() {
	wire.Register(s.router, wire.Operation{
		ID: "get-sign-in-methods", Method: http.MethodGet, Path: "/api/v1/auth/methods", Tag: "Authentication", Public: true,
		Summary: "Get the ways to sign in", Description: "Users with a password can always sign in with it.",
	}, func(context.Context, auth.Principal, *struct{}) (*wire.Answer[signInMethodsBody], error) {
		var body signInMethodsBody
		if s.deps.SignOn != nil {
			body.OIDC = &oidcMethod{s.deps.SignOn.Name, oidcPath}
		}
		return wire.NewAnswer(body), nil
	})
	if s.deps.SignOn != nil {
		s.mux.HandleFunc("GET "+oidcPath, s.beginSignOn)
		s.mux.HandleFunc("GET "+callbackPath, s.finishSignOn)
	}
}

// beginSignOn sends a browser to the provider.
func (s *Server) beginSignOn(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if err := s.deps.Auth.CountExternal(ctx, wire.ExchangeOf(ctx).Client); err != nil {
		s.refuseSignOn(w, r, oidcTooMany, err)
		return
	}
	attempt, url, err := s.deps.SignOn.Provider.Begin(ctx)
	if err != nil {
		s.refuseSignOn(w, r, oidcFailed, err)
		return
	}
	encoded, err := json.Marshal(attempt)
	if err != nil {
		s.refuseSignOn(w, r, oidcFailed, err)
		return
	}
	s.setAttempt(w, base64.RawURLEncoding.EncodeToString(encoded), attemptLifetime)
	http.Redirect(w, r, url, http.StatusSeeOther)
}

// finishSignOn signs in the user with whom the provider has sent a browser back.
func (s *Server) finishSignOn(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if err := s.deps.Auth.CountExternal(ctx, wire.ExchangeOf(ctx).Client); err != nil {
		s.refuseSignOn(w, r, oidcTooMany, err)
		return
	}
	attempt, err := s.attempt(r)
	if err != nil {
		s.refuseSignOn(w, r, oidcFailed, err)
		return
	}
	s.setAttempt(w, "", -1)
	made, u, err := s.signOn(ctx, attempt, r.FormValue("code"))
	if err != nil {
		reason := oidcFailed
		switch {
		case errors.Is(err, errNoGroup):
			reason = oidcGroups
		case errors.Is(err, auth.ErrTaken):
			reason = oidcTaken
		case errors.Is(err, oidc.ErrEmail):
			reason = oidcEmail
		}
		s.refuseSignOn(w, r, reason, err)
		return
	}
	e := newEntry(ctx, signIn)
	e.TenantID, e.ActorType, e.ActorID, e.ResourceID = u.TenantID, audit.User, u.ID, u.ID
	if err := audit.Write(ctx, s.deps.DB, e); err != nil {
		s.refuseSignOn(w, r, oidcFailed, err)
		return
	}
	s.keepSession(w, r, made)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

var errNoGroup = fault.New(fault.Authorization, "none of the user's groups may sign in")

func (s *Server) signOn(ctx context.Context, attempt oidc.Attempt, code string) (*auth.Session, *auth.User, error) {
	who, err := s.deps.SignOn.Provider.Finish(ctx, attempt, code)
	if err != nil {
		return nil, nil, err
	}
	var scopes []string
	for _, group := range who.Groups {
		for _, scope := range s.deps.SignOn.Scopes[group] {
			if !slices.Contains(scopes, scope) {
				scopes = append(scopes, scope)
			}
		}
	}
	if len(scopes) == 0 {
		return nil, nil, errNoGroup
	}
	tenantID, err := s.deps.SignOn.Tenant(ctx)
	if err != nil {
		return nil, nil, err
	}
	return s.deps.Auth.LoginExternal(ctx, tenantID, auth.External{ID: who.Subject, Email: who.Email, Scopes: scopes})
}

// attempt returns the attempt of a browser that the provider has sent back with its state.
func (s *Server) attempt(r *http.Request) (a oidc.Attempt, err error) {
	value, err := cookieValue(r, attemptCookie.in(s.deps.Secure).name)
	if err != nil {
		return a, err
	}
	encoded, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil || json.Unmarshal(encoded, &a) != nil || a.State == "" || subtle.ConstantTimeCompare([]byte(a.State), []byte(r.FormValue("state"))) != 1 {
		return a, fault.New(fault.Authentication, "the sign-in was not begun by this browser, or too long ago")
	}
	if r.FormValue("code") == "" {
		return a, fault.New(fault.Authentication, "the identity provider refused")
	}
	return a, nil
}

func (s *Server) setAttempt(w http.ResponseWriter, value string, life time.Duration) {
	c := attemptCookie.in(s.deps.Secure)
	age := int(life / time.Second)
	if life < 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: c.name, Value: value, Path: c.path, MaxAge: age, HttpOnly: true, Secure: s.deps.Secure, SameSite: http.SameSiteLaxMode})
}

// refuseSignOn sends a browser to the page to sign in, which says why.
func (s *Server) refuseSignOn(w http.ResponseWriter, r *http.Request, reason string, err error) {
	s.deps.Log.WarnContext(r.Context(), "sign-in at the identity provider failed", "reason", reason, "error", err)
	http.Redirect(w, r, "/sign-in?failed="+reason, http.StatusSeeOther)
}
