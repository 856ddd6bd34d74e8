package call

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/seal"
	"parley/internal/template"
	"parley/internal/tenant"
)

// Options are the times that calls go by.
type Options struct {
	// JoinTimeout is how long a call waits for its caller.
	JoinTimeout time.Duration
	// MaxDuration is how long a call may be active.
	MaxDuration time.Duration
	// MaxWaiting is how many calls may wait for a worker before dispatches are
	// turned away; 0 for any number.
	MaxWaiting int64
	// Obstacle returns why no call of a type can begin for now; dispatches are turned away
	// then. Nil, or a nil error, for no reason.
	Obstacle func(callType string) error
	// Limits are the tenants' limits; nil for none.
	Limits Limits
	// Rate counts a dispatch of a tenant that may have so many a minute, and
	// returns how long it has to wait; nil for no such limit.
	Rate func(ctx context.Context, tenantID string, perMinute int) (wait time.Duration, err error)
	// Incident is called with each incident that was noted; nil for none.
	Incident func(Incident)
	// Phone bounds outbound phone calls.
	Phone tenant.PhoneLimits
}

// Service keeps the calls.
type Service struct {
	db     *database.DB
	events *event.Log
	bus    *event.Bus
	sealer *seal.Sealer
	o      Options

	underWay underWay
	load     atomic.Pointer[Load] // as last seen
	tally    tally
}

// NewService makes the service.
func NewService(db *database.DB, events *event.Log, bus *event.Bus, sealer *seal.Sealer, o Options) *Service {
	return &Service{db: db, events: events, bus: bus, sealer: sealer, o: o}
}

// JoinTimeout is how long a call waits for its caller.
func (s *Service) JoinTimeout() time.Duration { return s.o.JoinTimeout }

// MaxDuration is how long a call may be active.
func (s *Service) MaxDuration() time.Duration { return s.o.MaxDuration }

// wakeWorkers tells workers of a call that none has.
func (s *Service) wakeWorkers(c *Call) {
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
	return c, found(tx.NewSelect().Model(c).Where("id = ? AND tenant_id = ?", id, tx.TenantID()).Scan(ctx))
}

// UserContext opens the context that was given with the call; nil if none was.
// Numbers keep their digits.
func (s *Service) UserContext(c *Call) (map[string]any, error) {
	if c.UserContext == nil {
		return nil, nil
	}
	plain, err := s.sealer.Open(c.UserContext, contextPlace(c.ID, c.TenantID))
	if err != nil {
		return nil, fmt.Errorf("context of call %s: %w", c.ID, err)
	}
	user, err := template.DecodeObject(plain)
	if err != nil {
		return nil, fmt.Errorf("context of call %s: %w", c.ID, err)
	}
	return user, nil
}

// Kept opens the context that a session kept for the next; nil if none was.
func (s *Service) Kept(c *Call) (json.RawMessage, error) {
	if c.Context == nil {
		return nil, nil
	}
	plain, err := s.sealer.Open(c.Context, keptPlace(c.ID, c.TenantID))
	if err != nil {
		return nil, fmt.Errorf("kept context of call %s: %w", c.ID, err)
	}
	return plain, nil
}

// endWait is how long End waits for the worker to say goodbye to the call.
const endWait = 3 * time.Second

// End ends a call and returns it as it ended. The call's worker is asked
// first, so that the transcript is whole; when it does not answer, the call
// ends all the same. A call that is over stays as it is.
func (s *Service) End(ctx context.Context, tenantID, id string) (*Call, error) {
	changes, unsubscribe := s.bus.Subscribe(event.Calls, 8)
	defer unsubscribe()
	c, err := s.askToEnd(ctx, tenantID, id, false)
	if err != nil || c.Status.Terminal() {
		return c, err
	}
	deadline := time.After(endWait)
	poll := time.NewTicker(250 * time.Millisecond) // the worker may be elsewhere
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-deadline:
			return s.askToEnd(ctx, tenantID, id, true)
		case changed := <-changes:
			if changed != tenantID && changed != "" {
				continue // another tenant's
			}
		case <-poll.C:
		}
		if c, err = s.Get(ctx, tenantID, id); err != nil || c.Status.Terminal() {
			return c, err
		}
	}
}

// askToEnd marks the call for its worker, or ends it when it has none, or
// when forced.
func (s *Service) askToEnd(ctx context.Context, tenantID, id string, force bool) (c *Call, err error) {
	err = s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err = locked(ctx, tx, id)
		if err != nil || c.Status.Terminal() {
			return err
		}
		if force || c.ClaimedBy == nil || c.LeaseUntil.Before(tx.Now()) {
			return s.end(ctx, tx, c, EndedByAPI)
		}
		c.EndAsked = true
		tx.AfterCommit(func() { s.bus.Publish(event.Ending, c.ID) })
		_, err := tx.NewUpdate().Model(c).Column("end_asked").WherePK().Exec(ctx)
		return err
	})
	return c, err
}
