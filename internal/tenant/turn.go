package tenant

import (
	"context"
	"fmt"

	"parley/internal/database"
)

// TakeTurn keeps other transactions that take their turn from going on until
// this one ends: for what holds across a tenant's rows, such as one default
// among many. On SQLite a write transaction is alone anyway.
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
