package tenant

import (
	"context"
	"fmt"

	"parley/internal/database"
)

// TakeTurn serializes the transactions of a tenant that call it, for rules across its rows, such as a single
// default. SQLite's write transactions are serial anyway.
func TakeTurn(ctx context.Context, tx database.Tx) error {
	if !tx.Postgres() {
		return nil
	}
	// NO KEY UPDATE lets others insert rows that refer to the tenant.
	if _, err := tx.ExecContext(ctx, "SELECT 1 FROM tenants WHERE id = ? FOR NO KEY UPDATE", tx.TenantID()); err != nil {
		return fmt.Errorf("take a turn on the tenant: %w", err)
	}
	return nil
}
