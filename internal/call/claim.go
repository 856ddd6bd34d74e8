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

// errUnsettled gives back what was claimed by leases of which it is not known
// whether they lapsed, or the database's clock jumped.
var errUnsettled = errors.New("the database's clock jumped")

// TakeOver takes up to most calls that had begun and whose worker vanished:
// they go on as they are, if their callers are still there.
func (s *Service) TakeOver(ctx context.Context, worker string, most int) (claimed []*Call, err error) {
	const vanished = "SELECT id FROM calls WHERE ended_at IS NULL AND NOT end_asked AND status IN (?, ?) AND claimed_by IS NOT NULL AND lease_until < ? ORDER BY created_at LIMIT ?"
	err = s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if claimed, err = claim(ctx, tx, worker, vanished, Connecting, Active, tx.Now(), most); err != nil || len(claimed) == 0 {
			return err
		}
		if settled, err := tx.Settled(ctx); err != nil {
			return err
		} else if !settled {
			return errUnsettled
		}
		return s.takenOver(ctx, tx, claimed)
	})
	if errors.Is(err, errUnsettled) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take over calls: %w", err)
	}
	return claimed, nil
}

// claim takes the calls that a query chooses.
func claim(ctx context.Context, tx database.Tx, worker, choice string, args ...any) (claimed []*Call, err error) {
	args = append([]any{worker, tx.Now().Add(LeaseDuration)}, args...)
	err = tx.NewRaw("UPDATE calls SET claimed_by = ?, fence = fence + 1, lease_until = ? WHERE "+chosen(tx, choice)+" RETURNING *", args...).Scan(ctx, &claimed)
	if database.NoRows(err) {
		return nil, nil
	}
	return claimed, err
}

// chosen is the condition of the calls that a query chooses, without those that
// somebody else is changing.
func chosen(tx database.Tx, choice string) string {
	if !tx.Postgres() { // which has one writer
		return "id IN (" + choice + ")"
	}
	// As an array, the choice is made once: PostgreSQL may run the query of an IN
	// again for each row, and its LIMIT means nothing.
	return "id = ANY (ARRAY(" + choice + " FOR UPDATE SKIP LOCKED))"
}

// Lease is the hold that the claim of c gave.
func (c *Call) Lease() Lease { return Lease{CallID: c.ID, TenantID: c.TenantID, Fence: c.Fence} }

// Claimed is when the claim of c was made, by the database's time.
func (c *Call) Claimed() time.Time { return c.LeaseUntil.Add(-LeaseDuration) }

// Held is what a renewal tells about a call that is still the worker's.
type Held struct {
	ID         string    `bun:"id"`
	EndAsked   bool      `bun:"end_asked"`
	LeaseUntil time.Time `bun:"lease_until"`
}

// Renewed is when the renewal was made, by the database's time.
func (h Held) Renewed() time.Time { return h.LeaseUntil.Add(-LeaseDuration) }

// Renew renews the leases on a worker's calls and returns those that it still
// holds; any other is lost to it. The worker names the calls that it runs: a
// claim whose answer it never got must lapse.
func (s *Service) Renew(ctx context.Context, worker string, calls []string) ([]Held, error) {
	var held []Held
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw(`UPDATE calls SET lease_until = ? WHERE ended_at IS NULL AND claimed_by = ? AND id IN (?) RETURNING id, end_asked, lease_until`,
			tx.Now().Add(LeaseDuration), worker, bun.List(calls)).Scan(ctx, &held)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("renew leases: %w", err)
	}
	return held, nil
}

// Lapse ends the leases of workers that are gone for certain, so that their
// calls need not wait for it: those that had begun can be taken over, the others
// are in the queue again. It returns how many calls that were. cause is how the
// workers came to be gone.
func (s *Service) Lapse(ctx context.Context, cause Cause, gone func(worker string) bool) (n int64, err error) {
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
		if n, err = s.giveBack(ctx, tx, "ended_at IS NULL AND status = 'pending' AND claimed_by IN (?)", bun.List(workers)); err != nil {
			return err
		}
		if err := s.loseWorkers(ctx, tx, cause, "ended_at IS NULL AND claimed_by IN (?)", bun.List(workers)); err != nil {
			return err
		}
		result, err := tx.NewRaw("UPDATE calls SET lease_until = ? WHERE ended_at IS NULL AND claimed_by IN (?) AND lease_until >= ?",
			tx.Now().Add(-time.Microsecond), bun.List(workers), tx.Now()).Exec(ctx)
		if err != nil {
			return err
		}
		begun, err := result.RowsAffected()
		n += begun
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("end leases of workers that are gone: %w", err)
	}
	return n, nil
}

// Release gives a call back that nobody has joined yet, so that another worker
// can take it at once: the worker drains, or has a caller who is there to take
// instead. Of one that has begun after all, the lease lapses: it is taken over.
func (s *Service) Release(ctx context.Context, l Lease) error {
	return s.hold(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		if c.Status == Pending {
			c.ClaimedBy, c.LeaseUntil = nil, time.Time{}
		} else {
			c.LeaseUntil = tx.Now().Add(-time.Microsecond)
			if err := s.loseWorkers(ctx, tx, GivenBack, "id = ?", c.ID); err != nil {
				return err
			}
		}
		_, err := tx.NewUpdate().Model(c).Column("claimed_by", "lease_until").WherePK().Exec(ctx)
		tx.AfterCommit(func() { s.wakeWorkers(c) })
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

// Connecting tells that the caller is in the room, or is being dialled. To tell
// it again changes nothing.
func (s *Service) Connecting(ctx context.Context, l Lease) error {
	return s.hold(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		if c.Status == Connecting {
			return nil
		}
		return s.advance(ctx, tx, c, Connecting, NoReason)
	})
}

// Active tells that the caller's audio flows. To tell it again changes nothing.
func (s *Service) Active(ctx context.Context, l Lease) error {
	return s.hold(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		if c.Status == Active {
			return nil
		}
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

// Unreached ends a call whose number was dialled and not reached. sipStatus is
// what the telephone network answered, 0 when it answered nothing; the event
// tells it.
func (s *Service) Unreached(ctx context.Context, l Lease, reason Reason, sipStatus int) (*Call, error) {
	var ended *Call
	err := s.hold(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		ended = c
		if sipStatus != 0 {
			c.SIPStatus = &sipStatus
		}
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
