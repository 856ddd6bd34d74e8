package call

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
)

// Remains is a call that is over and holds what was said in it, or may.
type Remains struct {
	ID         string
	EndedAt    time.Time
	Recordings int64 // parts of its sound that are kept, or may be
}

// Unpurged returns calls of the transaction's tenant that ended before a time
// and were not purged, or of which recordings are left, in the order in which
// they ended: up to most of those that come after another, of which only ID and
// EndedAt count. The zero Remains comes before all others.
func Unpurged(ctx context.Context, tx database.Tx, after Remains, before time.Time, most int) (found []Remains, err error) {
	if after.ID == "" {
		after.ID = uuid.Nil.String()
	}
	index := ""
	if !tx.Postgres() {
		index = " INDEXED BY calls_unpurged" // without figures SQLite may take one that selects most calls
	}
	err = tx.NewRaw("SELECT id, ended_at, recordings FROM calls"+index+` WHERE tenant_id = ? AND ended_at IS NOT NULL AND (purged_at IS NULL OR recordings > 0)
		AND ended_at >= ? AND ended_at < ? AND (ended_at > ? OR id > ?) ORDER BY ended_at, id LIMIT ?`,
		tx.TenantID(), after.EndedAt, before, after.EndedAt, after.ID, most).Scan(ctx, &found)
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("find calls to purge: %w", err)
	}
	return found, nil
}

// Purge deletes what was said in calls of the transaction's tenant that are
// over, and what was given along with them: transcripts with what functions
// were called with, contexts, metadata and phone numbers. silent are those of
// them of which no recording is left. The calls stay, with all that is counted.
func Purge(ctx context.Context, tx database.Tx, ids, silent []string) error {
	if tx.Postgres() { // always in this order, for others may do the same
		if _, err := tx.ExecContext(ctx, "SELECT 1 FROM calls WHERE tenant_id = ? AND id IN (?) ORDER BY id FOR UPDATE", tx.TenantID(), bun.List(ids)); err != nil {
			return fmt.Errorf("lock calls to purge: %w", err)
		}
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM transcript_entries WHERE tenant_id = ? AND call_id IN (?)", tx.TenantID(), bun.List(ids)); err != nil {
		return fmt.Errorf("purge transcripts: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `UPDATE calls SET user_context = NULL, context = NULL, metadata = NULL, phone_number = NULL, purged_at = COALESCE(purged_at, ?)
		WHERE tenant_id = ? AND id IN (?) AND ended_at IS NOT NULL`, tx.Now(), tx.TenantID(), bun.List(ids)); err != nil {
		return fmt.Errorf("purge calls: %w", err)
	}
	if len(silent) == 0 {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE calls SET recordings = 0 WHERE tenant_id = ? AND id IN (?)", tx.TenantID(), bun.List(silent)); err != nil {
		return fmt.Errorf("note deleted recordings: %w", err)
	}
	return nil
}

// Purged returns those of the calls of the transaction's tenant that are purged.
func Purged(ctx context.Context, tx database.Tx, ids []string) (purged []string, err error) {
	err = tx.NewRaw("SELECT id FROM calls WHERE tenant_id = ? AND id IN (?) AND purged_at IS NOT NULL", tx.TenantID(), bun.List(ids)).Scan(ctx, &purged)
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("look for purged calls: %w", err)
	}
	return purged, nil
}
