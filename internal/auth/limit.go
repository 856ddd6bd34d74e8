package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"

	"parley/internal/fault"
)

// Limiter limits each key to a number of requests per minute (generic cell rate algorithm): all may be used at
// once, and each is available again after a minute divided by their number.
type Limiter interface {
	// Take uses count of a key's limit, or returns it if negative. If it does not fit, nothing is used and
	// Allowance.Wait says when it will.
	Take(ctx context.Context, key string, perMinute, count int) (Allowance, error)
}

// Allowance is the state of a key's limit. The zero Allowance means no limit.
type Allowance struct {
	Limit     int           // requests a minute
	Remaining int           // that fit now
	Reset     time.Duration // until all of Limit fit
	Wait      time.Duration // until the request fits; 0 if it did
}

// rememberedKeys limits each store of the memory limiter, to about 10 MB: the least recently used keys are evicted.
const rememberedKeys = 50_000

// kinds are the key prefixes with their own store; the first match counts. Keys of authenticated principals
// are separate from those that anybody can invent, so that these cannot evict them. A store also holds all counters
// of the throttle's kinds, subjectCounters each, without eviction.
var kinds = [][]string{
	{"key ", "user ", "tenant "},
	{sessionRequests, addressSignIns, unknownLogouts},
	{nearSignIns, wideSignIns},
	{accountSignIns, accountAndAddress},
	{publicRequests, publicCalls}, // and publicCallsFrom
	{""},                          // all others
}

// casAttempts limits the attempts of a compare-and-swap among concurrent requests of one key; each lasts less than a
// microsecond.
const casAttempts = 10_000

// NewMemoryLimiter returns a limiter in this process's memory.
func NewMemoryLimiter() (Limiter, error) { return newMemoryLimiter(time.Now) }

func newMemoryLimiter(now func() time.Time) (Limiter, error) {
	var l memoryLimiter
	for range kinds {
		store, err := memstore.New(rememberedKeys)
		if err != nil {
			return nil, fmt.Errorf("make rate limiter: %w", err)
		}
		store.SetTimeNow(now)
		l.stores = append(l.stores, throttled.WrapStoreWithContext(store))
	}
	return l, nil
}

// memoryLimiter has a store for each of kinds.
type memoryLimiter struct{ stores []throttled.GCRAStoreCtx }

// of returns the store of a key.
func (l memoryLimiter) of(key string) throttled.GCRAStoreCtx {
	kind := slices.IndexFunc(kinds, func(beginnings []string) bool {
		return slices.ContainsFunc(beginnings, func(beginning string) bool { return strings.HasPrefix(key, beginning) })
	})
	return l.stores[kind]
}

func (l memoryLimiter) Take(ctx context.Context, key string, perMinute, count int) (Allowance, error) {
	limiter, err := throttled.NewGCRARateLimiterCtx(l.of(key), throttled.RateQuota{MaxRate: throttled.PerMin(perMinute), MaxBurst: perMinute - 1})
	if err != nil {
		return Allowance{}, err
	}
	limiter.SetMaxCASAttemptsLimit(casAttempts)
	limited, result, err := limiter.RateLimitCtx(ctx, key, count)
	if err != nil {
		return Allowance{}, err
	}
	a := Allowance{Limit: perMinute, Remaining: min(max(result.Remaining, 0), perMinute), Reset: max(result.ResetAfter, 0)}
	if limited {
		a.Wait = result.RetryAfter
	}
	return a, nil
}

// tooMany returns the error for a request above the limit.
func tooMany(wait time.Duration, format string, args ...any) error {
	return fault.Later(fault.RateLimitExceeded, max(wait, time.Second), format, args...)
}

// Admit counts a request against its principal's limit. The Allowance is zero without a limit; a request above it
// is rate_limit_exceeded, with RetryAfter.
func (s *Service) Admit(ctx context.Context, who Principal) (Allowance, error) {
	if who.RateLimit == 0 {
		return Allowance{}, nil
	}
	key := "key " + who.KeyID
	if who.Session {
		key = "user " + who.UserID
	}
	a, err := s.limiter.Take(ctx, key, who.RateLimit, 1)
	switch {
	case err != nil:
		return Allowance{}, fmt.Errorf("count a request: %w", err)
	case a.Wait > 0:
		return a, tooMany(a.Wait, "more than %d requests a minute", who.RateLimit)
	}
	return a, nil
}
