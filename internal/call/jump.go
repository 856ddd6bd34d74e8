package call

import (
	"context"

	"parley/internal/database"
)

// FollowClock moves the times of open calls and of workers along with the
// database's clock when that jumps: leases and deadlines come as late as they
// would have, and calls last as long. A call's times up to its start stay as they
// were told, but for started_at, from which its duration counts.
func (s *Service) FollowClock(ctx context.Context, tx database.Tx, j database.Jump) error {
	for _, t := range []database.Times{
		{Table: "calls", Key: "id", Column: "lease_until", Reach: LeaseDuration, Where: "ended_at IS NULL AND claimed_by IS NOT NULL"},
		{Table: "calls", Key: "id", Column: "join_by", Reach: s.o.JoinTimeout, Where: "ended_at IS NULL"},
		{Table: "calls", Key: "id", Column: "started_at", Where: "ended_at IS NULL"},
		{Table: "workers", Key: "name", Column: "renewed_at", Where: "true"},
	} {
		if _, err := tx.Move(ctx, j, t); err != nil {
			return err
		}
	}
	return nil
}
