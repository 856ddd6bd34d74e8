package database_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// Deliveries that were over before they were counted are counted.
func TestDeliveriesAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		dialect    goose.Dialect
		driver, as string
	}{
		"sqlite":   {goose.DialectSQLite3, "sqlite", ""},
		"postgres": {goose.DialectPostgres, "pgx", "SELECT set_config('parley.tenant', 'system', true); "},
	} {
		t.Run(name, func(t *testing.T) {
			url, path := "", filepath.Join(t.TempDir(), "parley.db")
			source := path
			if name == "postgres" {
				url = databasetest.EmptyPostgresURL(t)
				source = url
			}
			old, err := sql.Open(c.driver, source)
			if err != nil {
				t.Fatal(err)
			}
			defer old.Close()
			provider, err := goose.NewProvider(c.dialect, old, os.DirFS("migrations/"+name))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := provider.UpTo(t.Context(), 24); err != nil {
				t.Fatal(err)
			}
			if _, err := old.ExecContext(t.Context(), c.as+`
				INSERT INTO tenants (id, name, created_at) VALUES ('`+acme+`', 'acme', '2026-11-01 10:00:00+00:00');
				INSERT INTO events (id, tenant_id, type, livemode, data, created_at) VALUES ('evt_1', '`+acme+`', 'call.test', true, '{}', '2026-11-01 10:00:00+00:00');
				INSERT INTO webhook_deliveries (id, tenant_id, event_id, event_type, status, attempts, max_attempts, due_at, created_at, finished_at) VALUES
					('dlv_1', '`+acme+`', 'evt_1', 'call.test', 'failed', 5, 5, NULL, '2026-11-01 10:00:00+00:00', '2026-11-01 10:00:09+00:00'),
					('dlv_2', '`+acme+`', 'evt_1', 'call.test', 'failed', 5, 5, NULL, '2026-11-01 10:00:00+00:00', '2026-11-01 10:00:09+00:00'),
					('dlv_3', '`+acme+`', 'evt_1', 'call.test', 'pending', 0, 5, '2026-11-01 10:00:00+00:00', '2026-11-01 10:00:00+00:00', NULL);`); err != nil {
				t.Fatal(err)
			}
			db, err := database.Open(t.Context(), url, path)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			var counted []string
			if err := db.Tenant(acme).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
				return tx.NewRaw("SELECT event_type || ' ' || status || ' ' || n FROM webhook_delivery_counts").Scan(ctx, &counted)
			}); err != nil || len(counted) != 1 || counted[0] != "call.test failed 2" {
				t.Errorf("counted %q, %v", counted, err)
			}
		})
	}
}
