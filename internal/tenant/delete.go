package tenant

import (
	"context"
	"fmt"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
)

// Deleted is the result of a deletion.
type Deleted struct {
	ID         string
	Name       string
	Rows       int64 // of all tables
	Recordings []RecordedCall
}

// RecordedCall is a deleted call with recordings. Their files are not deleted.
type RecordedCall struct {
	ID         string
	Recordings int64 // number of parts
}

// Delete deletes the tenant with a name and all its rows in one transaction. Without confirmed it only returns what
// would be deleted, with Rows 0. The error is not_found, or conflict while the tenant has calls that have not ended.
func Delete(ctx context.Context, db *database.DB, name string, confirmed bool) (*Deleted, error) {
	t := new(Tenant)
	var d Deleted
	err := db.System().With("statement_timeout=0").Write(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(t).Where("name = ?", name)
		if tx.Postgres() {
			query.For("UPDATE") // nobody adds rows that refer to the tenant
		}
		if err := query.Scan(ctx); err != nil {
			return err
		}
		d = Deleted{ID: t.ID, Name: t.Name}
		var open int
		err := tx.NewRaw("SELECT COUNT(*) FROM calls WHERE tenant_id = ? AND ended_at IS NULL", t.ID).Scan(ctx, &open)
		if err != nil {
			return err
		}
		if open > 0 {
			return fault.New(fault.Conflict, "%d of its calls have not ended: end them first", open)
		}
		err = tx.NewRaw("SELECT id, recordings FROM calls WHERE tenant_id = ? AND recordings > 0", t.ID).Scan(ctx, &d.Recordings)
		if err != nil && !database.NoRows(err) {
			return err
		}
		if !confirmed {
			return nil
		}
		d.Rows, err = deleteRows(ctx, db, tx, t.ID)
		return err
	})
	switch {
	case database.NoRows(err):
		return nil, fault.Missing("tenant")
	case err != nil:
		return nil, fmt.Errorf("delete tenant: %w", err)
	}
	return &d, nil
}

// deleteRows deletes all rows of a tenant, those of the audit log too, whose triggers refuse it otherwise.
func deleteRows(ctx context.Context, db *database.DB, tx database.Tx, id string) (rows int64, err error) {
	var oldest time.Time
	if err := tx.NewRaw("SELECT oldest FROM audit_horizon").Scan(ctx, &oldest); err != nil {
		return 0, err
	}
	const horizon = "UPDATE audit_horizon SET oldest = ?"
	if _, err := tx.ExecContext(ctx, horizon, tx.Now().AddDate(100, 0, 0)); err != nil {
		return 0, err
	}
	if rows, err = db.DeleteTenantRows(ctx, tx, id); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, horizon, oldest)
	return rows, err
}

// List returns all tenants by name.
func List(ctx context.Context, db *database.DB) (all []Tenant, err error) {
	err = db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(&all).OrderExpr("name").Scan(ctx)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("list tenants: %w", err)
	}
	return all, nil
}
