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

// takeoverGrace is how long after its lease lapsed a call that had begun waits
// for another worker to take it over.
const takeoverGrace = 8 * time.Second

// lookWait bounds each thing that the reaper does with the database: one that
// does not answer for so long is away.
const lookWait = 5 * time.Second

// reaper is the reaper of one process.
type reaper struct {
	s     *Service
	rooms Rooms
	log   *slog.Logger
	sight Sight // by the database's clock

	mu   sync.Mutex
	left []string // rooms of calls that it ended
}

func newReaper(s *Service, rooms Rooms, log *slog.Logger) *reaper {
	return &reaper{s: s, rooms: rooms, log: log, sight: Sight{Gap: Recovery}}
}

// Reap looks each second for calls that nobody else will end, and ends them:
// never joined, without a worker, over-long. Calls that nobody has joined and
// whose worker vanished go back to the queue. It weighs the load, and clears
// away rooms whose call is over. Any number of processes may do so at once. It
// returns when the context ends.
func (s *Service) Reap(ctx context.Context, rooms Rooms, log *slog.Logger) {
	r := newReaper(s, rooms, log)
	r.complain(ctx, r.weigh(ctx))
	sweeping := &errand{what: "compare rooms with calls", do: func(limited context.Context) error {
		cleared, err := s.sweep(limited, rooms)
		for _, name := range cleared {
			log.InfoContext(ctx, "room without a call cleared away", "room", name)
		}
		return err
	}}
	watching := &errand{what: "look for callers whose calls wait", do: func(limited context.Context) error { return s.watch(limited, rooms) }}
	clearing := &errand{what: "rooms of reaped calls", do: r.clear}
	forgetting := &errand{what: "forget answers", do: s.forgetAnswers}
	for _, e := range []*errand{sweeping, watching, clearing, forgetting} {
		defer e.wait()
	}
	sweeping.begin(ctx, log)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	sweep := time.NewTicker(sweepInterval)
	defer sweep.Stop()
	forget := time.NewTicker(forgetInterval)
	defer forget.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-forget.C:
			forgetting.begin(ctx, log)
		case <-sweep.C:
			sweeping.begin(ctx, log)
		case <-ticker.C:
			r.look(ctx)
			if !rooms.Own() && !sweeping.failed.Load() {
				sweeping.begin(ctx, log)
			}
			if !rooms.Own() && s.Load().Waiting > 0 {
				watching.begin(ctx, log)
			}
			if r.leaves() {
				clearing.begin(ctx, log)
			}
		}
	}
}

func (r *reaper) complain(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		r.log.ErrorContext(ctx, "reaper", "error", err)
	}
}

// bounded does something with the database that it has lookWait for.
func bounded(ctx context.Context, do func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	return do(limited)
}

// look weighs the load, and sees to calls that nobody else will.
func (r *reaper) look(ctx context.Context) {
	err := r.weigh(ctx)
	if err == nil {
		err = r.reap(ctx)
	}
	if database.Away(err) {
		r.sight.Lost()
	}
	r.complain(ctx, err)
}

func (r *reaper) weigh(ctx context.Context) error {
	err := bounded(ctx, r.s.weigh)
	if err == nil {
		r.sight.Seen(r.s.Load().at)
	}
	return err
}

// reap ends what is overdue, and gives back to the queue what waits there for
// nobody. It does neither while workers may be unable to say that they live. One
// call that cannot be ended holds up no other.
func (r *reaper) reap(ctx context.Context) error {
	var c chores
	err := bounded(ctx, func(ctx context.Context) (err error) {
		c, err = r.s.chores(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if r.sight.Seen(c.at); !r.sight.Clear(c.at) {
		return nil
	}
	var failed []error
	for _, id := range c.due {
		err := bounded(ctx, func(ctx context.Context) error { return r.end(ctx, id) })
		failed = append(failed, err)
		if ctx.Err() != nil || database.Away(err) {
			return errors.Join(failed...)
		}
	}
	if c.stranded {
		failed = append(failed, bounded(ctx, r.requeue))
	}
	return errors.Join(failed...)
}

// chores is what there is to do for a reaper.
type chores struct {
	at       time.Time // by the database's clock
	due      []string  // calls that are overdue
	stranded bool      // calls wait in the hands of workers that vanished
}

func (s *Service) chores(ctx context.Context) (c chores, err error) {
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		c.at = tx.Now()
		if settled, err := tx.Settled(ctx); err != nil || !settled {
			return err // nothing is overdue for sure
		}
		if err := tx.NewRaw(`SELECT id FROM calls WHERE ended_at IS NULL AND (
			(status = ? AND join_by < ?) OR
			(status IN (?, ?) AND (lease_until IS NULL OR lease_until < ?)) OR
			(status = ? AND started_at < ?) OR
			(end_asked AND (lease_until IS NULL OR lease_until < ?)))`,
			Pending, c.at.Add(-reaperGrace), Connecting, Active, c.at.Add(-takeoverGrace), Active, c.at.Add(-s.o.MaxDuration-reaperGrace), c.at).Scan(ctx, &c.due); err != nil && !database.NoRows(err) {
			return err
		}
		return tx.NewRaw("SELECT EXISTS (SELECT 1 FROM calls WHERE "+stranded+")", c.at).Scan(ctx, &c.stranded)
	})
	if err != nil {
		return c, fmt.Errorf("look for overdue calls: %w", err)
	}
	return c, nil
}

// end ends a call, if it is overdue still.
func (r *reaper) end(ctx context.Context, id string) error {
	var over *Call
	err := r.s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err := locked(ctx, tx, id)
		if err != nil {
			return err
		}
		r.sight.Seen(tx.Now())
		if settled, err := tx.Settled(ctx); err != nil || !settled {
			return err
		}
		reason, overdue := r.s.overdue(c, tx.Now())
		if !overdue || reason == WorkerLost && r.sight.For(tx.Now()) <= takeoverGrace {
			return nil // workers take over what they can as soon as their sight is clear
		}
		over = c
		if reason == WorkerLost {
			if err := r.s.loseWorkers(ctx, tx, LeaseLapsed, "id = ?", c.ID); err != nil {
				return err
			}
		}
		return r.s.end(ctx, tx, c, reason)
	})
	if err != nil || over == nil {
		return err
	}
	r.log.InfoContext(ctx, "call reaped", "call", over.ID, "tenant", over.TenantID, "status", over.Status, "reason", *over.StatusReason)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = append(r.left, over.RoomName)
	return nil
}

// requeue gives back what waits in the hands of workers that vanished.
func (r *reaper) requeue(ctx context.Context) error {
	var n int64
	err := r.s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		settled, err := tx.Settled(ctx)
		if err == nil && settled {
			n, err = r.s.giveBack(ctx, tx, stranded, tx.Now())
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("give calls back to the queue: %w", err)
	}
	if n > 0 {
		r.log.InfoContext(ctx, "calls of a worker that is gone wait again", "calls", n)
	}
	return nil
}

// leaves reports whether rooms of ended calls are left.
func (r *reaper) leaves() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.left) > 0
}

// clear deletes the rooms of calls that were ended. One that cannot be deleted,
// or not in time, is left to the sweep.
func (r *reaper) clear(ctx context.Context) error {
	r.mu.Lock()
	left := r.left
	r.left = nil
	r.mu.Unlock()
	var failed []error
	for _, room := range left {
		if failed = append(failed, r.rooms.Delete(ctx, room)); ctx.Err() != nil {
			break
		}
	}
	return errors.Join(failed...)
}

// overdue tells why a call has to be ended now, if it has to.
func (s *Service) overdue(c *Call, now time.Time) (Reason, bool) {
	lapsed := c.LeaseUntil.Before(now)
	switch {
	case c.Status.Terminal():
		return "", false
	case c.EndAsked && lapsed:
		return EndedByAPI, true
	case c.Status == Pending && c.JoinBy.Before(now.Add(-reaperGrace)):
		if c.Fence == 0 || c.CallType == SIP || lapsed && !c.ArrivedAt.IsZero() {
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
