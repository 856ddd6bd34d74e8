package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/netip"
	"time"

	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"

	"parley/internal/fault"
)

// Failed sign-ins a minute. Each attempt is counted before its password is
// looked at, so that many at once are no way around, and given back when it
// succeeds.
const (
	perAccount = 10
	perAddress = 30
)

// Limiter counts against a limit a minute. A negative count gives back.
type Limiter interface {
	// Take reports how long to wait, 0 when the count fits.
	Take(ctx context.Context, key string, perMinute, count int) (time.Duration, error)
}

// rememberedKeys bounds the memory limiter: the keys used longest ago give
// way.
const rememberedKeys = 50_000

// NewMemoryLimiter makes a limiter in this process's memory.
func NewMemoryLimiter() (Limiter, error) {
	store, err := memstore.NewCtx(rememberedKeys)
	if err != nil {
		return nil, fmt.Errorf("make rate limiter: %w", err)
	}
	return memoryLimiter{store}, nil
}

type memoryLimiter struct{ store throttled.GCRAStoreCtx }

func (l memoryLimiter) Take(ctx context.Context, key string, perMinute, count int) (time.Duration, error) {
	limiter, err := throttled.NewGCRARateLimiterCtx(l.store, throttled.RateQuota{MaxRate: throttled.PerMin(perMinute), MaxBurst: perMinute - 1})
	if err != nil {
		return 0, err
	}
	limited, result, err := limiter.RateLimitCtx(ctx, key, count)
	if err != nil || !limited {
		return 0, err
	}
	return max(result.RetryAfter, time.Second), nil
}

// throttle holds sign-ins back after too many failures.
type throttle struct{ limiter Limiter }

// throttledError is a rate_limit_exceeded that says when to come back.
type throttledError struct {
	error
	after time.Duration
}

func (e throttledError) Unwrap() error             { return e.error }
func (e throttledError) RetryAfter() time.Duration { return e.after }

// attempt counts a sign-in for an account from an address. The function that
// it returns gives the count back.
func (t throttle) attempt(ctx context.Context, account string, from netip.Addr) (succeeded func(), err error) {
	sum := sha256.Sum256([]byte(account))
	type counter struct {
		key   string
		limit int
	}
	counters := []counter{{"sign-in account " + hex.EncodeToString(sum[:16]), perAccount}}
	if from.IsValid() {
		if from = from.Unmap(); from.Is6() {
			// One customer has a /64 at least.
			network, _ := from.WithZone("").Prefix(64)
			from = network.Addr()
		}
		counters = append(counters, counter{"sign-in address " + from.String(), perAddress})
	}
	release := func(taken []counter) {
		for _, c := range taken {
			if _, err := t.limiter.Take(context.WithoutCancel(ctx), c.key, c.limit, -1); err != nil {
				slog.WarnContext(ctx, "give back a sign-in attempt", "error", err)
			}
		}
	}
	for i, c := range counters {
		wait, err := t.limiter.Take(ctx, c.key, c.limit, 1)
		if err != nil {
			release(counters[:i])
			return nil, fmt.Errorf("count a sign-in attempt: %w", err)
		}
		if wait > 0 {
			release(counters[:i])
			return nil, throttledError{fault.New(fault.RateLimitExceeded, "too many failed sign-ins, try again later"), wait}
		}
	}
	return func() { release(counters) }, nil
}
