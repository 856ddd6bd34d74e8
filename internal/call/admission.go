package call

import (
	"context"
	"fmt"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
)

// retryAfter is when a client that was turned away may ask again.
const retryAfter = 5 * time.Second

// crowded turns a dispatch away.
type crowded struct{ error }

func (e crowded) Unwrap() error           { return e.error }
func (crowded) RetryAfter() time.Duration { return retryAfter }

// admit turns a dispatch away, with service_unavailable and a RetryAfter, while
// so many calls wait for a worker that another would not begin in time. It asks
// no database: the reaper has counted, a second ago at most.
func (s *Service) admit() error {
	if s.o.MaxWaiting > 0 && s.waiting.Load() > s.o.MaxWaiting {
		return crowded{fault.New(fault.ServiceUnavailable, "too many calls wait for a worker; no other is taken on for now")}
	}
	return nil
}

// Waiting is how many calls waited for a worker when the reaper last looked.
func (s *Service) Waiting() int64 { return s.waiting.Load() }

// countWaiting counts the calls of all tenants that no worker has claimed.
func (s *Service) countWaiting(ctx context.Context) error {
	var n int64
	err := s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT COUNT(*) FROM calls WHERE ended_at IS NULL AND status = ? AND claimed_by IS NULL", Pending).Scan(ctx, &n)
	})
	if err != nil {
		return fmt.Errorf("count waiting calls: %w", err)
	}
	s.waiting.Store(n)
	return nil
}
