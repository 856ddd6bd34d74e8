// Package auth knows who makes a request: users with their sessions, and API
// keys. It says what they may do, not what an operation needs.
package auth

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
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
	// KeySecrets make what is stored of an API key: new ones with the first,
	// and those made with another are found as well. Each has MinSecret bytes
	// at least.
	KeySecrets [][]byte
	// Limiter counts requests and failed sign-ins; nil for one in this
	// process's memory.
	Limiter Limiter
	// SessionRateLimit is how many requests a minute a user's sessions may
	// make; 0 for any number.
	SessionRateLimit int
	// MaxKeyRateLimit is how many requests a minute an API key may make at most,
	// whatever its own limit is; 0 for MaxRateLimit.
	MaxKeyRateLimit int
	// PasswordCost is the cost of hashing a password; zero for
	// DefaultPasswordCost. Tests set it low.
	PasswordCost PasswordCost
	// Now is the clock of access tokens and of the limiter in this process's
	// memory; nil for time.Now.
	Now func() time.Time
}

// Service signs users in and tells who a credential belongs to.
type Service struct {
	db           *database.DB
	secret       []byte
	keySecrets   [][]byte
	limiter      Limiter
	strangers    throttle
	sessionLimit int
	keyLimit     int
	passwords    passwords
	now          func() time.Time
}

// New makes the service.
func New(o Options) (*Service, error) {
	if len(o.Secret) < MinSecret {
		return nil, fmt.Errorf("the secret of access tokens has %d bytes, want at least %d", len(o.Secret), MinSecret)
	}
	if len(o.KeySecrets) == 0 {
		return nil, errors.New("there is no secret of API keys")
	}
	for _, secret := range o.KeySecrets {
		if len(secret) < MinSecret {
			return nil, fmt.Errorf("a secret of API keys has %d bytes, want at least %d", len(secret), MinSecret)
		}
	}
	s := &Service{db: o.DB, secret: o.Secret, keySecrets: o.KeySecrets, limiter: o.Limiter, sessionLimit: o.SessionRateLimit, keyLimit: cmp.Or(o.MaxKeyRateLimit, MaxRateLimit), passwords: newPasswords(o.PasswordCost), now: o.Now}
	if s.now == nil {
		s.now = time.Now
	}
	if s.limiter == nil {
		var err error
		if s.limiter, err = newMemoryLimiter(s.now); err != nil {
			return nil, err
		}
	}
	s.strangers = throttle{s.limiter, o.Secret}
	return s, nil
}

// Authenticate returns who a bearer credential belongs to: the access token of
// a session that has not ended, with the scopes that its user has now, or an
// API key. The error has the code authentication_error, invalid_token,
// token_expired or key_revoked.
func (s *Service) Authenticate(ctx context.Context, credential string) (Principal, error) {
	if strings.HasPrefix(credential, keyPrefix) {
		return s.AuthenticateKey(ctx, credential)
	}
	who, err := s.VerifyAccessToken(credential)
	if err != nil {
		return Principal{}, err
	}
	u, err := s.User(ctx, who)
	if err != nil {
		return Principal{}, err
	}
	granted := Principal{Scopes: u.Scopes}
	if who.SessionID == "" && !slices.Contains(who.Scopes, "*") {
		// The token of an older node may hold less than its user does.
		granted.Scopes = slices.DeleteFunc(slices.Clone(who.Scopes), func(scope string) bool { return !granted.CanGrant(scope) })
	}
	who.Scopes = granted.Scopes
	return who, nil
}

// digest is what is stored of a refresh token: 256 random bits need no salt
// and no stretching.
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
