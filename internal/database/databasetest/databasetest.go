// Package databasetest runs a storage test on every database: SQLite, and a
// private PostgreSQL cluster from Debian's packages.
package databasetest

import (
	"context"
	"path/filepath"
	"testing"

	"parley/internal/database"
)

// Each runs f as a subtest on SQLite and on PostgreSQL, each time with a fresh,
// migrated database.
func Each(t *testing.T, f func(t *testing.T, db *database.DB)) {
	t.Run("sqlite", func(t *testing.T) {
		f(t, open(t, "", filepath.Join(t.TempDir(), "parley.db")))
	})
	t.Run("postgres", func(t *testing.T) {
		f(t, open(t, PostgresURL(t), ""))
	})
}

func open(t *testing.T, url, path string) *database.DB {
	t.Helper()
	ctx := context.Background()
	db, err := database.Open(ctx, url, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if _, err := db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	return db
}

// Tenant makes a tenant and returns its id.
func Tenant(t testing.TB, db *database.DB, id, name string) string {
	t.Helper()
	ctx := context.Background()
	err := db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO tenants (id, name, created_at) VALUES (?, ?, ?)", id, name, tx.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}
