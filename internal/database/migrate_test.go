package database_test

import (
	"database/sql"
	"os"
	"testing"

	"github.com/pressly/goose/v3"

	"parley/internal/database/databasetest"
)

// A database that had an error log before it was counted has it counted: on PostgreSQL row-level security hides every row
// from a migration that does not say whose it wants.
func TestErrorLogIsRecounted(t *testing.T) {
	db, err := sql.Open("pgx", databasetest.EmptyPostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, os.DirFS("migrations/postgres"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 15); err != nil {
		t.Fatal(err)
	}
	const asSystem = "SELECT set_config('parley.tenant', 'system', true); "
	if _, err := db.ExecContext(t.Context(), asSystem+`
		INSERT INTO tenants (id, name, created_at) VALUES ('`+acme+`', 'acme', now());
		INSERT INTO calls (id, tenant_id, status, direction, call_type, livemode, room_name, agent_history, metrics, created_at, duration_seconds, join_by, fence, end_asked)
			VALUES ('`+other+`', '`+acme+`', 'failed', 'inbound', 'voip', true, 'room', '[]', '{}', now(), 0, now(), 0, false);
		INSERT INTO call_errors (id, tenant_id, call_id, service, level, message, details, created_at)
			SELECT gen_random_uuid(), '`+acme+`', '`+other+`', 'tool', 'warning', 'no answer', '{}', '2026-11-01T10:00:00Z' FROM generate_series(1, 3);`); err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(t.Context(), asSystem); err != nil {
		t.Fatal(err)
	}
	var n int64
	if err := tx.QueryRowContext(t.Context(), "SELECT n FROM error_counts WHERE hour = '2026-11-01T10:00:00Z' AND service = 'tool' AND level = 'warning' AND livemode").Scan(&n); err != nil || n != 3 {
		t.Errorf("counted %d of 3, %v", n, err)
	}
}
