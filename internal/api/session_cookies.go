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

// sessionCookie is one of the two cookies of a browser's session, which no script can read.
type sessionCookie struct{ name, path string }

var (
	accessCookie  = sessionCookie{"parley_access", "/api"}
	refreshCookie = sessionCookie{"parley_refresh", sessionPath}
)

const (
	sessionPath = "/api/v1/auth/session"
	// hostPrefix is the prefix of the cookies' names over https. Browsers let no other host, such as one of the same domain, set
	// such a cookie, and require the path /.
	hostPrefix = "__Host-"
)

// in returns the cookie as it is over https, or else over http.
func (c sessionCookie) in(secure bool) sessionCookie {
	if secure {
		return sessionCookie{hostPrefix + c.name, "/"}
	}
	return c
}

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
		Description: "Signs in as `POST /api/v1/auth/login` does, and stores the session in cookies that scripts cannot read (`HttpOnly`, `SameSite=Strict`, `Secure` and named `__Host-` over https). " +
			"Requests without another credential are then made with them; those that change something need the header `X-Requested-By`." + aboutCookies + anonymousLimit,
		MaxBody: maxSessionBody,
		Errors:  []fault.Code{fault.Authentication, fault.Authorization, fault.RateLimitExceeded, fault.ServiceUnavailable},
		Action:  signIn,
	}, s.createSession)
	wire.Register(s.router, wire.Operation{
		ID: "refresh-session", Method: http.MethodPost, Path: sessionPath + "/refresh", Tag: "Authentication", Public: true,
		Summary:     "Renew a session with cookies",
		Description: "Renews the session in the cookies as `POST /api/v1/auth/refresh` does." + aboutCookies + anonymousLimit,
		Errors:      []fault.Code{fault.InvalidToken, fault.TokenExpired, fault.Authorization, fault.RateLimitExceeded}, Unaudited: true,
	}, s.refreshSession)
	wire.Register(s.router, wire.Operation{
		ID: "delete-session", Method: http.MethodDelete, Path: sessionPath, Tag: "Authentication", Public: true,
		Summary:     "Sign out with cookies",
		Description: "Ends the session in the cookies, in all tabs, and removes the cookies." + aboutCookies + signOutLimit,
		Errors:      []fault.Code{fault.Authorization, fault.RateLimitExceeded},
		Action:      signOut,
	}, s.deleteSession)
}

func (s *Server) createSession(ctx context.Context, _ auth.Principal, in *cookieLoginIn) (*wire.Answer[cookieSessionBody], error) {
	if err := s.checkOwnPage(in.request); err != nil {
		return nil, err
	}
	made, err := s.signIn(ctx, in.Body.Email, in.Body.Password)
	if err != nil {
		return nil, err
	}
	return s.keepSession(in.writer, in.request, made), nil
}

func (s *Server) refreshSession(ctx context.Context, _ auth.Principal, in *cookieIn) (*wire.Answer[cookieSessionBody], error) {
	if err := s.checkOwnPage(in.request); err != nil {
		return nil, err
	}
	token, err := s.refreshToken(ctx, in.request)
	if err != nil {
		return nil, err
	}
	x := wire.ExchangeOf(ctx)
	made, err := s.deps.Auth.Refresh(ctx, token, auth.Client{Address: x.Client, UserAgent: x.UserAgent})
	if err != nil {
		return nil, err
	}
	return s.keepSession(in.writer, in.request, made), nil
}

// deleteSession ends the session of every refresh cookie that the request has: of several, one may be planted.
func (s *Server) deleteSession(ctx context.Context, _ auth.Principal, in *cookieIn) (*wire.Empty, error) {
	if err := s.checkOwnPage(in.request); err != nil {
		return nil, err
	}
	cookies := in.request.CookiesNamed(refreshCookie.in(s.deps.Secure).name)
	if s.deps.Secure {
		cookies = append(cookies, in.request.CookiesNamed(refreshCookie.name)...)
	}
	var failure error
	for _, cookie := range cookies[:min(len(cookies), maxSignedOut)] {
		who, err := s.deps.Auth.Logout(ctx, cookie.Value, wire.ExchangeOf(ctx).Client)
		if err != nil {
			failure = err
		} else if who.TenantID != "" {
			auditUser(ctx, who)
		}
	}
	if failure != nil && !fault.Is(failure, fault.RateLimitExceeded) { // above that limit the session does not exist
		return nil, failure
	}
	for _, cookie := range []sessionCookie{accessCookie, refreshCookie} {
		setCookie(in.writer, cookie.in(s.deps.Secure), "", -1, s.deps.Secure)
	}
	s.removeUnprefixed(in.writer, in.request)
	return nil, failure
}

// maxSignedOut limits how many refresh cookies of a request are looked up.
const maxSignedOut = 4

// refreshToken returns the refresh token in a request's cookie, "" for none. Over https the cookie without prefix counts for
// sessions that began before cookies had it: any host of the domain can set that one.
func (s *Server) refreshToken(ctx context.Context, r *http.Request) (string, error) {
	token, err := cookieValue(r, refreshCookie.in(s.deps.Secure).name)
	if err != nil {
		return "", err
	}
	if token != "" || !s.deps.Secure {
		return token, nil
	}
	if token, err = cookieValue(r, refreshCookie.name); err != nil || token == "" {
		return "", err
	}
	if before, err := s.deps.Auth.PrecedesCookiePrefix(ctx, token); err != nil || !before {
		return "", err
	}
	return token, nil
}

// keepSession sets the cookies of a session.
func (s *Server) keepSession(w http.ResponseWriter, r *http.Request, made *auth.Session) *wire.Answer[cookieSessionBody] {
	setCookie(w, accessCookie.in(s.deps.Secure), made.AccessToken, made.ExpiresIn, s.deps.Secure)
	setCookie(w, refreshCookie.in(s.deps.Secure), made.RefreshToken, auth.RefreshLifetime, s.deps.Secure)
	s.removeUnprefixed(w, r)
	return wire.NewAnswer(cookieSessionBody{int(made.ExpiresIn / time.Second)})
}

// removeUnprefixed removes, over https, the cookies that a version before set without prefix.
func (s *Server) removeUnprefixed(w http.ResponseWriter, r *http.Request) {
	if !s.deps.Secure {
		return
	}
	for _, cookie := range []sessionCookie{accessCookie, refreshCookie} {
		if len(r.CookiesNamed(cookie.name)) > 0 {
			setCookie(w, cookie, "", -1, true)
		}
	}
}

// setCookie sets a cookie for a while; a negative one removes it.
func setCookie(w http.ResponseWriter, c sessionCookie, value string, life time.Duration, secure bool) {
	age := int(life / time.Second)
	if life < 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: c.name, Value: value, Path: c.path, MaxAge: age, HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode,
	})
}

// cookieValue returns the value of a request's cookie, "" without it. Several of the same name are an error: hosts of the same domain
// can add cookies to those of this server, and nothing says which came from where.
func cookieValue(r *http.Request, name string) (string, error) {
	cookies := r.CookiesNamed(name)
	switch len(cookies) {
	case 0:
		return "", nil
	case 1:
		return cookies[0].Value, nil
	}
	return "", fault.New(fault.InvalidToken, "the request has more than one cookie %s: remove the cookies of this site and sign in again", name)
}

// cookieToken returns the access token that a request carries in its cookie, "" for
// none. The cookie of a request that another origin's page may have caused does
// not count.
func (s *Server) cookieToken(r *http.Request) (string, error) {
	if !s.isOwnPage(r) {
		return "", nil
	}
	return cookieValue(r, accessCookie.in(s.deps.Secure).name)
}

var errNotOwnPage = fault.New(fault.Authorization, "a session in cookies is for pages of this server alone, which send the header X-Requested-By")

// checkOwnPage refuses, with errNotOwnPage, requests that may come from a page of another origin.
func (s *Server) checkOwnPage(r *http.Request) error {
	if !s.isOwnPage(r) {
		return errNotOwnPage
	}
	return nil
}

// isOwnPage reports whether a request cannot come from a page of another origin.
// Browsers say where a request comes from in Sec-Fetch-Site, older ones in
// Origin; what changes something needs X-Requested-By besides.
func (s *Server) isOwnPage(r *http.Request) bool {
	safe := r.Method == http.MethodGet || r.Method == http.MethodHead
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	switch {
	case site == "same-origin", site == "none" && safe:
	case site != "", origin != "" && !s.isOwnOrigin(origin, r.Host):
		return false
	}
	return safe || r.Header.Get(requestedByHeader) != ""
}

// isOwnOrigin reports whether an origin is this server's. An http page of its host is not, where the server is reached over https:
// whoever is on the network can make one.
func (s *Server) isOwnOrigin(origin, host string) bool {
	parsed, err := url.Parse(origin)
	return err == nil && parsed.Host == host && (parsed.Scheme == "https" || !s.deps.Secure)
}
