package api

import (
	"context"
	"net/http"
	"time"

	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

type sessionBody struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	TokenType    string `json:"token_type" enum:"bearer"`
	ExpiresIn    int    `json:"expires_in" doc:"Seconds until the access token expires." example:"1800"`
}

func session(s *auth.Session) *answer[sessionBody] {
	return &answer[sessionBody]{sessionBody{s.AccessToken, s.RefreshToken, "bearer", int(s.ExpiresIn / time.Second)}}
}

// maxSessionBody is in bytes: anybody may send these bodies.
const maxSessionBody = 8 << 10

// anonymousLimit is what the descriptions of operations without a credential
// say of their limit.
const anonymousLimit = " An address may make 120 requests a minute to log in, refresh and log out in all."

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
	User   nullable[userBody] `json:"user" doc:"null for an API key."`
	Tenant struct {
		ID   string `json:"id" format:"uuid"`
		Name string `json:"name"`
	} `json:"tenant"`
	Scopes []string `json:"scopes"`
}

type userBody struct {
	ID        string `json:"id" format:"uuid"`
	Email     string `json:"email"`
	CreatedAt Time   `json:"created_at"`
}

func (s *Server) registerSessions() {
	register(s.router, operation{
		ID: "login", Method: http.MethodPost, Path: "/api/v1/auth/login", Tag: "Authentication", Public: true,
		Summary:     "Sign in",
		Description: "After 10 failed sign-ins a minute for an account from one address, 100 for an account in all, or 30 from an address, further ones are refused for a while." + anonymousLimit,
		MaxBody:     maxSessionBody,
		Errors:      []fault.Code{fault.Authentication, fault.RateLimitExceeded},
		Action:      signIn,
	}, func(ctx context.Context, _ auth.Principal, in *loginIn) (*answer[sessionBody], error) {
		made, err := s.signIn(ctx, in.Body.Email, in.Body.Password)
		if err != nil {
			return nil, err
		}
		return session(made), nil
	})
	register(s.router, operation{
		ID: "refresh", Method: http.MethodPost, Path: "/api/v1/auth/refresh", Tag: "Authentication", Public: true,
		Summary:     "Renew a session",
		Description: "Answers a new access and refresh token, and the one sent is used up. For 10 seconds the same client, by its address and `User-Agent`, may send it again and gets new tokens of the same session, so that two tabs of a browser can renew it at once. Sent later, or by another client, it ends the session." + anonymousLimit,
		MaxBody:     maxSessionBody,
		Errors:      []fault.Code{fault.InvalidToken, fault.TokenExpired, fault.RateLimitExceeded}, Unaudited: true,
	}, func(ctx context.Context, _ auth.Principal, in *refreshIn) (*answer[sessionBody], error) {
		x := exchangeOf(ctx)
		made, err := s.deps.Auth.Refresh(ctx, in.Body.RefreshToken, auth.Client{Address: x.client, UserAgent: x.userAgent})
		if err != nil {
			return nil, err
		}
		return session(made), nil
	})
	register(s.router, operation{
		ID: "logout", Method: http.MethodPost, Path: "/api/v1/auth/logout", Tag: "Authentication", Public: true,
		Summary:     "Sign out",
		Description: "Ends the session of a refresh token: all refresh and access tokens that came from the same sign-in are no longer valid." + anonymousLimit,
		MaxBody:     maxSessionBody,
		Errors:      []fault.Code{fault.RateLimitExceeded},
		Action:      signOut,
	}, func(ctx context.Context, _ auth.Principal, in *refreshIn) (*empty, error) {
		who, err := s.deps.Auth.Logout(ctx, in.Body.RefreshToken, exchangeOf(ctx).client)
		if err != nil {
			return nil, err
		}
		auditUser(ctx, who)
		return nil, nil
	})
	s.registerCookieSessions()
	register(s.router, operation{
		ID: "me", Method: http.MethodGet, Path: "/api/v1/auth/me", Tag: "Authentication",
		Summary:     "Who the credential belongs to",
		Description: "The user of a session, null for an API key; the tenant, and the scopes that the credential holds.",
	}, s.me)
}

// signIn signs a user in, for the audit log too.
func (s *Server) signIn(ctx context.Context, email, password string) (*auth.Session, error) {
	made, err := s.deps.Auth.Login(ctx, email, password, exchangeOf(ctx).client)
	if fault.Is(err, fault.Authentication) {
		go s.auditFailedSignIn(database.WithoutHold(context.WithoutCancel(ctx)), email) // how long it takes tells whether there is such a user
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

func (s *Server) me(ctx context.Context, who auth.Principal, _ *struct{}) (*answer[meBody], error) {
	var out answer[meBody]
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
		out.Body.User.value = &userBody{u.ID, u.Email, Time(u.CreatedAt)}
	}
	return &out, nil
}
