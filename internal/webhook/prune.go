package webhook

import (
	"context"
	"time"

	"parley/internal/database"
)

const (
	// pruneEvery is the interval of searches for entries past the retention.
	pruneEvery = time.Minute
	// pruneLimit is the number removed per transaction; small, because on SQLite
	// results wait for it.
	pruneLimit = 100
	// prunePause is the pause between transactions, for other writers. About 5,000
	// entries a second are removed.
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
		removed, err := r.pruneBatch(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			r.log.Error("failed to prune the webhook delivery log", "error", err)
			timer.Reset(pruneEvery)
		case removed == pruneLimit:
			timer.Reset(prunePause)
		default:
			timer.Reset(pruneEvery)
		}
	}
}

// pruneBatch removes the oldest entries past the retention.
func (r *run) pruneBatch(ctx context.Context) (removed int, err error) {
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	err = r.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		removed, err = r.store.prune(ctx, tx, tx.Now().Add(-r.options.Retention), pruneLimit)
		return err
	})
	return removed, err
}
