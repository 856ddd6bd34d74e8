// Package auth knows who makes a request: users with their sessions, and API
// keys. It says what they may do, not what an operation needs.
package auth

import (
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
)

// MinSecret is the least length of the secret that signs access tokens, in
// bytes.
const MinSecret = 32

// Options are what the service is made of.
type Options struct {
	DB *database.DB
	// Secret signs access tokens.
	Secret []byte
	// Limiter counts failed sign-ins; nil for one in this process's memory.
	Limiter Limiter
	// Now is the time that access tokens are made and judged by; nil for
	// time.Now.
	Now func() time.Time
}

// Service signs users in and tells who a credential belongs to.
type Service struct {
	db        *database.DB
	secret    []byte
	throttle  throttle
	passwords passwords
	now       func() time.Time
}

// New makes the service.
func New(o Options) (*Service, error) {
	if len(o.Secret) < MinSecret {
		return nil, fmt.Errorf("the secret of access tokens has %d bytes, want at least %d", len(o.Secret), MinSecret)
	}
	s := &Service{db: o.DB, secret: o.Secret, passwords: newPasswords(), now: o.Now}
	if s.now == nil {
		s.now = time.Now
	}
	if o.Limiter == nil {
		limiter, err := NewMemoryLimiter()
		if err != nil {
			return nil, err
		}
		o.Limiter = limiter
	}
	s.throttle = throttle{o.Limiter}
	return s, nil
}

// Authenticate tells who a bearer credential belongs to: an access token or an
// API key. The error has the code authentication_error, invalid_token,
// token_expired or key_revoked.
func (s *Service) Authenticate(ctx context.Context, credential string) (Principal, error) {
	if strings.HasPrefix(credential, keyPrefix) {
		return s.AuthenticateKey(ctx, credential)
	}
	return s.VerifyAccessToken(credential)
}

// digest is what is stored of a secret that we made: 256 random bits need no
// salt and no stretching. It is not keyed with the secret of access tokens,
// for a rotation of that one must not end every API key.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

const (
	maxScopes = 100
	maxScope  = 100 // characters
)

var scopeForm = regexp.MustCompile(`^(\*|[a-z][a-z0-9_-]*:(\*|[a-z][a-z0-9_-]*))$`)

// checkScopes returns scopes without repetitions, and what is wrong with them.
func checkScopes(scopes []string) (clean []string, faults []fault.Detail) {
	clean = []string{} // [] in JSON, not null
	if len(scopes) > maxScopes {
		return nil, []fault.Detail{{Field: "scopes", Message: fmt.Sprintf("must have at most %d items", maxScopes)}}
	}
	for i, scope := range scopes {
		if len(scope) > maxScope || !scopeForm.MatchString(scope) {
			faults = append(faults, fault.Detail{Field: fmt.Sprintf("scopes[%d]", i), Message: "must have the form resource:action, resource:* or *"})
		} else if !slices.Contains(clean, scope) {
			clean = append(clean, scope)
		}
	}
	return clean, faults
}
