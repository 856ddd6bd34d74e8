package api

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
)

// The session of a browser is in two cookies that no script can read. The
// browser sends the refresh token only to the operations below.
const (
	accessCookie  = "parley_access"
	refreshCookie = "parley_refresh"
	accessPath    = "/api"
	sessionPath   = "/api/v1/auth/session"
)

// requestedByHeader is required of requests that change something by cookie.
// Another origin's page cannot send it without being allowed to (CORS).
const requestedByHeader = "X-Requested-By"

// aboutCookies is what the descriptions of the operations say of cookies.
const aboutCookies = " For web pages that this server serves: the request needs the header `X-Requested-By`, with any value, and must come from the server's own origin."

type cookieSessionBody struct {
	ExpiresIn int `json:"expires_in" doc:"Time until the session has to be renewed, in seconds." example:"1800"`
}

// cookieIn is the input of an operation that reads or sets cookies.
type cookieIn struct {
	request *http.Request
	writer  http.ResponseWriter
}

// Resolve keeps the exchange; huma calls it before the operation.
func (in *cookieIn) Resolve(ctx huma.Context) []error {
	in.request, in.writer = humago.Unwrap(ctx)
	return nil
}

type cookieLoginIn struct {
	cookieIn
	loginIn
}

func (s *Server) registerCookieSessions() {
	wire.Register(s.router, wire.Operation{
		ID: "create-session", Method: http.MethodPost, Path: sessionPath, Tag: "Authentication", Public: true,
		Summary: "Sign in with cookies",
		Description: "Signs in as `POST /api/v1/auth/login` does, and stores the session in cookies that scripts cannot read (`HttpOnly`, `SameSite=Strict`, `Secure` over https). " +
			"Requests without another credential are then made with them; those that change something need the header `X-Requested-By`." + aboutCookies + anonymousLimit,
		MaxBody: maxSessionBody,
		Errors:  []fault.Code{fault.Authentication, fault.Authorization, fault.RateLimitExceeded},
		Action:  signIn,
	}, func(ctx context.Context, _ auth.Principal, in *cookieLoginIn) (*wire.Answer[cookieSessionBody], error) {
		if err := checkOwnPage(in.request); err != nil {
			return nil, err
		}
		made, err := s.signIn(ctx, in.Body.Email, in.Body.Password)
		if err != nil {
			return nil, err
		}
		return s.keepSession(in.writer, made), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "refresh-session", Method: http.MethodPost, Path: sessionPath + "/refresh", Tag: "Authentication", Public: true,
		Summary:     "Renew a session with cookies",
		Description: "Renews the session in the cookies as `POST /api/v1/auth/refresh` does." + aboutCookies + anonymousLimit,
		Errors:      []fault.Code{fault.InvalidToken, fault.TokenExpired, fault.Authorization, fault.RateLimitExceeded}, Unaudited: true,
	}, func(ctx context.Context, _ auth.Principal, in *cookieIn) (*wire.Answer[cookieSessionBody], error) {
		if err := checkOwnPage(in.request); err != nil {
			return nil, err
		}
		x := wire.ExchangeOf(ctx)
		made, err := s.deps.Auth.Refresh(ctx, cookieValue(in.request, refreshCookie), auth.Client{Address: x.Client, UserAgent: x.UserAgent})
		if err != nil {
			return nil, err
		}
		return s.keepSession(in.writer, made), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "delete-session", Method: http.MethodDelete, Path: sessionPath, Tag: "Authentication", Public: true,
		Summary:     "Sign out with cookies",
		Description: "Ends the session in the cookies, in all tabs, and removes the cookies." + aboutCookies + anonymousLimit,
		Errors:      []fault.Code{fault.Authorization, fault.RateLimitExceeded},
		Action:      signOut,
	}, func(ctx context.Context, _ auth.Principal, in *cookieIn) (*wire.Empty, error) {
		if err := checkOwnPage(in.request); err != nil {
			return nil, err
		}
		who, err := s.deps.Auth.Logout(ctx, cookieValue(in.request, refreshCookie), wire.ExchangeOf(ctx).Client)
		if err != nil {
			return nil, err
		}
		auditUser(ctx, who)
		s.setCookie(in.writer, accessCookie, accessPath, "", -1)
		s.setCookie(in.writer, refreshCookie, sessionPath, "", -1)
		return nil, nil
	})
}

// keepSession sets the cookies of a session.
func (s *Server) keepSession(w http.ResponseWriter, made *auth.Session) *wire.Answer[cookieSessionBody] {
	s.setCookie(w, accessCookie, accessPath, made.AccessToken, made.ExpiresIn)
	s.setCookie(w, refreshCookie, sessionPath, made.RefreshToken, auth.RefreshLifetime)
	return wire.NewAnswer(cookieSessionBody{int(made.ExpiresIn / time.Second)})
}

// setCookie sets a cookie for a while; a negative one removes it.
func (s *Server) setCookie(w http.ResponseWriter, name, path, value string, life time.Duration) {
	age := int(life / time.Second)
	if life < 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: path, MaxAge: age, HttpOnly: true, Secure: s.deps.Secure, SameSite: http.SameSiteStrictMode,
	})
}

// cookieValue returns the value of a request's cookie, "" without it.
func cookieValue(r *http.Request, name string) string {
	cookie, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// cookieToken returns the access token that a request carries in its cookie, "" for
// none. The cookie of a request that another origin's page may have caused does
// not count.
func cookieToken(r *http.Request) string {
	if checkOwnPage(r) != nil {
		return ""
	}
	return cookieValue(r, accessCookie)
}

var errNotOwnPage = fault.New(fault.Authorization, "a session in cookies is for pages of this server alone, which send the header X-Requested-By")

// checkOwnPage refuses, with errNotOwnPage, requests that may come from a page of another origin.
// Browsers say where a request comes from in Sec-Fetch-Site, older ones in
// Origin; what changes something needs X-Requested-By besides.
func checkOwnPage(r *http.Request) error {
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	switch {
	case site == "same-origin", site == "none" && safe:
	case site != "", origin != "" && !sameHost(origin, r.Host):
		return errNotOwnPage
	}
	if !safe && r.Header.Get(requestedByHeader) == "" {
		return errNotOwnPage
	}
	return nil
}

func sameHost(origin, host string) bool {
	parsed, err := url.Parse(origin)
	return err == nil && parsed.Host == host
}
