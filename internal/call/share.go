package call

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// Limits returns tenants' limits of waiting calls, active calls and dispatches per minute.
type Limits interface {
	ForTenant(ctx context.Context, tenantID string) (tenant.Limits, error)
}

// tenantCounts counts each tenant's calls: as measured by the reaper at most a second ago, plus what this process
// has dispatched since. It also counts dispatches in progress, so that concurrent dispatches stay within the
// limits.
type tenantCounts struct {
	mu         sync.Mutex
	byTenant   map[string]callCounts
	inProgress map[string]int64
	dispatched map[string]int64 // since the process started
}

type callCounts struct {
	waiting   int64     // calls that no worker has claimed
	active    int64     // open calls, waiting ones included
	countedAt time.Time // when they were last counted for a dispatch
}

// recountInterval is the minimum time between two counts of a tenant's calls for its dispatches.
const recountInterval = 100 * time.Millisecond

// reset replaces the counts by those that the reaper measured. before is dispatchedByAll as of before the measurement: calls
// dispatched since may be missing in it. They are added, so a call that it does contain may count twice until the next one.
func (t *tenantCounts) reset(tenants map[string]tenantLoad, before map[string]int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byTenant = make(map[string]callCounts, len(tenants))
	for id, s := range tenants {
		t.byTenant[id] = callCounts{waiting: s.waiting, active: s.waiting + s.held}
	}
	for id, n := range t.dispatched {
		if since := n - before[id]; since > 0 {
			counts := t.byTenant[id]
			counts.waiting, counts.active = counts.waiting+since, counts.active+since
			t.byTenant[id] = counts
		}
	}
}

// dispatchedByAll returns how many calls each tenant has dispatched through this process.
func (t *tenantCounts) dispatchedByAll() map[string]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.dispatched)
}

// startRecount returns the tenant's counts and its dispatched calls, unless its calls were counted within
// recountInterval before now.
func (t *tenantCounts) startRecount(tenantID string, now time.Time) (counts callCounts, before int64, due bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts = t.byTenant[tenantID]
	if now.Sub(counts.countedAt) < recountInterval {
		return counts, 0, false
	}
	counts.countedAt = now
	if t.byTenant == nil {
		t.byTenant = map[string]callCounts{}
	}
	t.byTenant[tenantID] = counts
	return counts, t.dispatched[tenantID], true
}

// endRecount replaces a tenant's counts by counts, which was counted after startRecount returned before. Calls dispatched in
// between are added, as reset does.
func (t *tenantCounts) endRecount(tenantID string, counts callCounts, before int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	since := t.dispatched[tenantID] - before
	counts.waiting, counts.active = counts.waiting+since, counts.active+since
	t.byTenant[tenantID] = counts
}

func (t *tenantCounts) get(tenantID string) callCounts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byTenant[tenantID]
}

// beginDispatch counts a dispatch as in progress until end is called. It returns an error if that would exceed the
// limits.
func (t *tenantCounts) beginDispatch(tenantID string, limits tenant.Limits) (end func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts, n := t.byTenant[tenantID], t.inProgress[tenantID]
	counts.waiting, counts.active = counts.waiting+n, counts.active+n
	if err := counts.checkLimits(limits); err != nil {
		return nil, err
	}
	if t.inProgress == nil {
		t.inProgress = map[string]int64{}
	}
	t.inProgress[tenantID]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.inProgress[tenantID]--; t.inProgress[tenantID] == 0 {
			delete(t.inProgress, tenantID)
		}
	}, nil
}

// add counts a dispatched call.
func (t *tenantCounts) add(tenantID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byTenant == nil {
		t.byTenant = map[string]callCounts{}
	}
	if t.dispatched == nil {
		t.dispatched = map[string]int64{}
	}
	t.dispatched[tenantID]++
	s := t.byTenant[tenantID]
	s.waiting++
	s.active++
	t.byTenant[tenantID] = s
}

// limits returns a tenant's limits; none without Options.Limits.
func (s *Service) limits(ctx context.Context, tenantID string) (tenant.Limits, error) {
	if s.options.Limits == nil {
		return nil, nil
	}
	return s.options.Limits.ForTenant(ctx, tenantID)
}

// checkTenantLimits rejects a dispatch of a tenant that has reached its limits with rate_limit_exceeded and a RetryAfter, or
// with a conflict.
// It queries the database only when a limit seems to be reached, and counts only up to the limit. end must be
// called when the dispatch has ended; it is never nil.
func (s *Service) checkTenantLimits(ctx context.Context, tenantID string, limits tenant.Limits) (end func(), err error) {
	if len(limits) == 0 {
		return func() {}, nil
	}
	if end, err = s.counts.beginDispatch(tenantID, limits); err != nil {
		if err := s.recount(ctx, tenantID, limits); err != nil {
			return func() {}, err
		}
		if end, err = s.counts.beginDispatch(tenantID, limits); err != nil {
			return func() {}, err
		}
	}
	if err := s.countDispatch(ctx, tenantID, limits); err != nil {
		return end, err
	}
	return end, s.checkStored(ctx, tenantID, limits)
}

// countDispatch counts a dispatch against the tenant's limit per minute, and rejects it above.
func (s *Service) countDispatch(ctx context.Context, tenantID string, limits tenant.Limits) error {
	perMinute, limited := limits[tenant.Dispatches]
	switch {
	case !limited || s.options.Rate == nil:
		return nil
	case perMinute == 0:
		return fault.Later(fault.RateLimitExceeded, time.Minute, "no calls can be dispatched (limit %s)", tenant.Dispatches)
	}
	wait, err := s.options.Rate(ctx, tenantID, int(perMinute))
	if err == nil && wait > 0 {
		return fault.Later(fault.RateLimitExceeded, max(wait, time.Second), "more than %d calls were dispatched within a minute (limit %s)", perMinute, tenant.Dispatches)
	}
	return err
}

// checkLimits returns why a tenant may have no further call; nil if it may.
func (counts callCounts) checkLimits(limits tenant.Limits) error {
	if most, limited := limits[tenant.WaitingCalls]; limited && counts.waiting >= most {
		return fault.Later(fault.RateLimitExceeded, retryAfter, "you have reached your limit of %d calls waiting for a worker (limit %s)", most, tenant.WaitingCalls)
	}
	if most, limited := limits[tenant.ActiveCalls]; limited && counts.active >= most {
		return fault.Later(fault.RateLimitExceeded, retryAfter, "you have reached your limit of %d active calls (limit %s)", most, tenant.ActiveCalls)
	}
	return nil
}

// recount counts a tenant's calls, at most once per recountInterval.
func (s *Service) recount(ctx context.Context, tenantID string, limits tenant.Limits) error {
	counts, before, due := s.counts.startRecount(tenantID, time.Now())
	if !due {
		return nil
	}
	err := s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		for _, c := range []struct {
			limit tenant.Limit
			calls string
			into  *int64
		}{{tenant.WaitingCalls, queued, &counts.waiting}, {tenant.ActiveCalls, "ended_at IS NULL", &counts.active}} {
			most, limited := limits[c.limit]
			if !limited {
				continue
			}
			if err := tx.NewRaw("SELECT COUNT(*) FROM (SELECT 1 FROM calls WHERE tenant_id = ? AND "+c.calls+" LIMIT ?) AS counted", tenantID, most).Scan(ctx, c.into); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("count the tenant's calls: %w", err)
	}
	s.counts.endRecount(tenantID, counts, before)
	return nil
}
