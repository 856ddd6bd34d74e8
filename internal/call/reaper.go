package call

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley/internal/database"
)

// reaperGrace is how long after its deadline a call is left to its worker.
const reaperGrace = 2 * time.Second

// heldGrace is the same for a call whose worker renews its lease: it may be waiting for a media server that does not respond.
const heldGrace = 10 * time.Second

// takeoverGrace is how long a started call waits for another worker after its lease has expired, and how long after an outage of the
// database calls that no worker has claimed wait for one.
const takeoverGrace = 8 * time.Second

// queryTimeout bounds each database operation of the reaper.
const queryTimeout = 5 * time.Second

// reaper is the state of one process's reaper.
type reaper struct {
	s        *Service
	rooms    Rooms
	log      *slog.Logger
	database Reachability // database time

	mu         sync.Mutex
	endedRooms []string // rooms of calls that it ended
}

func newReaper(s *Service, rooms Rooms, log *slog.Logger) *reaper {
	return &reaper{s: s, rooms: rooms, log: log, database: Reachability{Gap: RecoveryTime}}
}

// Reap runs until the context ends. Each second it ends calls that no worker ends: never joined, without a worker,
// or over their maximum duration. It requeues calls that nobody has joined and whose worker is gone, measures the
// load, and deletes rooms of ended calls. Any number of processes may run it.
func (s *Service) Reap(ctx context.Context, rooms Rooms, log *slog.Logger) {
	r := newReaper(s, rooms, log)
	r.logError(ctx, r.measureLoad(ctx))
	sweeping := &backgroundJob{name: "compare rooms with calls", run: func(limited context.Context) error {
		cleared, err := s.sweep(limited, rooms)
		for _, name := range cleared {
			log.InfoContext(ctx, "room without a call deleted", "room", name)
		}
		return err
	}}
	watching := &backgroundJob{name: "find callers of waiting calls", run: func(limited context.Context) error { return s.pollArrivals(limited, rooms) }}
	clearing := &backgroundJob{name: "delete rooms of reaped calls", run: r.deleteRooms}
	forgetting := &backgroundJob{name: "delete expired idempotency keys", run: s.deleteExpiredAnswers}
	for _, e := range []*backgroundJob{sweeping, watching, clearing, forgetting} {
		defer e.wait()
	}
	sweeping.start(ctx, log)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	sweep := time.NewTicker(sweepInterval)
	defer sweep.Stop()
	forget := time.NewTicker(expireInterval)
	defer forget.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-forget.C:
			forgetting.start(ctx, log)
		case <-sweep.C:
			sweeping.start(ctx, log)
		case <-ticker.C:
			r.runOnce(ctx)
			if !rooms.Own() && !sweeping.failed.Load() {
				sweeping.start(ctx, log)
			}
			if !rooms.Own() && s.Load().Waiting > 0 {
				watching.start(ctx, log)
			}
			if r.hasRooms() {
				clearing.start(ctx, log)
			}
		}
	}
}

func (r *reaper) logError(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		r.log.ErrorContext(ctx, "reaper failed", "error", err)
	}
}

// withTimeout runs a database operation within queryTimeout.
func withTimeout(ctx context.Context, do func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return do(limited)
}

// runOnce measures the load, then ends and requeues calls.
func (r *reaper) runOnce(ctx context.Context) {
	err := r.measureLoad(ctx)
	if err == nil {
		err = r.reap(ctx)
	}
	if database.IsUnavailable(err) {
		r.database.MarkUnreachable()
	}
	r.logError(ctx, err)
}

func (r *reaper) measureLoad(ctx context.Context) error {
	err := withTimeout(ctx, r.s.measureLoad)
	if err == nil {
		r.database.MarkReachable(r.s.Load().measuredAt)
	}
	return err
}

// reap ends overdue calls and requeues those of lost workers. It does nothing while workers may be unable to renew
// their leases. A call that cannot be ended does not delay the others.
func (r *reaper) reap(ctx context.Context) error {
	var c dueWork
	err := withTimeout(ctx, func(ctx context.Context) (err error) {
		c, err = r.s.findDueWork(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if r.database.MarkReachable(c.at); !r.database.Stable(c.at) {
		return nil
	}
	var failed []error
	for _, id := range c.due {
		err := withTimeout(ctx, func(ctx context.Context) error { return r.endCall(ctx, id) })
		failed = append(failed, err)
		if ctx.Err() != nil || database.IsUnavailable(err) {
			return errors.Join(failed...)
		}
	}
	if c.requeue {
		failed = append(failed, withTimeout(ctx, r.requeue))
	}
	return errors.Join(failed...)
}

// dueWork is what a reaper has to do.
type dueWork struct {
	at      time.Time // database time
	due     []string  // calls that are overdue
	requeue bool      // calls with expired leases have to be requeued
}

func (s *Service) findDueWork(ctx context.Context) (c dueWork, err error) {
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		c.at = tx.Now()
		if settled, err := tx.Settled(ctx); err != nil || !settled {
			return err // nothing is certainly overdue
		}
		if err := tx.NewRaw(`SELECT id FROM calls WHERE ended_at IS NULL AND (
			(status = ? AND join_by < ?) OR
			(status IN (?, ?) AND (lease_until IS NULL OR lease_until < ?)) OR
			(status = ? AND started_at < ?) OR
			(end_asked AND (lease_until IS NULL OR lease_until < ?)))`,
			Pending, c.at.Add(-reaperGrace), Connecting, Active, c.at.Add(-takeoverGrace), Active, c.at.Add(-s.o.MaxDuration-reaperGrace), c.at).Scan(ctx, &c.due); err != nil && !database.NoRows(err) {
			return err
		}
		return tx.NewRaw("SELECT EXISTS (SELECT 1 FROM calls WHERE "+expiredPending+")", c.at).Scan(ctx, &c.requeue)
	})
	if err != nil {
		return c, fmt.Errorf("find overdue calls: %w", err)
	}
	return c, nil
}

// endCall ends a call if it is still overdue.
func (r *reaper) endCall(ctx context.Context, id string) error {
	var over *Call
	err := r.s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err := lockCall(ctx, tx, id)
		if err != nil {
			return err
		}
		r.database.MarkReachable(tx.Now())
		if settled, err := tx.Settled(ctx); err != nil || !settled {
			return err
		}
		reason, overdue := r.s.overdue(c, tx.Now())
		if waits := reason == WorkerLost || c.Status == Pending && reason != EndedByAPI; !overdue || waits && r.database.StableFor(tx.Now()) <= takeoverGrace {
			return nil // workers may take it until then
		}
		over = c
		if reason == WorkerLost {
			if err := r.s.addWorkerLost(ctx, tx, LeaseLapsed, "id = ?", c.ID); err != nil {
				return err
			}
		}
		if err := writeErrors(ctx, tx, c, r.endErrors(c, reason, tx.Now())); err != nil {
			return fmt.Errorf("write why the call ended: %w", err)
		}
		return r.s.end(ctx, tx, c, reason)
	})
	if err != nil || over == nil {
		return err
	}
	r.log.InfoContext(ctx, "call reaped", "call", over.ID, "tenant", over.TenantID, "status", over.Status, "reason", *over.StatusReason)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endedRooms = append(r.endedRooms, over.RoomName)
	return nil
}

// requeue requeues calls that wait under expired leases.
func (r *reaper) requeue(ctx context.Context) error {
	var n int64
	err := r.s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		settled, err := tx.Settled(ctx)
		if err == nil && settled {
			n, err = r.s.requeueCalls(ctx, tx, expiredPending, tx.Now())
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("requeue calls: %w", err)
	}
	if n > 0 {
		r.log.InfoContext(ctx, "calls of a lost worker requeued", "calls", n)
	}
	return nil
}

// hasRooms reports whether rooms of ended calls remain to be deleted.
func (r *reaper) hasRooms() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.endedRooms) > 0
}

// deleteRooms deletes the rooms of calls that were ended. Rooms that cannot be deleted in time are left to the
// sweep.
func (r *reaper) deleteRooms(ctx context.Context) error {
	r.mu.Lock()
	left := r.endedRooms
	r.endedRooms = nil
	r.mu.Unlock()
	var failed []error
	for _, room := range left {
		if failed = append(failed, r.rooms.Delete(ctx, room)); ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// overdue returns the reason to end a call now, if there is one.
func (s *Service) overdue(c *Call, now time.Time) (Reason, bool) {
	lapsed := c.LeaseUntil.Before(now)
	switch {
	case c.Status.Terminal():
		return "", false
	case c.EndRequested && lapsed:
		return EndedByAPI, true
	case c.Status == Pending && !lapsed:
		if c.CallType == SIP {
			return ConnectionLost, c.JoinBy.Before(now.Add(-heldGrace)) // the agent is not in the room
		}
		return JoinTimeout, c.JoinBy.Before(now.Add(-heldGrace))
	case c.Status == Pending && c.JoinBy.Before(now.Add(-reaperGrace)):
		if c.Fence == 0 || c.CallType == SIP || !c.ArrivedAt.IsZero() {
			return NoWorker, true
		}
		return JoinTimeout, true
	case c.Status != Pending && c.LeaseUntil.Before(now.Add(-takeoverGrace)):
		return WorkerLost, true
	case c.Status == Active && c.StartedAt.Before(now.Add(-s.o.MaxDuration-reaperGrace)):
		return MaxDuration, true
	}
	return "", false
}
