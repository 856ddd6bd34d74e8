package call

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// A worker that does not renew its lease within LeaseDuration loses its calls.
const (
	LeaseDuration = 15 * time.Second
	LeaseRenewal  = 5 * time.Second
)

// Lease is a worker's exclusive hold on a call. Every write of the session carries it, so that a worker that lost
// the call cannot write to it.
type Lease struct {
	CallID, TenantID string
	Fence            int64
}

// errUnsettled aborts a claim made while leases may have expired only because the database's clock jumped.
var errUnsettled = errors.New("the database's clock jumped")

// TakeOver claims up to most started calls whose worker's lease has expired, oldest first.
func (s *Service) TakeOver(ctx context.Context, worker string, most int) (claimed []*Call, err error) {
	const expired = "SELECT id FROM calls WHERE ended_at IS NULL AND NOT end_asked AND status IN (?, ?) AND claimed_by IS NOT NULL AND lease_until < ? ORDER BY created_at LIMIT ?"
	err = s.db.System().With(storedPlans).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if claimed, err = claimSelected(ctx, tx, worker, expired, Connecting, Active, tx.Now(), most); err != nil || len(claimed) == 0 {
			return err
		}
		if settled, err := tx.Settled(ctx); err != nil {
			return err
		} else if !settled {
			return errUnsettled
		}
		return s.addTakenOver(ctx, tx, claimed)
	})
	if errors.Is(err, errUnsettled) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take over calls: %w", err)
	}
	return claimed, nil
}

// claimSelected claims the calls that a query selects.
func claimSelected(ctx context.Context, tx database.Tx, worker, choice string, args ...any) (claimed []*Call, err error) {
	args = append([]any{worker, tx.Now().Add(LeaseDuration)}, args...)
	err = tx.NewRaw("UPDATE calls SET claimed_by = ?, fence = fence + 1, lease_until = ? WHERE "+lockedIDs(tx, choice)+" RETURNING *", args...).Scan(ctx, &claimed)
	if database.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return claimed, readPlans(ctx, tx, claimed...)
}

// lockedIDs returns the condition for the calls that a query selects; on PostgreSQL it locks them, and skips those that
// other transactions have locked.
func lockedIDs(tx database.Tx, choice string) string {
	if !tx.Postgres() { // SQLite has a single writer
		return "id IN (" + choice + ")"
	}
	// ARRAY evaluates the subquery once; PostgreSQL may evaluate that of IN once per row, which breaks its LIMIT.
	return "id = ANY (ARRAY(" + choice + " FOR UPDATE SKIP LOCKED))"
}

// Lease returns the lease that the claim of c granted.
func (c *Call) Lease() Lease { return Lease{CallID: c.ID, TenantID: c.TenantID, Fence: c.Fence} }

// Claimed returns when c was claimed, in database time.
func (c *Call) Claimed() time.Time { return c.LeaseUntil.Add(-LeaseDuration) }

// HeldCall is the result of a lease renewal for one call.
type HeldCall struct {
	ID           string    `bun:"id"`
	EndRequested bool      `bun:"end_asked"`
	LeaseUntil   time.Time `bun:"lease_until"`
}

// Renewed returns when the lease was renewed, in database time.
func (h HeldCall) Renewed() time.Time { return h.LeaseUntil.Add(-LeaseDuration) }

// Renew renews a worker's leases on the given calls and returns the calls that it still holds. Other leases, such as
// those of a claim whose result never arrived, expire.
func (s *Service) Renew(ctx context.Context, worker string, calls []string) ([]HeldCall, error) {
	var held []HeldCall
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw(`UPDATE calls SET lease_until = ? WHERE ended_at IS NULL AND claimed_by = ? AND id IN (?) RETURNING id, end_asked, lease_until`,
			tx.Now().Add(LeaseDuration), worker, bun.List(calls)).Scan(ctx, &held)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("renew leases: %w", err)
	}
	return held, nil
}

// ExpireLeases ends the leases of workers that have died: started calls can be taken over, the others return to the
// queue. It returns the number of calls. cause is recorded in their incidents.
func (s *Service) ExpireLeases(ctx context.Context, cause IncidentCause, gone func(worker string) bool) (n int64, err error) {
	err = s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		var workers []string
		err := tx.NewRaw("SELECT DISTINCT claimed_by FROM calls WHERE ended_at IS NULL AND claimed_by IS NOT NULL AND (status = ? OR lease_until >= ?)", Pending, tx.Now()).Scan(ctx, &workers)
		if err != nil && !database.NoRows(err) {
			return err
		}
		workers = slices.DeleteFunc(workers, func(worker string) bool { return !gone(worker) })
		if len(workers) == 0 {
			return nil
		}
		if n, err = s.requeueCalls(ctx, tx, "ended_at IS NULL AND status = 'pending' AND claimed_by IN (?)", bun.List(workers)); err != nil {
			return err
		}
		if err := s.addWorkerLost(ctx, tx, cause, "ended_at IS NULL AND claimed_by IN (?)", bun.List(workers)); err != nil {
			return err
		}
		result, err := tx.NewRaw("UPDATE calls SET lease_until = ? WHERE ended_at IS NULL AND claimed_by IN (?) AND lease_until >= ?",
			tx.Now().Add(-time.Microsecond), bun.List(workers), tx.Now()).Exec(ctx)
		if err != nil {
			return err
		}
		started, err := result.RowsAffected()
		n += started
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("expire leases of dead workers: %w", err)
	}
	return n, nil
}

// Release returns a call that nobody has joined to the queue, because its worker drains or needs the slot for a
// caller who is present. The lease of a call that has started expires instead, so that it is taken over.
func (s *Service) Release(ctx context.Context, l Lease) error {
	return s.withLease(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		if c.Status == Pending {
			c.ClaimedBy, c.LeaseUntil = nil, time.Time{}
		} else {
			c.LeaseUntil = tx.Now().Add(-time.Microsecond)
			if err := s.addWorkerLost(ctx, tx, ReleasedByWorker, "id = ?", c.ID); err != nil {
				return err
			}
		}
		_, err := tx.NewUpdate().Model(c).Column("claimed_by", "lease_until").WherePK().Exec(ctx)
		tx.AfterCommit(func() { s.notifyWorkers(c) })
		return err
	})
}

// withLease runs a write of the call's session, or returns ErrFenced if the lease is lost.
func (s *Service) withLease(ctx context.Context, l Lease, f func(ctx context.Context, tx database.Tx, c *Call) error) error {
	return s.db.Tenant(l.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err := lockCall(ctx, tx, l.CallID)
		if err != nil {
			return err
		}
		if c.Status.Terminal() || c.Fence != l.Fence || c.ClaimedBy == nil {
			return ErrFenced
		}
		return f(ctx, tx, c)
	})
}

// MarkConnecting records that the caller is in the room or is being dialled. It is idempotent.
func (s *Service) MarkConnecting(ctx context.Context, l Lease) error {
	return s.withLease(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		if c.Status == Connecting {
			return nil
		}
		return s.advance(ctx, tx, c, Connecting, NoReason)
	})
}

// MarkActive records that the caller's audio flows. It is idempotent.
func (s *Service) MarkActive(ctx context.Context, l Lease) error {
	return s.withLease(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		if c.Status == Active {
			return nil
		}
		return s.advance(ctx, tx, c, Active, NoReason)
	})
}

// StartRecording records that a recording starts, and returns the number of its part, from 1.
func (s *Service) StartRecording(ctx context.Context, l Lease) (part int64, err error) {
	err = s.withLease(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		c.Recordings++
		part = c.Recordings
		_, err := tx.NewUpdate().Model(c).Column("recordings").WherePK().Exec(ctx)
		return err
	})
	return part, err
}

// Finish ends a call that the worker holds, and returns it as it ended. The terminal state follows from the reason
// and the current state.
func (s *Service) Finish(ctx context.Context, l Lease, reason Reason) (*Call, error) {
	var ended *Call
	err := s.withLease(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		ended = c
		return s.endCall(ctx, tx, c, reason)
	})
	return ended, err
}

// FinishUnreached ends a call whose number was dialled and not reached. sipStatus is the final SIP status, 0 for
// none; the event carries it.
func (s *Service) FinishUnreached(ctx context.Context, l Lease, reason Reason, sipStatus int) (*Call, error) {
	var ended *Call
	err := s.withLease(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		ended = c
		if sipStatus != 0 {
			c.SIPStatus = &sipStatus
		}
		return s.endCall(ctx, tx, c, reason)
	})
	return ended, err
}

// endCallCall moves a call to the terminal state of a reason.
func (s *Service) endCall(ctx context.Context, tx database.Tx, c *Call, reason Reason) error {
	to, ok := terminalState(c.Status, reason)
	if !ok {
		return fmt.Errorf("a call that is %s cannot end with reason %q", c.Status, reason)
	}
	return s.advance(ctx, tx, c, to, reason)
}
