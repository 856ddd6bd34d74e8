package auth

import (
	"context"
	"net/netip"
)

// For tests of other time than the wall's.
var (
	NewMemoryLimiterAt = newMemoryLimiter
	NewRedisLimiterAt  = newRedisLimiter
)

// NewThrottle returns the limits of unauthenticated requests.
func NewThrottle(limiter Limiter, secret []byte) anonymousLimits {
	return anonymousLimits{limiter, secret}
}

// Attempt counts a sign-in.
func (t anonymousLimits) Attempt(ctx context.Context, account string, from netip.Addr) (func(), error) {
	return t.attempt(ctx, account, from, false)
}

// CountRequest counts a request without a credential.
func (t anonymousLimits) CountRequest(ctx context.Context, from netip.Addr) error {
	return t.countRequest(ctx, from)
}

// How Redis is asked.
const (
	RedisTimeout = redisTimeout
	RedisRetry   = redisRetry
	RedisSettled = redisSettled
)

// UnknownAccountHash is what the password of an unknown account is compared
// with.
func (s *Service) UnknownAccountHash() string { return s.passwords.nobody }
