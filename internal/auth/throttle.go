package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/netip"
)

// Failed sign-ins a minute. Each attempt is counted before its password is
// looked at, so that many at once are no way around, and given back when it
// succeeds.
const (
	perAccount = 10
	perAddress = 30
)

// throttle holds sign-ins back after too many failures.
type throttle struct{ limiter Limiter }

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
		a, err := t.limiter.Take(ctx, c.key, c.limit, 1)
		if err != nil {
			release(counters[:i])
			return nil, fmt.Errorf("count a sign-in attempt: %w", err)
		}
		if a.Wait > 0 {
			release(counters[:i])
			return nil, tooMany(a.Wait, "too many failed sign-ins, try again later")
		}
	}
	return func() { release(counters) }, nil
}
