package sip

import (
	"context"
	"net/netip"
	"sync"
	"time"

	"parley/internal/auth"
)

const (
	// maxWrongOfTrunk is how many wrong credentials all addresses together may present per minute for the numbers of one trunk.
	maxWrongOfTrunk = 60
	// knownFor is how long an address that has presented a trunk's credentials may do so whatever others present, and maxKnown how
	// many such addresses a trunk has.
	knownFor, maxKnown = 24 * time.Hour, 64
)

// guessLimit limits how many credentials are tried for a trunk, from however many addresses. Those at which the trunk is known are not
// counted, so that guessers keep no carrier out: addresses that the trunk lists, and those that have presented its credentials.
type guessLimit struct {
	wrong auth.Limiter
	now   func() time.Time

	mu    sync.Mutex
	known map[string]map[string]time.Time // the last success of an address, by trunk
}

func newGuessLimit(wrong auth.Limiter) *guessLimit {
	return &guessLimit{wrong: wrong, now: time.Now, known: map[string]map[string]time.Time{}}
}

// trunkKey identifies a route's trunk. The platform's is one trunk for all tenants.
func (l InboundRoute) trunkKey() string {
	if l.TrunkID == "" {
		return "tenant trunk of the platform"
	}
	return "tenant " + l.TenantID + " trunk " + l.TrunkID
}

// try counts credentials that are presented for a route, and reports whether they may be verified.
func (g *guessLimit) try(l InboundRoute, source netip.Addr) bool {
	if l.accepts(source) || g.knows(l, source) {
		return true
	}
	a, err := g.wrong.Take(context.Background(), l.trunkKey(), maxWrongOfTrunk, 1)
	return err == nil && a.Wait == 0
}

func (g *guessLimit) knows(l InboundRoute, source netip.Addr) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at, found := g.known[l.trunkKey()][limitedAs(source)]
	return found && g.now().Sub(at) < knownFor
}

// succeed records that an address has presented a route's credentials, and returns what was counted of it.
func (g *guessLimit) succeed(l InboundRoute, source netip.Addr) {
	if !l.accepts(source) && !g.knows(l, source) {
		_, _ = g.wrong.Take(context.Background(), l.trunkKey(), maxWrongOfTrunk, -1) // the count refills by time
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now, addresses := g.now(), g.known[l.trunkKey()]
	if addresses == nil {
		addresses = map[string]time.Time{}
		g.known[l.trunkKey()] = addresses
	}
	addresses[limitedAs(source)] = now
	for len(addresses) > maxKnown {
		oldest, at := "", now.Add(time.Second)
		for address, last := range addresses {
			if last.Before(at) {
				oldest, at = address, last
			}
		}
		delete(addresses, oldest)
	}
}
