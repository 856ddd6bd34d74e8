package webhook

import (
	"context"
	"time"

	"parley/internal/database"
)

// written is how old what was written since a jump is at most when that is
// noticed.
const written = 5 * time.Second

// FollowClock moves the leases of deliveries, and when others are due, along
// with the database's clock when that jumps. After a jump forwards, an attempt
// that was to come later than the clock now says comes early by that much.
func (q *Queue) FollowClock(ctx context.Context, tx database.Tx, j database.Jump) error {
	// Whatever is due before now, and was not just written, is of the clock before.
	waiting := max(0, j.By()-written)
	for _, t := range []database.Times{
		{Table: "webhook_deliveries", Key: "id", Column: "due_at", Reach: lease, Where: "status = 'in_flight'"},
		{Table: "webhook_deliveries", Key: "id", Column: "due_at", Reach: waiting, Where: "status <> 'in_flight'"},
	} {
		if _, err := tx.Move(ctx, j, t); err != nil {
			return err
		}
	}
	return nil
}
