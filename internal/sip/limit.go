package sip

import (
	"context"
	"net/netip"
	"sync"
)

// CallLimits bound the calls that come in, so that nobody takes all of a server. 0 is no limit.
type CallLimits struct {
	PerNumber, PerTrunk, PerTenant, PerAddress int // at once
	NewPerNumber, NewPerTenant, NewPerAddress  int // new ones a minute
}

// countNew counts a new call, each of which leaves a row, and reports whether it is within the limits of a minute.
func (g *gate) countNew(l Line, source netip.Addr) bool {
	var counted []rate
	// The keys of tenants stand apart from those of addresses in the limiter, so that no number of these displaces one.
	for _, r := range []rate{{"tenant " + l.TenantID + " number " + l.Number, g.limits.NewPerNumber}, {"tenant " + l.TenantID, g.limits.NewPerTenant},
		{"address " + source.String(), g.limits.NewPerAddress}} {
		if r.perMinute == 0 {
			continue
		}
		if a, err := g.rates.Take(context.Background(), r.of, r.perMinute, 1); err != nil || a.Wait > 0 {
			for _, c := range counted {
				_, _ = g.rates.Take(context.Background(), c.of, c.perMinute, -1) // what is not given back comes back by itself
			}
			return false
		}
		counted = append(counted, r)
	}
	return true
}

// rate is how many of a thing there may be in a minute.
type rate struct {
	of        string
	perMinute int
}

// capacity counts what is taken of bounded things.
type capacity struct {
	mu    sync.Mutex
	taken map[string]int
}

// seat is one of most of a thing; any number when most is 0.
type seat struct {
	of   string
	most int
}

// take takes all seats, or none. leave gives them back.
func (c *capacity) take(seats ...seat) (leave func(), fits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range seats {
		if s.most > 0 && c.taken[s.of] >= s.most {
			return nil, false
		}
	}
	for _, s := range seats {
		c.taken[s.of]++
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range seats {
			if c.taken[s.of]--; c.taken[s.of] == 0 {
				delete(c.taken, s.of)
			}
		}
	}, true
}
