package webhook

import (
	"context"
	"time"

	"parley/internal/database"
)

// writtenWithin is the maximum age, when a clock jump is detected, of rows that were
// written after it.
const writtenWithin = 5 * time.Second

// ShiftTimes moves leases and due times of deliveries by the amount that the
// database's clock jumped. After a jump forwards, attempts due after the new time
// come early by that amount.
func (q *Queue) ShiftTimes(ctx context.Context, tx database.Tx, j database.Jump) error {
	// Rows that are due and were not written within writtenWithin are from before the jump.
	waiting := max(0, j.By()-writtenWithin)
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
