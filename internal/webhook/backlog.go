package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// maxBacklog limits the deliveries counted: counting costs a second per few millions.
const maxBacklog = 100_000

// Backlog holds the open deliveries of all tenants, at most maxBacklog, without those of disabled webhooks, which are not
// attempted.
type Backlog struct {
	Waiting  int64
	InFlight int64
	Oldest   time.Duration // age of the oldest, 0 when there is none
	Overdue  time.Duration // how long the earliest due one has been due; 0 when none is due
}

// Backlog counts the open deliveries.
func (q *Queue) Backlog(ctx context.Context) (b Backlog, err error) {
	var row struct {
		Waiting, InFlight int64
		Oldest, Due       bun.NullTime
	}
	err = q.db.System().With(logSettings...).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		err := tx.NewRaw(`SELECT COALESCE(SUM(CASE status WHEN 'pending' THEN 1 ELSE 0 END), 0) AS waiting, COALESCE(SUM(CASE status WHEN 'pending' THEN 0 ELSE 1 END), 0) AS in_flight,
			MIN(created_at) AS oldest, MIN(CASE status WHEN 'pending' THEN due_at END) AS due
			FROM (SELECT d.status, d.created_at, d.due_at FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE d.due_at IS NOT NULL AND w.enabled LIMIT ?) AS open`, maxBacklog).Scan(ctx, &row)
		b = Backlog{Waiting: row.Waiting, InFlight: row.InFlight}
		if !row.Oldest.IsZero() {
			b.Oldest = max(0, tx.Now().Sub(row.Oldest.Time))
		}
		if !row.Due.IsZero() {
			b.Overdue = max(0, tx.Now().Sub(row.Due.Time))
		}
		return err
	})
	if err != nil {
		return Backlog{}, fmt.Errorf("count open webhook deliveries: %w", err)
	}
	return b, nil
}
