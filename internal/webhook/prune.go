package webhook

import (
	"context"
	"time"

	"parley/internal/database"
)

const (
	// pruneEvery is how often entries of the log are looked for that are too old.
	pruneEvery = time.Minute
	// pruned is how many go in one transaction: few, because on SQLite the
	// outcomes wait for it.
	pruned = 100
	// prunePause is how long others have the database to themselves after each;
	// some 5,000 entries a second go all the same.
	prunePause = 10 * time.Millisecond
)

// prune removes finished deliveries older than the retention, and their
// attempts, until ctx ends.
func (r *run) prune(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		removed, err := r.pruneSome(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			r.log.Error("prune the webhook delivery log", "error", err)
			timer.Reset(pruneEvery)
		case removed == pruned:
			timer.Reset(prunePause)
		default:
			timer.Reset(pruneEvery)
		}
	}
}

// pruneSome removes the oldest of them. Other nodes prune at the same time: on
// PostgreSQL each leaves the others theirs.
func (r *run) pruneSome(ctx context.Context) (removed int, err error) {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	const old = "SELECT id FROM webhook_deliveries WHERE finished_at < ? ORDER BY finished_at LIMIT ?"
	oldest := "id IN (" + old + ")"
	if r.db.Postgres() {
		// As an array, they are looked for once: PostgreSQL may run the query of
		// an IN again for each row, and its LIMIT means nothing.
		oldest = "id = ANY (ARRAY(" + old + " FOR UPDATE SKIP LOCKED))"
	}
	err = r.queue.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		var rows []kind
		if err := tx.NewRaw("DELETE FROM webhook_deliveries WHERE "+oldest+" RETURNING tenant_id, event_type, status",
			tx.Now().Add(-r.options.Retention), pruned).Scan(ctx, &rows); err != nil {
			return err
		}
		gone := kinds{}
		for _, of := range rows {
			gone[of]++
		}
		removed = len(rows)
		return gone.take(ctx, tx)
	})
	return removed, err
}
