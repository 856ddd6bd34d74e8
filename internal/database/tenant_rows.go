package database

import (
	"context"
	"fmt"
	"slices"
)

// DeleteTenantRows deletes the rows of a tenant in every table, the tenant's own row last, and returns their number.
// tx is a transaction of the system.
func (db *DB) DeleteTenantRows(ctx context.Context, tx Tx, tenantID string) (rows int64, err error) {
	tables, err := db.tables(ctx)
	if err != nil {
		return 0, err
	}
	for _, t := range slices.Backward(tables) {
		owner := "tenant_id"
		switch {
		case t.Name == "tenants":
			owner = "id"
		case !slices.ContainsFunc(t.columns, func(c column) bool { return c.name == owner }):
			continue
		}
		result, err := tx.ExecContext(ctx, "DELETE FROM "+quoted(t.Name)+" WHERE "+owner+" = ?", tenantID)
		if err != nil {
			return rows, fmt.Errorf("delete from table %s: %w", t.Name, err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			return rows, err
		}
		rows += n
	}
	return rows, nil
}
