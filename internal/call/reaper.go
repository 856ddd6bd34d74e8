package call

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley/internal/database"
)

// reaperGrace is how long after its deadline a call is left to its worker.
const reaperGrace = 2 * time.Second

// takeoverGrace is how long after its lease lapsed a call that had begun waits
// for another worker to take it over.
const takeoverGrace = 8 * time.Second

// Recovery is how long a process, once it reaches the database again, takes no
// lease for lapsed: whoever holds it could not renew it either, and does so now.
const Recovery = 3 * time.Second

// Reap looks each second for calls that nobody else will end, and ends them:
// never joined, without a worker, over-long. It weighs the load, and
// clears away rooms whose call is over. Any number of processes may do so at
// once. It returns when the context ends.
func (s *Service) Reap(ctx context.Context, rooms Rooms, log *slog.Logger) {
	complain := func(err error) {
		if err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "reaper", "error", err)
		}
	}
	complain(s.weigh(ctx))
	sweeping := errand{what: "compare rooms with calls", do: func(limited context.Context) error {
		cleared, err := s.sweep(limited, rooms)
		for _, name := range cleared {
			log.InfoContext(ctx, "room without a call cleared away", "room", name)
		}
		return err
	}}
	defer sweeping.wait()
	sweeping.begin(ctx, log)
	watching := errand{what: "look for callers whose calls wait", do: func(limited context.Context) error { return s.watch(limited, rooms) }}
	defer watching.wait()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	sweep := time.NewTicker(sweepInterval)
	defer sweep.Stop()
	forget := time.NewTicker(forgetInterval)
	defer forget.Stop()
	var away time.Time // when the database was last found away
	for {
		select {
		case <-ctx.Done():
			return
		case <-forget.C:
			complain(s.forgetAnswers(ctx))
			continue
		case <-sweep.C:
			sweeping.begin(ctx, log)
			continue
		case <-ticker.C:
		}
		err := s.weigh(ctx)
		if !rooms.Own() && s.Load().Waiting > 0 {
			watching.begin(ctx, log)
		}
		var ended []*Call
		if err == nil && time.Since(away) > Recovery {
			ended, err = s.reapOnce(ctx)
		}
		if err != nil {
			away = time.Now()
			complain(err)
		}
		for _, c := range ended {
			log.InfoContext(ctx, "call reaped", "call", c.ID, "tenant", c.TenantID, "status", c.Status, "reason", *c.StatusReason)
			if err := rooms.Delete(ctx, c.RoomName); err != nil && ctx.Err() == nil {
				log.WarnContext(ctx, "room of a reaped call", "call", c.ID, "error", err)
			}
		}
	}
}

// reapOnce ends what is overdue. One call that cannot be ended holds up no
// other.
func (s *Service) reapOnce(ctx context.Context) (ended []*Call, err error) {
	var due []string
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		now := tx.Now()
		return tx.NewRaw(`SELECT id FROM calls WHERE ended_at IS NULL AND (
			(status = ? AND join_by < ?) OR
			(status IN (?, ?) AND (lease_until IS NULL OR lease_until < ?)) OR
			(status = ? AND started_at < ?) OR
			(end_asked AND (lease_until IS NULL OR lease_until < ?)))`,
			Pending, now.Add(-reaperGrace), Connecting, Active, now.Add(-takeoverGrace), Active, now.Add(-s.o.MaxDuration-reaperGrace), now).Scan(ctx, &due)
	})
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, id := range due {
		var over *Call
		err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			c, err := locked(ctx, tx, id)
			if err != nil {
				return err
			}
			reason, overdue := s.overdue(c, tx.Now())
			if !overdue {
				return nil
			}
			over = c
			return s.end(ctx, tx, c, reason)
		})
		switch {
		case err == nil && over != nil:
			ended = append(ended, over)
		case ctx.Err() != nil:
			return ended, ctx.Err()
		case err != nil:
			failed = append(failed, err)
		}
	}
	return ended, errors.Join(failed...)
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
		if c.Fence == 0 || c.CallType == SIP || c.ClaimedBy == nil && !c.ArrivedAt.IsZero() {
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
