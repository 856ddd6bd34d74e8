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

// Limiter holds each of many keys to a number of requests a minute (the
// generic cell rate algorithm): all of them may come at once, and each comes
// back a minute divided by their number after it was used.
type Limiter interface {
	// Take uses count of what a key has in a minute, and gives back for a
	// negative one. Allowance.Wait says when it did not fit; nothing is used
	// then.
	Take(ctx context.Context, key string, perMinute, count int) (Allowance, error)
}

// Allowance is how a key stands with its limit. The zero Allowance is of a key
// without one.
type Allowance struct {
	Limit     int           // requests a minute
	Remaining int           // that fit at once
	Reset     time.Duration // until all of Limit fit again
	Wait      time.Duration // until what was asked fits; 0 when it did
}

// rememberedKeys bounds each store of the memory limiter, to some 10 MB: the
// keys used longest ago give way to others of their store.
const rememberedKeys = 50_000

// kinds are the beginnings of keys that have a store together; the first that
// fits counts. Those of who is known, such as API keys, stand apart from what
// anybody can invent: however many of these are counted, no count of the others
// is forgotten. A store holds all counters of the throttle's kinds that are in
// it, subjectCounters each, so that none of those is forgotten either.
var kinds = [][]string{
	{"key ", "user ", "tenant "},
	{sessionRequests, addressSignIns},
	{accountSignIns, accountAndAddress},
	{""}, // all others
}

// casAttempts is how often requests of one key may overtake one another in
// memory, where each attempt takes less than a microsecond.
const casAttempts = 10_000

// NewMemoryLimiter makes a limiter in this process's memory.
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

// of is the store of a key.
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

// tooMany refuses what has to wait.
func tooMany(wait time.Duration, format string, args ...any) error {
	return fault.Later(fault.RateLimitExceeded, max(wait, time.Second), format, args...)
}

// Admit counts a request of whoever makes it against their limit. The
// Allowance is zero for those without one; a request too many is
// rate_limit_exceeded, with RetryAfter, beside its Allowance.
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
