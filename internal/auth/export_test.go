package auth

// For tests of other time than the wall's.
var (
	NewMemoryLimiterAt = newMemoryLimiter
	NewRedisLimiterAt  = newRedisLimiter
)

// How Redis is asked.
const (
	RedisTimeout = redisTimeout
	RedisRetry   = redisRetry
	RedisWarning = redisWarning
)

// UnknownAccountHash is what the password of an unknown account is compared
// with.
func (s *Service) UnknownAccountHash() string { return s.passwords.nobody }
