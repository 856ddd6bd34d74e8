package e2e

import (
	"context"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// A restoration on PostgreSQL that does not come to its end leaves a database on which no server starts and no migration runs
// until it has been repeated.
func TestInterruptedRestoration(t *testing.T) {
	t.Parallel()
	settings := map[string]string{"DATABASE_URL": databasetest.EmptyPostgresURL(t), "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32), "PARLEY_DEMO": "true",
		"PARLEY_DATA_DIR": filepath.Join(t.TempDir(), "data")}
	s := serve(t, settings["PARLEY_DATA_DIR"], settings, "--without=worker")
	calls := begunCalls(t, s, 1)
	file := filepath.Join(t.TempDir(), "parley.zip")
	administer(t, settings, "", "backup", file)

	other := maps.Clone(settings)
	other["DATABASE_URL"], other["PARLEY_DATA_DIR"] = databasetest.EmptyPostgresURL(t), filepath.Join(t.TempDir(), "other")
	db, err := database.Open(t.Context(), other["DATABASE_URL"], "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	change := func(statement string) {
		t.Helper()
		if err := db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	change("CREATE VIEW calls AS SELECT 1") // the restoration stops in the migrations
	db.Close()
	administer(t, other, "without data", "restore", file)
	for _, command := range []string{"serve", "worker", "migrate"} {
		administer(t, other, "DATABASE_URL: parley restore or parley copy has not filled this database", command)
	}
	diagnose(t, other).finds(t, "database", "failed", "has not filled this database")

	if db, err = database.Open(t.Context(), other["DATABASE_URL"], ""); err != nil {
		t.Fatal(err)
	}
	change("DROP VIEW calls")
	db.Close()
	administer(t, other, "", "restore", file)
	restored := serve(t, other["PARLEY_DATA_DIR"], other, "--without=worker")
	restored.API = client.New(restored.URL, s.Key)
	hasCalls(t, restored, s.Key, calls)
}
