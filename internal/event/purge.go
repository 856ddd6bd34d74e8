package event

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// Purge deletes personal data (phone numbers, metadata and the results of analyses) from the events of calls of the transaction's tenant.
// The events stay.
func Purge(ctx context.Context, tx database.Tx, callIDs []string) error {
	without := `data || '{"phone_number": null, "metadata": null}'::jsonb`
	if !tx.Postgres() {
		without = "json_set(data, '$.phone_number', NULL, '$.metadata', NULL)"
	}
	if _, err := tx.ExecContext(ctx, "UPDATE events SET data = "+without+" WHERE tenant_id = ? AND call_id IN (?)", tx.TenantID(), bun.List(callIDs)); err != nil {
		return fmt.Errorf("purge events: %w", err)
	}
	without = `jsonb_set(data, '{analyses}', '[]')`
	if !tx.Postgres() {
		without = "json_set(data, '$.analyses', json('[]'))"
	}
	if _, err := tx.ExecContext(ctx, "UPDATE events SET data = "+without+" WHERE tenant_id = ? AND call_id IN (?) AND type = ?", tx.TenantID(), bun.List(callIDs), CallAnalyzed); err != nil {
		return fmt.Errorf("purge events of analyses: %w", err)
	}
	return nil
}
