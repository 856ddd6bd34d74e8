// Package auth authenticates requests, by users' sessions and API keys, and checks scopes.
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

	lru "github.com/hashicorp/golang-lru/v2"

	"parley/internal/database"
	"parley/internal/fault"
)

// MinSecret is the least length of the secret that signs access tokens, in
// bytes.
const MinSecret = 32

// Options configures a Service.
type Options struct {
	DB *database.DB
	// Secret signs access tokens.
	Secret []byte
	// KeySecrets hash API keys: the first one new keys, the others only existing keys. Each has at least MinSecret
	// bytes.
	KeySecrets [][]byte
	// Limiter counts requests and failed sign-ins; nil for one in memory.
	Limiter Limiter
	// SessionRateLimit is the limit of requests per minute of a user's sessions; 0 for none.
	SessionRateLimit int
	// MaxKeyRateLimit is the maximum of an API key's limit of requests per minute; 0 for MaxRateLimit.
	MaxKeyRateLimit int
	// PasswordCost is the cost of hashing a password; zero for DefaultPasswordCost.
	PasswordCost PasswordCost
	// Now is the clock of access tokens and of the limiter in memory; nil for time.Now.
	Now func() time.Time
}

// Service signs users in and authenticates requests.
type Service struct {
	db           *database.DB
	secret       []byte
	keySecrets   [][]byte
	limiter      Limiter
	strangers    anonymousLimits
	sessionLimit int
	keyLimit     int
	passwords    passwords
	tenantOfKey  *lru.Cache[string, string] // by the hash of keys that were valid
	now          func() time.Time
}

// strangers is the group of requests, for database.Scope.Queued, whose credentials nobody has presented yet.
const strangers = "strangers"

// rememberedHashes limits the keys whose tenants are known before they are read.
const rememberedHashes = 10_000

// New returns the service.
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
	var err error
	if s.tenantOfKey, err = lru.New[string, string](rememberedHashes); err != nil {
		return nil, fmt.Errorf("remember API keys: %w", err)
	}
	if s.limiter == nil {
		if s.limiter, err = newMemoryLimiter(s.now); err != nil {
			return nil, err
		}
	}
	s.strangers = anonymousLimits{s.limiter, o.Secret}
	return s, nil
}

// Authenticate returns the principal of a bearer credential: an access token of a session that has not ended, with
// the user's current scopes, or an API key. The error's code is authentication_error, invalid_token, token_expired
// or key_revoked.
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
		// Tokens of older nodes may contain fewer scopes than the user has.
		granted.Scopes = slices.DeleteFunc(slices.Clone(who.Scopes), func(scope string) bool { return !granted.CanGrant(scope) })
	}
	who.Scopes = granted.Scopes
	return who, nil
}

// digest returns the stored form of a refresh token: 256 random bits need neither salt nor stretching.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

const (
	maxScopes = 100
	maxScope  = 100 // characters
)

var scopeForm = regexp.MustCompile(`^(\*|[a-z][a-z0-9_-]*:(\*|[a-z][a-z0-9_-]*))$`)

// checkScopes returns scopes without duplicates, and their errors.
func checkScopes(scopes []string) (clean []string, faults []fault.Detail) {
	clean = []string{} // [] in JSON, not null
	if len(scopes) > maxScopes {
		return nil, []fault.Detail{{Field: "scopes", Message: fmt.Sprintf("must have at most %d items", maxScopes)}}
	}
	for i, scope := range scopes {
		field := fmt.Sprintf("scopes[%d]", i)
		if len(scope) > maxScope || !scopeForm.MatchString(scope) {
			faults = append(faults, fault.Detail{Field: field, Message: "must have the form resource:action, resource:* or *"})
		} else if !known(scope) {
			faults = append(faults, fault.Detail{Field: field, Message: "there is no such scope: want one of " + strings.Join(knownScopes(), ", ")})
		} else if !slices.Contains(clean, scope) {
			clean = append(clean, scope)
		}
	}
	return clean, faults
}
