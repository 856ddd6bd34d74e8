package e2e

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // driver
	_ "modernc.org/sqlite"             // driver

	"parley/client"
	"parley/internal/database/databasetest"
)

// A newer version that runs on the same database adds a column to every table: this version serves calls on, and starts again.
// Once the newer one says that older versions cannot work on its schema, this version does not start.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		newerSchema(t, map[string]string{"PARLEY_DATA_DIR": dir}, "sqlite", "file:"+filepath.Join(dir, "parley.db")+"?_pragma=busy_timeout(10000)&_pragma=synchronous(OFF)",
			"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		url := databasetest.PostgresURL(t)
		newerSchema(t, map[string]string{
			"PARLEY_DATA_DIR": t.TempDir(), "DATABASE_URL": url, "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32), "PARLEY_DEMO": "true",
		}, "pgx", url, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
	})
}

func newerSchema(t *testing.T, env map[string]string, driver, url, tables string) {
	s, err := start(env["PARLEY_DATA_DIR"], env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	db, err := sql.Open(driver, url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	execute := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	rows, err := db.QueryContext(t.Context(), tables)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name != "goose_db_version" {
			execute(fmt.Sprintf(`ALTER TABLE "%s" ADD COLUMN of_a_newer_version text DEFAULT 'x'`, name))
		}
	}
	execute("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)")

	use := func() {
		t.Helper()
		before := s.Log.String()
		d, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		awaitGauge(t, s, "worker_calls", 1)
		if _, err := s.API.Calls.End(t.Context(), d.CallID); err != nil {
			t.Fatal(err)
		}
		awaitGauge(t, s, "worker_calls", 0)
		if _, err := s.API.Agents.List(t.Context(), client.ListOptions{}); err != nil {
			t.Error(err)
		}
		if _, err := s.API.Workflows.List(t.Context(), client.ListOptions{}); err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(strings.TrimPrefix(s.Log.String(), before)) {
			// A call that is ended while its agent joins the room is an error to LiveKit; a disk that needs seconds is one to the health
			// check and the queue.
			foreign := strings.Contains(line, "component=livekit") || strings.Contains(line, "it does not answer") || strings.Contains(line, "deadline exceeded")
			if strings.Contains(line, "of_a_newer_version") || strings.Contains(line, "level=ERROR") && !foreign {
				t.Errorf("an error in the log: %s", line)
			}
		}
	}
	use()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if s, err = start(env["PARLEY_DATA_DIR"], env); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	use()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	execute("INSERT INTO installation (name, value) VALUES ('oldest_schema', '99999')")
	if line := refusedStart(t, env); !strings.Contains(line, "newer version") || !strings.Contains(line, "99999") {
		t.Error(line)
	}
}
