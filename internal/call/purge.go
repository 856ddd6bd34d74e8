package call

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/tenant"
)

// PurgeCandidate is an ended call whose content is not, or not completely, deleted.
type PurgeCandidate struct {
	ID         string
	EndedAt    time.Time
	Recordings int64 // recording parts that may still exist
}

// ListUnpurged returns up to most calls of the transaction's tenant that ended before a time and are not purged, or
// have recordings left, ordered by their end. after is the last item of the previous page (only ID and EndedAt
// count); its zero value starts at the beginning.
func ListUnpurged(ctx context.Context, tx database.Tx, after PurgeCandidate, before time.Time, most int) (found []PurgeCandidate, err error) {
	if after.ID == "" {
		after.ID = uuid.Nil.String()
	}
	index := ""
	if !tx.Postgres() {
		index = " INDEXED BY calls_unpurged" // without statistics SQLite may choose an index that selects most calls
	}
	err = tx.NewRaw("SELECT id, ended_at, recordings FROM calls"+index+` WHERE tenant_id = ? AND ended_at IS NOT NULL AND (purged_at IS NULL OR recordings > 0)
		AND ended_at >= ? AND ended_at < ? AND (ended_at > ? OR id > ?) ORDER BY ended_at, id LIMIT ?`,
		tx.TenantID(), after.EndedAt, before, after.EndedAt, after.ID, most).Scan(ctx, &found)
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("find calls to purge: %w", err)
	}
	return found, nil
}

// Purge deletes the content of ended calls of the transaction's tenant: transcripts, tool calls, contexts, prompts,
// metadata, phone numbers and what else the network said about callers. silent are the ids among them without any recording left. The calls and their metrics stay.
func Purge(ctx context.Context, tx database.Tx, ids, silent []string) error {
	if tx.Postgres() { // always in this order, to avoid deadlocks
		if _, err := tx.ExecContext(ctx, "SELECT 1 FROM calls WHERE tenant_id = ? AND id IN (?) ORDER BY id FOR UPDATE", tx.TenantID(), bun.List(ids)); err != nil {
			return fmt.Errorf("lock calls to purge: %w", err)
		}
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM transcript_entries WHERE tenant_id = ? AND call_id IN (?)", tx.TenantID(), bun.List(ids)); err != nil {
		return fmt.Errorf("purge transcripts: %w", err)
	}
	var stored []struct {
		PlanHash    []byte
		StoredBytes int64
	}
	const ended = "WHERE tenant_id = ? AND id IN (?) AND ended_at IS NOT NULL"
	if err := tx.NewRaw("SELECT plan_hash, stored_bytes FROM calls "+ended, tx.TenantID(), bun.List(ids)).Scan(ctx, &stored); err != nil && !database.NoRows(err) {
		return fmt.Errorf("read calls to purge: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `UPDATE calls SET user_context = NULL, context = NULL, plan = NULL, plan_hash = NULL, metadata = NULL, phone_number = NULL,
		caller = NULL, caller_name = NULL, verstat = NULL, attestation = NULL, sip_headers = NULL, settings = NULL,
		stored_bytes = 0, purged_at = COALESCE(purged_at, ?) `+ended, tx.Now(), tx.TenantID(), bun.List(ids)); err != nil {
		return fmt.Errorf("purge calls: %w", err)
	}
	var hashes [][]byte
	freed := int64(0)
	for _, c := range stored {
		freed += c.StoredBytes
		if c.PlanHash != nil {
			hashes = append(hashes, c.PlanHash)
		}
	}
	plans, err := deletePlans(ctx, tx, hashes)
	if err != nil {
		return err
	}
	if err := clearRecordings(ctx, tx, silent); err != nil {
		return err
	}
	return tenant.AddStored(ctx, tx, map[string]int64{tx.TenantID(): -freed - plans[tx.TenantID()]})
}

// clearRecordings notes that calls have no recordings left.
func clearRecordings(ctx context.Context, tx database.Tx, silent []string) error {
	if len(silent) == 0 {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE calls SET recordings = 0 WHERE tenant_id = ? AND id IN (?)", tx.TenantID(), bun.List(silent)); err != nil {
		return fmt.Errorf("clear recording counts: %w", err)
	}
	return nil
}

// FilterPurged returns which of the calls of the transaction's tenant are purged.
func FilterPurged(ctx context.Context, tx database.Tx, ids []string) (purged []string, err error) {
	err = tx.NewRaw("SELECT id FROM calls WHERE tenant_id = ? AND id IN (?) AND purged_at IS NOT NULL", tx.TenantID(), bun.List(ids)).Scan(ctx, &purged)
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("find purged calls: %w", err)
	}
	return purged, nil
}
