package audit

import (
	"context"
	"fmt"
	"time"

	"parley/internal/database"
)

// pruned is how many entries one transaction deletes: SQLite's other writers wait for it.
const pruned = 500

// Prune deletes the entries of all tenants that are older than the retention.
func Prune(ctx context.Context, db *database.DB, retention time.Duration) (removed int64, err error) {
	for {
		var n int64
		err := db.System().Queued(database.Housekeeping).Write(ctx, func(ctx context.Context, tx database.Tx) error {
			oldest := tx.Now().Add(-retention)
			// The triggers refuse to delete what is younger than this.
			if _, err := tx.ExecContext(ctx, "UPDATE audit_horizon SET oldest = ? WHERE oldest < ?", oldest, oldest); err != nil {
				return err
			}
			result, err := tx.ExecContext(ctx, `DELETE FROM audit_log WHERE (tenant_id, id) IN
				(SELECT tenant_id, id FROM audit_log WHERE created_at < ? ORDER BY created_at LIMIT ?)`, oldest, pruned)
			if err != nil {
				return err
			}
			n, err = result.RowsAffected()
			return err
		})
		if err != nil {
			return removed, fmt.Errorf("prune audit log: %w", err)
		}
		if removed += n; n < pruned {
			return removed, nil
		}
	}
}
