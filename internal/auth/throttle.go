package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/netip"
)

// Sign-ins per minute. Each attempt is counted before its password is checked, so that concurrent attempts cannot
// bypass the limits, and returned when it succeeds.
const (
	failuresFromAddressForAccount = 10
	failuresForAccount            = 100
	failuresFromAddress           = 30
	// Wider networks: a /24 or /16 of IPv4, a /48 or /32 of IPv6.
	failuresFromNear = 120
	failuresFromWide = 480
	// requestsFromAddress limits requests to sign in and to renew a session, whatever their result.
	requestsFromAddress = 120
	// unknownLogoutsFromAddress limits requests to end a session that does not exist.
	unknownLogoutsFromAddress = 120
)

// anonymousLimits limits unauthenticated requests. It has a fixed number of counters, chosen by a keyed hash of the
// subject, so that invented accounts neither use memory nor evict counters; two subjects share one with a
// probability of one in subjectCounters.
type anonymousLimits struct {
	limiter Limiter
	secret  []byte // keys the hash, the same on all nodes
}

// subjectCounters is the number of counters of each kind.
const subjectCounters = 1 << 14

// What is counted, as keys begin.
const (
	sessionRequests   = "session requests of address"
	accountAndAddress = "sign-ins of account from address"
	accountSignIns    = "sign-ins of account"
	addressSignIns    = "sign-ins from address"
	nearSignIns       = "sign-ins from near network"
	wideSignIns       = "sign-ins from wide network"
	unknownLogouts    = "unknown logouts of address"
)

// counter is a limit for a subject.
type counter struct {
	kind, subject string
	limit         int // a minute
}

func (t anonymousLimits) key(c counter) string {
	mac := hmac.New(sha256.New, t.secret)
	mac.Write([]byte(c.kind + "\n" + c.subject))
	return fmt.Sprintf("%s %d", c.kind, binary.BigEndian.Uint32(mac.Sum(nil))%subjectCounters)
}

// take counts one in c. Above its limit it returns rate_limit_exceeded with a message, which has a verb for the limit. Clients without an
// address, which have an empty subject, are not counted.
func (t anonymousLimits) take(ctx context.Context, c counter, message string) error {
	if c.subject == "" {
		return nil
	}
	a, err := t.limiter.Take(ctx, t.key(c), c.limit, 1)
	switch {
	case err != nil:
		return fmt.Errorf("count in %s: %w", c.kind, err)
	case a.Wait > 0:
		return tooMany(a.Wait, message, c.limit)
	}
	return nil
}

// countRequest counts a request of a client without a credential.
func (t anonymousLimits) countRequest(ctx context.Context, from netip.Addr) error {
	return t.take(ctx, counter{sessionRequests, network(from), requestsFromAddress}, "more than %d requests a minute from this address to sign in and to renew sessions")
}

// countUnknownLogout counts a request to end a session that does not exist. Sessions that do exist can always be ended.
func (t anonymousLimits) countUnknownLogout(ctx context.Context, from netip.Addr) error {
	return t.take(ctx, counter{unknownLogouts, network(from), unknownLogoutsFromAddress}, "more than %d requests a minute from this address to end sessions that do not exist")
}

// attempt counts a sign-in for an account from an address. The returned function returns the count. Failures from
// elsewhere do not block the account in a familiar network, where it signed in before.
func (t anonymousLimits) attempt(ctx context.Context, account string, from netip.Addr, familiar bool) (uncount func(), err error) {
	address := network(from)
	counters := []counter{{accountAndAddress, account + "\n" + address, failuresFromAddressForAccount}}
	if !familiar {
		counters = append(counters, counter{accountSignIns, account, failuresForAccount})
	}
	if from.IsValid() && !familiar {
		near, wide := widerNetworks(from)
		counters = append(counters, counter{addressSignIns, address, failuresFromAddress},
			counter{nearSignIns, near, failuresFromNear}, counter{wideSignIns, wide, failuresFromWide})
	}
	release := func(taken []counter) {
		for _, c := range taken {
			if _, err := t.limiter.Take(context.WithoutCancel(ctx), t.key(c), c.limit, -1); err != nil {
				slog.ErrorContext(ctx, "failed to return a sign-in attempt", "error", err)
			}
		}
	}
	for i, c := range counters {
		a, err := t.limiter.Take(ctx, t.key(c), c.limit, 1)
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

// network returns what counts as one client: an IPv4 address, or a /64 of IPv6. "" if the address is unknown.
func network(from netip.Addr) string {
	if !from.IsValid() {
		return ""
	}
	if from = from.Unmap(); from.Is4() {
		return from.String()
	}
	prefix, _ := from.WithZone("").Prefix(64)
	return prefix.String()
}

// widerNetworks returns the networks around a valid address: /24 and /16 of IPv4, /48 and /32 of IPv6.
func widerNetworks(from netip.Addr) (near, wide string) {
	from = from.Unmap().WithZone("")
	bits := [2]int{48, 32}
	if from.Is4() {
		bits = [2]int{24, 16}
	}
	nearPrefix, _ := from.Prefix(bits[0])
	widePrefix, _ := from.Prefix(bits[1])
	return nearPrefix.String(), widePrefix.String()
}
