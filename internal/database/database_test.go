package database_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

func TestAfterCommitRunsOnlyWhenCommitted(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := context.Background()
		var announced []int
		if err := db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			tx.AfterCommit(func() { announced = append(announced, 1) })
			tx.AfterCommit(func() { announced = append(announced, 2) })
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		broken := errors.New("broken")
		err := db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			tx.AfterCommit(func() { announced = append(announced, 3) })
			return broken
		})
		if !errors.Is(err, broken) {
			t.Fatalf("got %v, want the function's own error", err)
		}
		if len(announced) != 2 || announced[0] != 1 || announced[1] != 2 {
			t.Fatalf("announced %v, want [1 2]", announced)
		}
	})
}

func TestReadersCannotWrite(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		err := db.System().Read(context.Background(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM tenants")
			return err
		})
		if err == nil {
			t.Fatal("a read transaction deleted")
		}
	})
}

// A text with a NUL is rejected in every position, and breaks out of
// nothing.
func TestNULIsRefused(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		type tenant struct {
			ID        string
			Name      string
			CreatedAt time.Time
		}
		for name, insert := range map[string]func(ctx context.Context, tx database.Tx, text string) error{
			"argument": func(ctx context.Context, tx database.Tx, text string) error {
				_, err := tx.ExecContext(ctx, "INSERT INTO tenants (id, name, created_at) VALUES (?, ?, ?)", acme, text, tx.Now())
				return err
			},
			"model": func(ctx context.Context, tx database.Tx, text string) error {
				_, err := tx.NewInsert().Model(&tenant{other, text, tx.Now()}).Exec(ctx)
				return err
			},
		} {
			write := func(text string) error {
				return db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error { return insert(ctx, tx, text) })
			}
			for _, text := range []string{"\x00", "a\x00b", "a', now()) --\x00"} {
				if err := write(text); err == nil {
					t.Errorf("%s: %q was written", name, text)
				}
			}
			if err := write("a', now()) -- " + name); err != nil {
				t.Errorf("%s without a NUL: %v", name, err)
			}
		}
	})
}

func TestDuplicate(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		err := db.System().Write(context.Background(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO tenants (id, name, created_at) VALUES (?, ?, ?)", other, "acme", tx.Now())
			return err
		})
		if !database.Duplicate(err) {
			t.Fatalf("got %v, want a duplicate", err)
		}
		if database.Duplicate(errors.New("other")) {
			t.Fatal("any error is a duplicate")
		}
	})
}

// Row-level security is the second wall: it holds when a query forgets its
// tenant condition.
func TestPostgresHidesOtherTenants(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		if !db.Postgres() {
			return // SQLite has the first wall only
		}
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		count := func(s database.Scope) (n int) {
			if err := s.Read(context.Background(), func(ctx context.Context, tx database.Tx) error {
				return tx.NewRaw("SELECT count(*) FROM tenants").Scan(ctx, &n)
			}); err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := count(db.Tenant(acme)); n != 1 {
			t.Errorf("a tenant sees %d tenants, want itself", n)
		}
		if n := count(db.System()); n != 2 {
			t.Errorf("the platform sees %d tenants, want 2", n)
		}
		err := db.Tenant(acme).Write(context.Background(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO events (id, tenant_id, type, livemode, data, created_at) VALUES ('evt_1', ?, 'call.test', true, '{}', ?)", other, tx.Now())
			return err
		})
		if err == nil {
			t.Error("a tenant wrote a row of another")
		}
	})
}
