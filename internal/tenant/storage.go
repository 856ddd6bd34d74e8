package tenant

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"parley/internal/database"
)

// AddStored adds to the bytes that calls of tenants store; negative numbers subtract. Call it last in a transaction: the rows
// are locked until it ends.
func AddStored(ctx context.Context, tx database.Tx, bytes map[string]int64) error {
	for _, id := range slices.Sorted(maps.Keys(bytes)) { // always in this order, to avoid deadlocks
		if _, err := tx.ExecContext(ctx, `INSERT INTO tenant_storage (tenant_id, bytes) VALUES (?, ?)
			ON CONFLICT (tenant_id) DO UPDATE SET bytes = CASE WHEN tenant_storage.bytes + ? > 0 THEN tenant_storage.bytes + ? ELSE 0 END`,
			id, max(bytes[id], 0), bytes[id], bytes[id]); err != nil {
			return fmt.Errorf("count stored bytes: %w", err)
		}
	}
	return nil
}

// Stored returns how many bytes a tenant's calls store.
func Stored(ctx context.Context, tx database.Tx, tenantID string) (n int64, err error) {
	err = tx.NewRaw("SELECT bytes FROM tenant_storage WHERE tenant_id = ?", tenantID).Scan(ctx, &n)
	if err != nil && !database.NoRows(err) {
		return 0, fmt.Errorf("read stored bytes: %w", err)
	}
	return n, nil
}
