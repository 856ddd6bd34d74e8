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
	// dispatchesPerMinute is a tenant's default limit: the capacity of a server with two cores
	// (docs/performance.md).
	dispatchesPerMinute = 12_000
	// minWaiting and minActive are the minimum defaults of a tenant's call limits.
	minWaiting = 100
	minActive  = 1000
	// mostPerMinute exceeds any server's capacity: a limit above it is no limit.
	mostPerMinute = 1_000_000
	// limitTimeout bounds the database query when a stream opens.
	limitTimeout = time.Second
)

// defaultLimits returns the defaults of tenants.
func defaultLimits(c config.Server) tenant.Limits {
	usual := tenant.Limits{tenant.Dispatches: dispatchesPerMinute, tenant.Streams: int64(cmp.Or(c.StreamsPerTenant, 100))}
	if c.MaxWaitingCalls > 0 {
		usual[tenant.WaitingCalls] = max(c.MaxWaitingCalls/2, minWaiting)
		usual[tenant.ActiveCalls] = max(c.MaxWaitingCalls, minActive)
	}
	if c.StoredBytesPerTenant > 0 {
		usual[tenant.StoredBytes] = c.StoredBytesPerTenant
	}
	return usual
}

// newLimiter returns the limiter of requests and dispatches, shared by nodes where Redis is configured.
func newLimiter(g *infrastructure) (auth.Limiter, error) {
	if g.redis != nil {
		return auth.NewRedisLimiter(g.redis, g.log)
	}
	return auth.NewMemoryLimiter()
}

// countDispatch counts a dispatch against a tenant's limit.
func (g *infrastructure) countDispatch(ctx context.Context, tenantID string, perMinute int) (wait time.Duration, err error) {
	a, err := g.limiter.Take(ctx, "tenant "+tenantID, min(perMinute, mostPerMinute), 1)
	return a.Wait, err
}

// streamLimit returns how many live streams a tenant may have open on this node.
func (g *infrastructure) streamLimit(tenantID string) int {
	ctx, cancel := context.WithTimeout(context.Background(), limitTimeout)
	defer cancel()
	limits, err := g.limits.ForTenant(ctx, tenantID)
	if err != nil {
		return g.config.StreamsPerTenant
	}
	return int(limits[tenant.Streams])
}
