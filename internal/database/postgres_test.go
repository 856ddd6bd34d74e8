package database_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// A process has sixteen connections, whatever its cores, unless the URL says
// otherwise: a few slow queries leave others room.
func TestPoolSize(t *testing.T) {
	for settings, want := range map[string]int64{"": 16, "&pool_max_conns=2": 2} {
		url := databasetest.PostgresURL(t) + settings
		synctest.Test(t, func(t *testing.T) {
			db, err := database.Open(t.Context(), url, "")
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			ctx, cancel := context.WithCancel(t.Context())
			var at atomic.Int64
			var reading sync.WaitGroup
			for range 20 {
				reading.Go(func() {
					db.System().Read(ctx, func(context.Context, database.Tx) error {
						at.Add(1)
						<-ctx.Done()
						return nil
					})
				})
			}
			synctest.Wait() // until each has a connection or waits for one
			if n := at.Load(); n != want {
				t.Errorf("%q: %d transactions at once, want %d", settings, n, want)
			}
			cancel()
			reading.Wait()
		})
	}
}

// A tenant's query has a time limit; those of the platform, and writes, have none.
func TestReadsEnd(t *testing.T) {
	db, err := database.Open(t.Context(), databasetest.PostgresURL(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for name, c := range map[string]struct {
		run  func(context.Context, func(context.Context, database.Tx) error) error
		want string
	}{
		"a tenant's":               {db.Tenant(acme).Read, "20s"},
		"a tenant's, with setting": {db.Tenant(acme).With("jit=off").Read, "20s"},
		"the platform's":           {db.System().Read, "0"},
		"a tenant's writing":       {db.Tenant(acme).Write, "0"},
	} {
		if err := c.run(t.Context(), func(ctx context.Context, tx database.Tx) error {
			var got string
			if err := tx.NewRaw("SHOW statement_timeout").Scan(ctx, &got); err != nil || got != c.want {
				t.Errorf("%s query ends after %s, %v, want %s", name, got, err, c.want)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// The application's role is held to row-level security; the cluster's own superuser is not.
func TestRoleBypassesRowSecurity(t *testing.T) {
	if bypasses, _, err := databasetest.SQLite(t).BypassesRowSecurity(t.Context()); bypasses || err != nil {
		t.Errorf("SQLite: %v %v", bypasses, err)
	}
	if testing.Short() {
		return
	}
	url := databasetest.PostgresURL(t)
	for _, role := range []struct {
		url      string
		bypasses bool
	}{{url, false}, {strings.Replace(url, "parley@", "postgres@", 1), true}} {
		db, err := database.Open(t.Context(), role.url, "")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if bypasses, name, err := db.BypassesRowSecurity(t.Context()); bypasses != role.bypasses || err != nil {
			t.Errorf("%s: %v %v", name, bypasses, err)
		}
	}
}
