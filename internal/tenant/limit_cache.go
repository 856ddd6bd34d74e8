package tenant

import (
	"context"
	"maps"
	"sync"
	"time"

	"parley/internal/database"
)

const (
	// limitsLife is how long a tenant's limits are cached.
	limitsLife = 2 * time.Second
	// rememberedLimits limits the number of cached tenants.
	rememberedLimits = 10_000
)

// LimitCache caches tenants' limits for frequent checks: dispatches, streams.
type LimitCache struct {
	db    *database.DB
	usual Limits

	mu    sync.Mutex
	known map[string]knownLimits
}

type knownLimits struct {
	limits Limits
	until  time.Time
}

// NewLimitCache returns a cache. usual are the defaults.
func NewLimitCache(db *database.DB, usual Limits) *LimitCache {
	return &LimitCache{db: db, usual: usual, known: map[string]knownLimits{}}
}

// ForTenant returns a tenant's limits, at most limitsLife old. Callers must not modify them.
func (c *LimitCache) ForTenant(ctx context.Context, tenantID string) (Limits, error) {
	now := time.Now()
	c.mu.Lock()
	k, found := c.known[tenantID]
	c.mu.Unlock()
	if found && now.Before(k.until) {
		return k.limits, nil
	}
	var own Limits
	err := c.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		own, err = ownLimits(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	limits := c.usual
	if len(own) > 0 {
		limits = maps.Clone(c.usual)
		if limits == nil {
			limits = Limits{}
		}
		maps.Copy(limits, own)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= rememberedLimits {
		clear(c.known)
	}
	c.known[tenantID] = knownLimits{limits, now.Add(limitsLife)}
	return limits, nil
}
