// Package databasetest gives tests migrated databases: SQLite files, and
// PostgreSQL databases in a cluster from Debian's packages. Each is a copy of a
// template that is migrated once.
package databasetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/internal/database"
)

// Environment variables by which one cluster and one SQLite template serve all
// test processes of a run. Without them each process makes its own.
const (
	// ClusterEnv is the folder of a running cluster, Cluster.Dir.
	ClusterEnv = "PARLEY_TEST_POSTGRES"
	// SQLiteEnv is a migrated SQLite file.
	SQLiteEnv = "PARLEY_TEST_SQLITE"
)

// Each runs f as a subtest on SQLite and on PostgreSQL, each time with a fresh,
// migrated database. With -short it is SQLite alone.
func Each(t *testing.T, f func(t *testing.T, db *database.DB)) {
	t.Run("sqlite", func(t *testing.T) { f(t, SQLite(t)) })
	if !testing.Short() {
		t.Run("postgres", func(t *testing.T) { f(t, Postgres(t)) })
	}
}

// needServer skips tests that need PostgreSQL while -short asks for those without
// services.
func needServer(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs PostgreSQL")
	}
}

// SQLite returns a fresh, migrated SQLite database.
func SQLite(t testing.TB) *database.DB {
	t.Helper()
	return open(t, "", SQLiteFile(t))
}

// Postgres returns a fresh, migrated PostgreSQL database.
func Postgres(t testing.TB) *database.DB {
	t.Helper()
	return open(t, PostgresURL(t), "")
}

func open(t testing.TB, url, path string) *database.DB {
	t.Helper()
	db, err := database.Open(context.Background(), url, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// PostgresURL returns the URL of a fresh, migrated PostgreSQL database.
func PostgresURL(t testing.TB) string {
	t.Helper()
	return shared(t).URL(t)
}

// EmptyPostgresURL returns the URL of a PostgreSQL database without a schema.
func EmptyPostgresURL(t testing.TB) string {
	t.Helper()
	return shared(t).EmptyURL(t)
}

var startShared = sync.OnceValues(func() (*Cluster, error) {
	if dir := os.Getenv(ClusterEnv); dir != "" {
		return &Cluster{Dir: dir}, nil
	}
	return NewCluster()
})

// shared returns the cluster of the run, or that of this process.
func shared(t testing.TB) *Cluster {
	t.Helper()
	needServer(t)
	c, err := startShared()
	if err != nil {
		t.Fatalf("PostgreSQL cluster: %v", err)
	}
	return c
}

var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	if path := os.Getenv(SQLiteEnv); path != "" {
		return os.ReadFile(path)
	}
	dir, err := os.MkdirTemp("", "parley-sqlite-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "parley.db")
	if err := MigrateSQLite(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// SQLiteFile returns the path of a fresh, migrated SQLite file that nothing has open.
func SQLiteFile(t testing.TB) string {
	t.Helper()
	content, err := sqliteTemplate()
	if err != nil {
		t.Fatalf("SQLite template: %v", err)
	}
	path := filepath.Join(t.TempDir(), "parley.db")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// MigrateSQLite makes a migrated SQLite file.
func MigrateSQLite(path string) error {
	ctx := context.Background()
	db, err := database.Open(ctx, "", path)
	if err != nil {
		return err
	}
	_, err = db.Migrate(ctx)
	db.Close()
	if err != nil {
		return err
	}
	if left, err := filepath.Glob(path + "-*"); err != nil || len(left) > 0 {
		return fmt.Errorf("closed SQLite database left %v beside its file: %w", left, err)
	}
	return nil
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
