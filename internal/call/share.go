package call

import (
	"context"
	"fmt"
	"sync"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// Limits knows tenants' limits of waiting calls, active calls and dispatches a
// minute.
type Limits interface {
	Of(ctx context.Context, tenantID string) (tenant.Limits, error)
}

// tally is how many calls each tenant has: as the reaper last saw it, a second
// ago at most, and what this process has dispatched since; and how many
// dispatches are under way, so that many at once stay within the limits.
type tally struct {
	mu       sync.Mutex
	of       map[string]standing
	underWay map[string]int64
}

type standing struct {
	waiting int64     // calls that no worker has
	active  int64     // calls in no terminal state, these included
	looked  time.Time // when they were last counted for a dispatch
}

// recount is how often a tenant's calls are counted for its dispatches at most.
const recount = 100 * time.Millisecond

// reset takes over what the reaper saw.
func (t *tally) reset(tenants map[string]share) {
	of := make(map[string]standing, len(tenants))
	for id, s := range tenants {
		of[id] = standing{waiting: s.waiting, active: s.waiting + s.held}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of = of
}

func (t *tally) get(tenantID string) standing {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.of[tenantID]
}

func (t *tally) set(tenantID string, s standing) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]standing{}
	}
	t.of[tenantID] = s
}

// enter counts a dispatch as under way until leave is called, unless that would
// be over the limits.
func (t *tally) enter(tenantID string, limits tenant.Limits) (leave func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	st, n := t.of[tenantID], t.underWay[tenantID]
	st.waiting, st.active = st.waiting+n, st.active+n
	if err := st.over(limits); err != nil {
		return nil, err
	}
	if t.underWay == nil {
		t.underWay = map[string]int64{}
	}
	t.underWay[tenantID]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.underWay[tenantID]--; t.underWay[tenantID] == 0 {
			delete(t.underWay, tenantID)
		}
	}, nil
}

// add counts a dispatch.
func (t *tally) add(tenantID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]standing{}
	}
	s := t.of[tenantID]
	s.waiting++
	s.active++
	t.of[tenantID] = s
}

// limits are a tenant's; none without Options.Limits.
func (s *Service) limits(ctx context.Context, tenantID string) (tenant.Limits, error) {
	if s.o.Limits == nil {
		return nil, nil
	}
	return s.o.Limits.Of(ctx, tenantID)
}

// reading runs f in a transaction.
type reading func(ctx context.Context, f func(ctx context.Context, tx database.Tx) error) error

// admitShare refuses a dispatch of a tenant that has as many calls or has made
// as many dispatches as its limits allow: rate_limit_exceeded, with a
// RetryAfter. It asks the database only when a limit seems to be reached, and
// counts no further than the limit then. leave is called once the dispatch is
// over; it is never nil.
func (s *Service) admitShare(ctx context.Context, tenantID string, limits tenant.Limits, read reading) (leave func(), err error) {
	if len(limits) == 0 {
		return func() {}, nil
	}
	if leave, err = s.tally.enter(tenantID, limits); err != nil {
		if err := s.recount(ctx, tenantID, limits, read); err != nil {
			return func() {}, err
		}
		if leave, err = s.tally.enter(tenantID, limits); err != nil {
			return func() {}, err
		}
	}
	return leave, s.countDispatch(ctx, tenantID, limits)
}

// countDispatch refuses a dispatch that is more than a tenant's limit a minute.
func (s *Service) countDispatch(ctx context.Context, tenantID string, limits tenant.Limits) error {
	perMinute, limited := limits[tenant.Dispatches]
	switch {
	case !limited || s.o.Rate == nil:
		return nil
	case perMinute == 0:
		return fault.Later(fault.RateLimitExceeded, time.Minute, "no calls can be dispatched (limit %s)", tenant.Dispatches)
	}
	wait, err := s.o.Rate(ctx, tenantID, int(perMinute))
	if err == nil && wait > 0 {
		return fault.Later(fault.RateLimitExceeded, max(wait, time.Second), "more than %d calls were dispatched within a minute (limit %s)", perMinute, tenant.Dispatches)
	}
	return err
}

// over is why a tenant may have no other call; nil when it may.
func (st standing) over(limits tenant.Limits) error {
	if most, limited := limits[tenant.WaitingCalls]; limited && st.waiting >= most {
		return fault.Later(fault.RateLimitExceeded, retryAfter, "%d calls of yours may wait for a worker, and as many do (limit %s)", most, tenant.WaitingCalls)
	}
	if most, limited := limits[tenant.ActiveCalls]; limited && st.active >= most {
		return fault.Later(fault.RateLimitExceeded, retryAfter, "%d calls of yours may be active, and as many are (limit %s)", most, tenant.ActiveCalls)
	}
	return nil
}

// recount counts a tenant's calls, unless that was done just now.
func (s *Service) recount(ctx context.Context, tenantID string, limits tenant.Limits, read reading) error {
	now := time.Now()
	st := s.tally.get(tenantID)
	if now.Sub(st.looked) < recount {
		return nil
	}
	st.looked = now
	s.tally.set(tenantID, st) // others need not count as well
	err := read(ctx, func(ctx context.Context, tx database.Tx) error {
		for _, c := range []struct {
			limit tenant.Limit
			calls string
			into  *int64
		}{{tenant.WaitingCalls, queued, &st.waiting}, {tenant.ActiveCalls, "ended_at IS NULL", &st.active}} {
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
	s.tally.set(tenantID, st)
	return nil
}
