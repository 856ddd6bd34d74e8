package database_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
)

// The databases' errors when they are unreachable, have no space, or reject a statement permanently.
func TestUnavailable(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		run := func(ctx context.Context, statements ...string) error {
			return db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
				for _, statement := range statements {
					if _, err := tx.ExecContext(ctx, statement); err != nil {
						return fmt.Errorf("do it: %w", err)
					}
				}
				return nil
			})
		}
		for _, err := range []error{
			run(t.Context(), "INSERT INTO tenants (id, name, created_at) SELECT id, name, created_at FROM tenants"),
			run(t.Context(), "SELECT nothing FROM nowhere"),
			errors.New("no such state"), fault.Missing("call"), context.Canceled,
		} {
			if err == nil || database.IsUnavailable(err) {
				t.Errorf("%v is taken for a database that is unavailable", err)
			}
		}
		passes := func(err error) {
			t.Helper()
			if err == nil || !database.IsUnavailable(err) {
				t.Errorf("%v is not taken for a database that is unavailable", err)
			}
		}
		late, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		<-late.Done()
		passes(run(late, "SELECT 1"))
		if !db.Postgres() {
			passes(run(t.Context(), "PRAGMA max_page_count = 1", "CREATE TABLE large (t text)", "INSERT INTO large SELECT hex(zeroblob(1000000))"))
			return
		}
		passes(run(t.Context(), "SET LOCAL transaction_read_only = on", "DELETE FROM tenants"))
		passes(run(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())"))
	})
}

// A stopped PostgreSQL is unavailable on an idle connection and on new ones.
func TestPostgresStopped(t *testing.T) {
	cluster := databasetest.StartCluster(t)
	db, err := database.Open(t.Context(), cluster.URL(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	read := func() error {
		return db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "SELECT 1")
			return err
		})
	}
	if err := read(); err != nil {
		t.Fatal(err)
	}
	cluster.Stop(t)
	for range 3 {
		if err := read(); err == nil || !database.IsUnavailable(err) {
			t.Errorf("%v is not taken for a database that is unavailable", err)
		}
	}
}
