package api

import (
	"context"
	"net/http"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

type sessionBody struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	TokenType    string `json:"token_type" enum:"bearer"`
	ExpiresIn    int    `json:"expires_in" doc:"Lifetime of the access token, in seconds." example:"1800"`
}

func session(s *auth.Session) *wire.Answer[sessionBody] {
	return wire.NewAnswer(sessionBody{s.AccessToken, s.RefreshToken, "bearer", int(s.ExpiresIn / time.Second)})
}

// maxSessionBody is in bytes: anybody may send these bodies. Two passwords of 1,024 characters fit, each written as two escapes of 6 bytes.
const maxSessionBody = 32 << 10

// anonymousLimit is what the descriptions of operations without a credential
// say of their limit.
const anonymousLimit = " Requests to sign in and to renew are limited to 120 per minute and address."

// signOutLimit is what the descriptions of signing out say of limits.
const signOutLimit = " A session that exists can always be ended; requests with unknown tokens are limited to 120 per minute and address."

type loginIn struct {
	Body struct {
		Email    string `json:"email" minLength:"1" maxLength:"320" example:"demo@parley.local"`
		Password string `json:"password" minLength:"1" maxLength:"1024" example:"correct horse battery staple"`
	}
}

type refreshIn struct {
	Body struct {
		RefreshToken string `json:"refresh_token" minLength:"1" maxLength:"1024" example:"the-refresh-token-of-the-last-answer"`
	}
}

type meBody struct {
	User   wire.Nullable[userBody] `json:"user" doc:"The signed-in user; null for an API key."`
	Tenant struct {
		ID   string `json:"id" format:"uuid"`
		Name string `json:"name"`
	} `json:"tenant"`
	Scopes []string `json:"scopes"`
}

func (s *Server) registerSessions() {
	wire.Register(s.router, wire.Operation{
		ID: "login", Method: http.MethodPost, Path: "/api/v1/auth/login", Tag: "Authentication", Public: true,
		Summary:     "Sign in",
		Description: "Failed sign-ins are limited per minute: 10 for an account from one address, 100 for an account in total, 30 from one address, 120 from its /24 (IPv6: /48) and 480 from its /16 (/32). Only the first limit applies in networks from which the account signed in within 90 days. While too many passwords are being checked, others get 503 with `Retry-After`." + anonymousLimit,
		MaxBody:     maxSessionBody,
		Errors:      []fault.Code{fault.Authentication, fault.RateLimitExceeded, fault.ServiceUnavailable},
		Action:      signIn,
	}, func(ctx context.Context, _ auth.Principal, in *loginIn) (*wire.Answer[sessionBody], error) {
		made, err := s.signIn(ctx, in.Body.Email, in.Body.Password)
		if err != nil {
			return nil, err
		}
		return session(made), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "refresh", Method: http.MethodPost, Path: "/api/v1/auth/refresh", Tag: "Authentication", Public: true,
		Summary:     "Renew a session",
		Description: "Returns a new access and refresh token; the given refresh token is used up. For 10 seconds the same client (same address and `User-Agent`) can use it again, so that two tabs of a browser can renew the session concurrently. Using it later, or from another client, ends the session." + anonymousLimit,
		MaxBody:     maxSessionBody,
		Errors:      []fault.Code{fault.InvalidToken, fault.TokenExpired, fault.RateLimitExceeded}, Unaudited: true,
	}, func(ctx context.Context, _ auth.Principal, in *refreshIn) (*wire.Answer[sessionBody], error) {
		x := wire.ExchangeOf(ctx)
		made, err := s.deps.Auth.Refresh(ctx, in.Body.RefreshToken, auth.Client{Address: x.Client, UserAgent: x.UserAgent})
		if err != nil {
			return nil, err
		}
		return session(made), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "logout", Method: http.MethodPost, Path: "/api/v1/auth/logout", Tag: "Authentication", Public: true,
		Summary:     "Sign out",
		Description: "Ends the session of a refresh token: all refresh and access tokens of the same sign-in become invalid." + signOutLimit,
		MaxBody:     maxSessionBody,
		Errors:      []fault.Code{fault.RateLimitExceeded},
		Action:      signOut,
	}, func(ctx context.Context, _ auth.Principal, in *refreshIn) (*wire.Empty, error) {
		who, err := s.deps.Auth.Logout(ctx, in.Body.RefreshToken, wire.ExchangeOf(ctx).Client)
		if err != nil {
			return nil, err
		}
		auditUser(ctx, who)
		return nil, nil
	})
	s.registerCookieSessions()
	wire.Register(s.router, wire.Operation{
		ID: "me", Method: http.MethodGet, Path: "/api/v1/auth/me", Tag: "Authentication",
		Summary:     "Get the current user and tenant",
		Description: "Returns the user of the session (null for an API key), the tenant, and the scopes of the credential.",
	}, s.me)
}

// signIn signs a user in, for the audit log too.
func (s *Server) signIn(ctx context.Context, email, password string) (*auth.Session, error) {
	made, err := s.deps.Auth.Login(ctx, email, password, wire.ExchangeOf(ctx).Client)
	if fault.Is(err, fault.Authentication) {
		go s.auditFailedSignIn(database.WithoutHold(context.WithoutCancel(ctx)), email) // in the background, because its duration would reveal whether the user exists
	}
	if err != nil {
		return nil, err
	}
	who, err := s.deps.Auth.VerifyAccessToken(made.AccessToken)
	if err != nil {
		return nil, err
	}
	auditUser(ctx, who)
	return made, nil
}

func (s *Server) me(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Answer[meBody], error) {
	var out wire.Answer[meBody]
	owner, err := tenant.Get(ctx, s.deps.DB, who.TenantID)
	if err != nil {
		return nil, err
	}
	out.Body.Tenant.ID, out.Body.Tenant.Name = owner.ID, owner.Name
	out.Body.Scopes = who.Scopes
	if who.Session {
		u, err := s.deps.Auth.User(ctx, who)
		if err != nil {
			return nil, err
		}
		body := wireUser(u)
		out.Body.User.Value = &body
	}
	return &out, nil
}
