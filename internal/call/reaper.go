package call

import (
	"context"
	"log/slog"
	"time"

	"parley/internal/database"
)

// reaperGrace is how long after its deadline a call is left to its worker.
const reaperGrace = 2 * time.Second

// takeoverGrace is how long after its lease lapsed a call that had begun waits
// for another worker to take it over.
const takeoverGrace = 8 * time.Second

// Rooms is what the reaper needs of the media server.
type Rooms interface {
	// Delete ends a room and puts everybody out; none there is no error.
	Delete(ctx context.Context, name string) error
}

// Reap looks each second for calls that nobody else will end, and ends them:
// never joined, without a worker, over-long. Any number of processes may do
// so at once. It returns when the context ends.
func (s *Service) Reap(ctx context.Context, rooms Rooms, log *slog.Logger) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	forget := time.NewTicker(forgetInterval)
	defer forget.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-forget.C:
			if err := s.forgetAnswers(ctx); err != nil && ctx.Err() == nil {
				log.ErrorContext(ctx, "reaper", "error", err)
			}
			continue
		case <-ticker.C:
		}
		ended, err := s.reapOnce(ctx)
		if err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "reaper", "error", err)
		}
		for _, c := range ended {
			log.InfoContext(ctx, "call reaped", "call", c.ID, "tenant", c.TenantID, "status", c.Status, "reason", *c.StatusReason)
			if err := rooms.Delete(ctx, c.RoomName); err != nil && ctx.Err() == nil {
				log.WarnContext(ctx, "room of a reaped call", "call", c.ID, "error", err)
			}
		}
	}
}

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
		if err != nil {
			return ended, err
		}
		if over != nil {
			ended = append(ended, over)
		}
	}
	return ended, nil
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
		if c.Fence == 0 {
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
