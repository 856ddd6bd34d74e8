package call

import (
	"context"

	"parley/internal/database"
)

// ShiftTimes shifts the times of open calls, of workers and of SIP gateways when the database's clock jumps, so that leases and
// deadlines keep their remaining time and calls their duration. Times up to a call's start stay as they were
// published, except started_at, from which the duration counts.
func (s *Service) ShiftTimes(ctx context.Context, tx database.Tx, j database.Jump) error {
	for _, t := range []database.Times{
		{Table: "calls", Key: "id", Column: "lease_until", Reach: LeaseDuration, Where: "ended_at IS NULL AND claimed_by IS NOT NULL"},
		{Table: "calls", Key: "id", Column: "join_by", Reach: s.options.JoinTimeout, Where: "ended_at IS NULL"},
		{Table: "calls", Key: "id", Column: "started_at", Where: "ended_at IS NULL"},
		{Table: "workers", Key: "name", Column: "renewed_at", Where: "true"},
		{Table: "gateways", Key: "name", Column: "renewed_at", Where: "true"},
	} {
		if _, err := tx.Move(ctx, j, t); err != nil {
			return err
		}
	}
	return nil
}
