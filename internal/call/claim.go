package call

import (
	"context"
	"fmt"
	"time"

	"parley/internal/database"
)

// Leases: a worker that does not renew its lease in time has lost its calls.
const (
	LeaseDuration = 15 * time.Second
	LeaseRenewal  = 5 * time.Second
)

// Lease is a worker's hold on a call. Every write of the session carries it,
// so that a worker that was thought lost cannot write any more.
type Lease struct {
	CallID, TenantID string
	Fence            int64
}

// Claim takes up to most calls: first those whose worker vanished, in whatever
// state they are (one that is not pending is taken over, if its caller is
// still there), then those that wait for a worker, the longest waiting first.
func (s *Service) Claim(ctx context.Context, worker string, most int) ([]*Call, error) {
	var claimed []*Call
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		lapsed, err := claim(ctx, tx, worker, most, "status IN (?, ?, ?) AND claimed_by IS NOT NULL AND lease_until < ?", Pending, Connecting, Active, tx.Now())
		if err != nil || len(lapsed) == most {
			claimed = lapsed
			return err
		}
		waiting, err := claim(ctx, tx, worker, most-len(lapsed), "status = ? AND claimed_by IS NULL", Pending)
		claimed = append(lapsed, waiting...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim calls: %w", err)
	}
	return claimed, nil
}

// claim takes the oldest of the calls that a condition holds for.
func claim(ctx context.Context, tx database.Tx, worker string, most int, which string, args ...any) (claimed []*Call, err error) {
	waiting := "SELECT id FROM calls WHERE ended_at IS NULL AND NOT end_asked AND " + which + " ORDER BY created_at LIMIT ?"
	chosen := "id IN (" + waiting + ")"
	if tx.Postgres() {
		// As an array, the choice is made once: PostgreSQL may run the
		// query of an IN again for each row, and its LIMIT means nothing.
		chosen = "id = ANY (ARRAY(" + waiting + " FOR UPDATE SKIP LOCKED))"
	}
	args = append(append([]any{worker, tx.Now().Add(LeaseDuration)}, args...), most)
	err = tx.NewRaw("UPDATE calls SET claimed_by = ?, fence = fence + 1, lease_until = ? WHERE "+chosen+" RETURNING *", args...).Scan(ctx, &claimed)
	if database.NoRows(err) {
		return nil, nil
	}
	return claimed, err
}

// Lease is the hold that the claim of c gave.
func (c *Call) Lease() Lease { return Lease{CallID: c.ID, TenantID: c.TenantID, Fence: c.Fence} }

// Claimed is when the claim of c was made, by the database's time.
func (c *Call) Claimed() time.Time { return c.LeaseUntil.Add(-LeaseDuration) }

// Held is what a renewal tells about a call that is still the worker's.
type Held struct {
	ID       string `bun:"id"`
	EndAsked bool   `bun:"end_asked"`
}

// Renew renews the leases on all of a worker's calls and returns those that
// it still holds; any other is lost to it.
func (s *Service) Renew(ctx context.Context, worker string) ([]Held, error) {
	var held []Held
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw(`UPDATE calls SET lease_until = ? WHERE ended_at IS NULL AND claimed_by = ? RETURNING id, end_asked`,
			tx.Now().Add(LeaseDuration), worker).Scan(ctx, &held)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("renew leases: %w", err)
	}
	return held, nil
}

// Release gives calls back that nobody has joined yet, so that another worker
// takes them at once: the worker drains.
func (s *Service) Release(ctx context.Context, l Lease) error {
	return s.hold(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		c.ClaimedBy, c.LeaseUntil = nil, time.Time{}
		_, err := tx.NewUpdate().Model(c).Column("claimed_by", "lease_until").WherePK().Exec(ctx)
		tx.AfterCommit(s.wakeWorkers)
		return err
	})
}

// hold runs a write of the call's session, unless the lease is lost.
func (s *Service) hold(ctx context.Context, l Lease, f func(ctx context.Context, tx database.Tx, c *Call) error) error {
	return s.db.Tenant(l.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err := locked(ctx, tx, l.CallID)
		if err != nil {
			return err
		}
		if c.Status.Terminal() || c.Fence != l.Fence || c.ClaimedBy == nil {
			return ErrFenced
		}
		return f(ctx, tx, c)
	})
}

// Connecting tells that the caller is in the room, or is being dialled.
func (s *Service) Connecting(ctx context.Context, l Lease) error {
	return s.hold(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		return s.advance(ctx, tx, c, Connecting, NoReason)
	})
}

// Active tells that the caller's audio flows.
func (s *Service) Active(ctx context.Context, l Lease) error {
	return s.hold(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		return s.advance(ctx, tx, c, Active, NoReason)
	})
}

// Recording tells that the call's sound is about to be recorded, and returns
// the number of the part that begins, from 1.
func (s *Service) Recording(ctx context.Context, l Lease) (part int64, err error) {
	err = s.hold(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		c.Recordings++
		part = c.Recordings
		_, err := tx.NewUpdate().Model(c).Column("recordings").WherePK().Exec(ctx)
		return err
	})
	return part, err
}

// Finish ends a call of the worker's. The reason and the state that the call
// is in decide which end it is. It returns the call as it ended.
func (s *Service) Finish(ctx context.Context, l Lease, reason Reason) (*Call, error) {
	var ended *Call
	err := s.hold(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		ended = c
		return s.end(ctx, tx, c, reason)
	})
	return ended, err
}

// end moves a call to the terminal state that a reason leads to.
func (s *Service) end(ctx context.Context, tx database.Tx, c *Call, reason Reason) error {
	to, ok := ending(c.Status, reason)
	if !ok {
		return fmt.Errorf("no end of a call that is %s has reason %q", c.Status, reason)
	}
	return s.advance(ctx, tx, c, to, reason)
}
