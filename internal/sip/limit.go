package sip

import (
	"context"
	"net/netip"
	"sync"
)

// CallLimits limits inbound calls. 0 means no limit.
type CallLimits struct {
	PerNumber, PerTrunk, PerTenant, PerAddress int // concurrent calls
	NewPerNumber, NewPerTenant, NewPerAddress  int // new ones per minute
}

// countNew counts a new call and reports whether it is within the limits per minute. Each new call writes a row.
func (f *inboundFilter) countNew(l InboundRoute, source netip.Addr) bool {
	var counted []rate
	// Keys of tenants have their own prefix, so that many addresses evict none of them from the limiter.
	for _, r := range []rate{{"tenant " + l.TenantID + " number " + l.Number, f.limits.NewPerNumber}, {"tenant " + l.TenantID, f.limits.NewPerTenant},
		{"address " + limitedAs(source), f.limits.NewPerAddress}} {
		if r.perMinute == 0 {
			continue
		}
		if a, err := f.newCalls.Take(context.Background(), r.key, r.perMinute, 1); err != nil || a.Wait > 0 {
			for _, c := range counted {
				_, _ = f.newCalls.Take(context.Background(), c.key, c.perMinute, -1) // the count refills by time
			}
			return false
		}
		counted = append(counted, r)
	}
	return true
}

// limitedAs returns what counts as one address for limits: an IPv4 address, or a /64 of IPv6, which one machine has at least.
func limitedAs(address netip.Addr) string {
	if address = address.Unmap().WithZone(""); !address.Is6() {
		return address.String()
	}
	network, _ := address.Prefix(64) // shorter than the address
	return network.String()
}

// rate is a limit per minute on a key.
type rate struct {
	key       string
	perMinute int
}

// admittedKey is the key of an address's admitted calls.
func admittedKey(address string) string { return "admitted of " + address }

// useCounter counts concurrent uses by key.
type useCounter struct {
	mu    sync.Mutex
	inUse map[string]int
}

// quota is a limit on the concurrent uses of a key; 0 means no limit.
type quota struct {
	key   string
	limit int
}

// full reports whether a quota is exhausted.
func (c *useCounter) full(q quota) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inUse[q.key] >= q.limit
}

// acquire adds one use to all quotas, or to none if one is exhausted. release returns the uses.
func (c *useCounter) acquire(quotas ...quota) (release func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range quotas {
		if q.limit > 0 && c.inUse[q.key] >= q.limit {
			return nil, false
		}
	}
	for _, q := range quotas {
		c.inUse[q.key]++
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, q := range quotas {
			if c.inUse[q.key]--; c.inUse[q.key] == 0 {
				delete(c.inUse, q.key)
			}
		}
	}, true
}
