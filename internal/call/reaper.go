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

// takeoverGrace is how long a started call claimable for another worker after its lease has expired, and how long after an outage of the
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
// or ended their maximum duration. It requeues calls that nobody has joined and whose worker is gone, measures the
// load, writes what calls store, and deletes rooms of ended calls and unused plans. Any number of processes may run it.
func (s *Service) Reap(ctx context.Context, rooms Rooms, log *slog.Logger) {
	r := newReaper(s, rooms, log)
	r.logError(ctx, r.measureLoad(ctx))
	sweepJob := &backgroundJob{name: "compare rooms with calls", run: func(limited context.Context) error {
		deleted, err := s.sweepRooms(limited, rooms)
		for _, name := range deleted {
			log.InfoContext(ctx, "room without a call deleted", "room", name)
		}
		return err
	}}
	arrivalJob := &backgroundJob{name: "find callers of waiting calls", run: func(limited context.Context) error { return s.pollArrivals(limited, rooms) }}
	roomJob := &backgroundJob{name: "delete rooms of reaped calls", run: r.deleteRooms}
	keyJob := &backgroundJob{name: "delete expired idempotency keys", run: s.deleteExpiredResponses}
	planJob := &backgroundJob{name: "delete unused plans", run: s.deleteUnusedPlans}
	for _, j := range []*backgroundJob{sweepJob, arrivalJob, roomJob, keyJob, planJob} {
		defer j.wait()
	}
	sweepJob.start(ctx, log)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	sweep := time.NewTicker(sweepInterval)
	defer sweep.Stop()
	expire := time.NewTicker(expireInterval)
	defer expire.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-expire.C:
			keyJob.start(ctx, log)
			planJob.start(ctx, log)
		case <-sweep.C:
			sweepJob.start(ctx, log)
		case <-ticker.C:
			r.runOnce(ctx)
			if !rooms.Own() && !sweepJob.failed.Load() {
				sweepJob.start(ctx, log)
			}
			if !rooms.Own() && s.Load().Waiting > 0 {
				arrivalJob.start(ctx, log)
			}
			if r.hasRooms() {
				roomJob.start(ctx, log)
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
		err = r.endOverdue(ctx)
	}
	if err == nil {
		err = withTimeout(ctx, r.s.writeStored)
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

// endOverdue ends overdue calls and requeues those of lost workers. It does nothing while workers may be unable to renew
// their leases. A call that cannot be ended does not delay the others.
func (r *reaper) endOverdue(ctx context.Context) error {
	var work dueWork
	err := withTimeout(ctx, func(ctx context.Context) (err error) {
		work, err = r.s.findDueWork(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if r.database.MarkReachable(work.at); !r.database.Stable(work.at) {
		return nil
	}
	var failed []error
	for _, id := range work.due {
		err := withTimeout(ctx, func(ctx context.Context) error { return r.endCall(ctx, id) })
		failed = append(failed, err)
		if ctx.Err() != nil || database.IsUnavailable(err) {
			return errors.Join(failed...)
		}
	}
	if work.requeue {
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

func (s *Service) findDueWork(ctx context.Context) (work dueWork, err error) {
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		work.at = tx.Now()
		if settled, err := tx.Settled(ctx); err != nil || !settled {
			return err // nothing is certainly overdue
		}
		if err := tx.NewRaw(`SELECT id FROM calls WHERE ended_at IS NULL AND (
			(status = ? AND join_by < ?) OR
			(status IN (?, ?) AND (lease_until IS NULL OR lease_until < ?)) OR
			(status = ? AND started_at < ?) OR
			(end_asked AND (lease_until IS NULL OR lease_until < ?)))`,
			Pending, work.at.Add(-reaperGrace), Connecting, Active, work.at.Add(-takeoverGrace), Active, work.at.Add(-s.options.MaxDuration-reaperGrace), work.at).Scan(ctx, &work.due); err != nil && !database.NoRows(err) {
			return err
		}
		return tx.NewRaw("SELECT EXISTS (SELECT 1 FROM calls WHERE "+expiredPending+")", work.at).Scan(ctx, &work.requeue)
	})
	if err != nil {
		return work, fmt.Errorf("find overdue calls: %w", err)
	}
	return work, nil
}

// endCall ends a call if it is still overdue.
func (r *reaper) endCall(ctx context.Context, id string) error {
	var ended *Call
	err := r.s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err := lockCall(ctx, tx, id)
		if err != nil {
			return err
		}
		r.database.MarkReachable(tx.Now())
		if settled, err := tx.Settled(ctx); err != nil || !settled {
			return err
		}
		reason, overdue := r.s.overdueReason(c, tx.Now())
		if claimable := reason == WorkerLost || c.Status == Pending && reason != EndedByAPI; !overdue || claimable && r.database.StableFor(tx.Now()) <= takeoverGrace {
			return nil // a worker may still claim it
		}
		ended = c
		if reason == WorkerLost {
			if err := r.s.addWorkerLost(ctx, tx, LeaseExpired, "id = ?", c.ID); err != nil {
				return err
			}
		}
		reasons := r.endErrors(c, reason, tx.Now())
		if err := writeErrors(ctx, tx, c, reasons); err != nil {
			return fmt.Errorf("write why the call ended: %w", err)
		}
		if n := errorBytes(reasons); n > 0 {
			tx.AfterCommit(func() { r.s.stored.add(c.TenantID, n) })
			c.StoredBytes += n
		}
		return r.s.endCall(ctx, tx, c, reason)
	})
	if err != nil || ended == nil {
		return err
	}
	r.log.InfoContext(ctx, "call reaped", "call", ended.ID, "tenant", ended.TenantID, "status", ended.Status, "reason", *ended.StatusReason)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endedRooms = append(r.endedRooms, ended.RoomName)
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

// overdueReason returns the reason to end a call now; false if it is not overdue.
func (s *Service) overdueReason(c *Call, now time.Time) (Reason, bool) {
	expired := c.LeaseUntil.Before(now)
	switch {
	case c.Status.Terminal():
		return "", false
	case c.EndRequested && expired:
		return EndedByAPI, true
	case c.Status == Pending && !expired:
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
	case c.Status == Active && c.StartedAt.Before(now.Add(-s.options.MaxDuration-reaperGrace)):
		return MaxDuration, true
	}
	return "", false
}
