package app

import (
	"cmp"
	"context"
	"time"

	"parley/internal/auth"
	"parley/internal/config"
	"parley/internal/tenant"
)

const (
	// dispatchesPerMinute are a tenant's by default: what a server of two
	// processor cores takes (docs/performance.md).
	dispatchesPerMinute = 12_000
	// fewWaiting and fewActive are the least that a tenant's calls are limited to
	// by default.
	fewWaiting = 100
	fewActive  = 1000
	// mostPerMinute is more than any server does: a limit above it is none.
	mostPerMinute = 1_000_000
	// limitWait bounds how long the opening of a stream waits for the database.
	limitWait = time.Second
)

// usualLimits are those of tenants that have no values of their own.
func usualLimits(c config.Server) tenant.Limits {
	usual := tenant.Limits{tenant.Dispatches: dispatchesPerMinute, tenant.Streams: int64(cmp.Or(c.StreamsPerTenant, 100))}
	if c.MaxWaitingCalls > 0 {
		usual[tenant.WaitingCalls] = max(c.MaxWaitingCalls/2, fewWaiting)
		usual[tenant.ActiveCalls] = max(c.MaxWaitingCalls, fewActive)
	}
	return usual
}

// newLimiter makes what counts requests and dispatches, for all nodes where
// Redis is configured.
func newLimiter(g *ground) (auth.Limiter, error) {
	if g.redis != nil {
		return auth.NewRedisLimiter(g.redis, g.log)
	}
	return auth.NewMemoryLimiter()
}

// countDispatch counts a dispatch against a tenant's limit.
func (g *ground) countDispatch(ctx context.Context, tenantID string, perMinute int) (wait time.Duration, err error) {
	a, err := g.limiter.Take(ctx, "tenant "+tenantID, min(perMinute, mostPerMinute), 1)
	return a.Wait, err
}

// streamLimit is how many live streams a tenant may have open on this node.
func (g *ground) streamLimit(tenantID string) int {
	ctx, cancel := context.WithTimeout(context.Background(), limitWait)
	defer cancel()
	limits, err := g.limits.Of(ctx, tenantID)
	if err != nil {
		return g.config.StreamsPerTenant
	}
	return int(limits[tenant.Streams])
}
