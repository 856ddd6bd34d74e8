package auth

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"parley/internal/fault"
)

// AccessLifetime is how long an access token is valid.
const AccessLifetime = 30 * time.Minute

const accessType = "access"

// claims are an access token's claims.
type claims struct {
	Subject  string           `json:"sub"` // the user
	TenantID string           `json:"tenant_id"`
	Type     string           `json:"type"`
	Scopes   []string         `json:"scopes"`
	Session  string           `json:"sid,omitempty"` // the family of its refresh tokens; absent in tokens of older nodes
	Expires  *jwt.NumericDate `json:"exp"`
	Issued   *jwt.NumericDate `json:"iat"`
}

func (c claims) GetExpirationTime() (*jwt.NumericDate, error) { return c.Expires, nil }
func (c claims) GetIssuedAt() (*jwt.NumericDate, error)       { return c.Issued, nil }
func (c claims) GetNotBefore() (*jwt.NumericDate, error)      { return nil, nil }
func (c claims) GetIssuer() (string, error)                   { return "", nil }
func (c claims) GetSubject() (string, error)                  { return c.Subject, nil }
func (c claims) GetAudience() (jwt.ClaimStrings, error)       { return nil, nil }

func (s *Service) accessToken(u *User, session string) (string, error) {
	now := s.now()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		Subject: u.ID, TenantID: u.TenantID, Type: accessType, Scopes: u.Scopes, Session: session,
		Expires: jwt.NewNumericDate(now.Add(AccessLifetime)), Issued: jwt.NewNumericDate(now),
	}).SignedString(s.secret)
	if err != nil {
		return "", fmt.Errorf("sign access token: %w", err)
	}
	return token, nil
}

// VerifyAccessToken returns the claims of an access token, whose session may have ended since. An expired token
// with a valid signature is token_expired, anything else invalid_token.
func (s *Service) VerifyAccessToken(token string) (Principal, error) {
	var c claims
	_, err := jwt.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return s.secret, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithExpirationRequired(), jwt.WithTimeFunc(s.now))
	// The signature is checked before the claims: an expired token has a valid one.
	if err != nil && !(errors.Is(err, jwt.ErrTokenExpired) && !errors.Is(err, jwt.ErrTokenSignatureInvalid)) ||
		c.Type != accessType || uuid.Validate(c.Subject) != nil || uuid.Validate(c.TenantID) != nil {
		return Principal{}, fault.New(fault.InvalidToken, "the access token is not valid")
	}
	if err != nil {
		return Principal{}, fault.New(fault.TokenExpired, "the access token has expired")
	}
	return Principal{TenantID: c.TenantID, UserID: c.Subject, SessionID: c.Session, Scopes: c.Scopes, Livemode: true, Session: true, RateLimit: s.sessionLimit}, nil
}
