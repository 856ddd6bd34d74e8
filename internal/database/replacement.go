package database

import (
	"context"
	"fmt"
	"slices"
)

// A PostgreSQL database whose content is being replaced has the table parley_replacement, so that what an interrupted
// restoration leaves, which may look like a new installation, is not mistaken for one. It is no table of a migration.

// StartReplacement drops Parley's tables and functions in a PostgreSQL database and marks it, in one transaction.
func (db *DB) StartReplacement(ctx context.Context) error {
	tables, err := db.tables(ctx)
	if err != nil {
		return err
	}
	return db.System().Write(ctx, func(ctx context.Context, tx Tx) error {
		for _, t := range slices.Backward(tables) {
			if _, err := tx.ExecContext(ctx, "DROP TABLE "+quoted(t.Name)+" CASCADE"); err != nil {
				return fmt.Errorf("drop table %s: %w", t.Name, err)
			}
		}
		for _, statement := range []string{
			"DROP TABLE IF EXISTS workers", "DROP TABLE IF EXISTS goose_db_version", "DROP FUNCTION IF EXISTS parley_audit_log_kept", "DROP FUNCTION IF EXISTS parley_plan_for_older_node", "DROP FUNCTION IF EXISTS parley_delivery_of_older_node", "DROP FUNCTION IF EXISTS parley_sees",
			"CREATE TABLE IF NOT EXISTS parley_replacement ()",
		} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("drop the schema: %w", err)
			}
		}
		return nil
	})
}

// FinishReplacement removes the mark of StartReplacement.
func (db *DB) FinishReplacement(ctx context.Context) error {
	return db.System().Write(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS parley_replacement"); err != nil {
			return fmt.Errorf("finish the replacement: %w", err)
		}
		return nil
	})
}

// InReplacement reports whether StartReplacement was not followed by FinishReplacement; false on SQLite.
func (db *DB) InReplacement(ctx context.Context) (bool, error) {
	if !db.Postgres() {
		return false, nil
	}
	var marks int
	err := db.reader.NewRaw("SELECT count(*) FROM pg_class WHERE relname = 'parley_replacement' AND relkind = 'r' AND relnamespace = current_schema()::regnamespace").Scan(ctx, &marks)
	if err != nil {
		return false, fmt.Errorf("read the state of the database: %w", err)
	}
	return marks > 0, nil
}
