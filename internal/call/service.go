package call

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/seal"
	"parley/internal/template"
	"parley/internal/tenant"
)

// Options configures a Service.
type Options struct {
	// JoinTimeout is how long a call waits for its caller to join.
	JoinTimeout time.Duration
	// MaxDuration is how long a call may be active.
	MaxDuration time.Duration
	// MaxWaiting is how many calls may wait for a worker before dispatches are rejected; 0 for no limit.
	MaxWaiting int64
	// Obstacle returns why no call of a type can start at present; dispatches are then rejected. It may be nil.
	Obstacle func(callType string) error
	// Limits returns the tenants' limits; nil for none.
	Limits Limits
	// Budgets checks the tenants' budgets; nil for none.
	Budgets Budgets
	// Rate counts a dispatch against a tenant's limit per minute, and returns how long to wait if it is exceeded;
	// nil for no limit.
	Rate func(ctx context.Context, tenantID string, perMinute int) (wait time.Duration, err error)
	// Hooks asks call hooks; nil for none.
	Hooks Hooks
	// Incident is called with each recorded incident; nil for none.
	Incident func(Incident)
	// Refused is called with the cause of each dispatch that is refused because of the load; nil for none.
	Refused func(Refusal)
	// Prices is the installation's price list; nil for none: calls then have no cost.
	Prices *cost.List
	// Phone limits outbound phone calls.
	Phone tenant.PhoneLimits
}

// Service stores calls and moves them through their states.
type Service struct {
	db      *database.DB
	events  *event.Log
	bus     *event.Bus
	sealer  *seal.Sealer
	options Options

	inProgress keysInProgress
	load       atomic.Pointer[Load] // as last measured
	counts     tenantCounts
	stored     storedBytes
}

// NewService returns a Service.
func NewService(db *database.DB, events *event.Log, bus *event.Bus, sealer *seal.Sealer, o Options) *Service {
	return &Service{db: db, events: events, bus: bus, sealer: sealer, options: o}
}

// JoinTimeout returns Options.JoinTimeout.
func (s *Service) JoinTimeout() time.Duration { return s.options.JoinTimeout }

// MaxDuration returns Options.MaxDuration.
func (s *Service) MaxDuration() time.Duration { return s.options.MaxDuration }

// notifyWorkers notifies workers of a waiting call after the commit.
func (s *Service) notifyWorkers(c *Call) {
	if c.ArrivedAt.IsZero() {
		s.bus.Publish(event.Pending, "")
	} else {
		s.bus.Publish(event.Arrived, "")
	}
}

// Get returns a call of the tenant, or not_found.
func (s *Service) Get(ctx context.Context, tenantID, id string) (c *Call, err error) {
	err = s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err = get(ctx, tx, id)
		return err
	})
	return c, err
}

func get(ctx context.Context, tx database.Tx, id string) (*Call, error) {
	c := &Call{ReadAt: tx.Now()}
	return c, notFoundError(tx.NewSelect().Model(c).Where("id = ? AND tenant_id = ?", id, tx.TenantID()).Scan(ctx))
}

// exists returns not_found for a call that the tenant does not have.
func exists(ctx context.Context, tx database.Tx, id string) error {
	return notFoundError(tx.NewSelect().Model(new(Call)).Column("id").Where("id = ? AND tenant_id = ?", id, tx.TenantID()).Scan(ctx))
}

// UserContext decrypts the context that the call was dispatched with; nil if there was none. Numbers keep their
// digits (json.Number).
func (s *Service) UserContext(c *Call) (map[string]any, error) {
	if c.UserContext == nil {
		return nil, nil
	}
	plain, err := s.sealer.Open(c.UserContext, userContextPlace(c.ID, c.TenantID))
	if err != nil {
		return nil, fmt.Errorf("context of call %s: %w", c.ID, err)
	}
	user, err := template.DecodeObject(plain)
	if err != nil {
		return nil, fmt.Errorf("context of call %s: %w", c.ID, err)
	}
	return user, nil
}

// SIPHeaders decrypts the headers that the call's dispatch adds to its INVITE; nil if there are none.
func (s *Service) SIPHeaders(c *Call) (headers map[string]string, err error) {
	if c.SIPHeaders == nil {
		return nil, nil
	}
	plain, err := s.sealer.Open(c.SIPHeaders, sipHeadersPlace(c.ID, c.TenantID))
	if err == nil {
		err = json.Unmarshal(plain, &headers)
	}
	if err != nil {
		return nil, fmt.Errorf("SIP headers of call %s: %w", c.ID, err)
	}
	return headers, nil
}

// ConversationSnapshot decrypts the snapshot that a session stored for the next one; nil for none.
func (s *Service) ConversationSnapshot(c *Call) (json.RawMessage, error) {
	if c.Snapshot == nil {
		return nil, nil
	}
	plain, err := s.sealer.Open(c.Snapshot, snapshotPlace(c.ID, c.TenantID))
	if err != nil {
		return nil, fmt.Errorf("conversation context of call %s: %w", c.ID, err)
	}
	return plain, nil
}

// endWait is how long End waits for the worker to end the call.
const endWait = 3 * time.Second

// End ends a call and returns it as it ended. It requests the end from the call's worker first, so that the transcript is
// complete; if the worker does not respond within endWait, the call ends nevertheless. An ended call is returned
// unchanged.
func (s *Service) End(ctx context.Context, tenantID, id string) (*Call, error) {
	changes, unsubscribe := s.bus.Subscribe(event.Calls, 8)
	defer unsubscribe()
	c, err := s.requestEnd(ctx, tenantID, id, false)
	if err != nil || c.Status.Terminal() {
		return c, err
	}
	ended, err := awaitChange(ctx, tenantID, changes, endWait, func() (bool, error) {
		c, err = s.Get(ctx, tenantID, id)
		return err == nil && c.Status.Terminal(), err
	})
	if err == nil && !ended {
		return s.requestEnd(ctx, tenantID, id, true)
	}
	return c, err
}

// awaitChange calls done after each change of the tenant's calls, and every 250 ms because the worker may run on another node, until it
// returns true. It returns false if wait is over before.
func awaitChange(ctx context.Context, tenantID string, changes <-chan string, wait time.Duration, done func() (bool, error)) (bool, error) {
	deadline := time.After(wait)
	poll := time.NewTicker(250 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-deadline:
			return false, nil
		case changed := <-changes:
			if changed != tenantID && changed != "" {
				continue // another tenant's event
			}
		case <-poll.C:
		}
		if is, err := done(); is || err != nil {
			return is, err
		}
	}
}

// requestEnd requests the end from the call's worker, or ends the call if it has none or force is set.
func (s *Service) requestEnd(ctx context.Context, tenantID, id string, force bool) (c *Call, err error) {
	err = s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err = lockCall(ctx, tx, id)
		if err != nil || c.Status.Terminal() {
			return err
		}
		if force || c.ClaimedBy == nil || c.LeaseUntil.Before(tx.Now()) {
			return s.endCall(ctx, tx, c, EndedByAPI)
		}
		c.EndRequested = true
		tx.AfterCommit(func() { s.bus.Publish(event.Ending, c.ID) })
		_, err := tx.NewUpdate().Model(c).Column("end_asked").WherePK().Exec(ctx)
		return err
	})
	return c, err
}
