package e2e

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/page"
	"parley/internal/database/databasetest"
)

// backupCommands are the commands of docs/operations.md: the backup of SQLite, that of PostgreSQL, and its restoration.
func backupCommands(t *testing.T) (sqlite, postgres, restore string) {
	t.Helper()
	var commands []string
	for _, b := range page.Blocks(document(t, "docs/operations.md")) {
		if b.Language == "sh" {
			commands = append(commands, b.Text)
		}
	}
	if len(commands) != 3 || !strings.Contains(commands[0], "sqlite3") || !strings.Contains(commands[1], "pg_dump") || !strings.Contains(commands[2], "pg_restore") {
		t.Fatalf("docs/operations.md has the commands %q, want three", commands)
	}
	return commands[0], commands[1], commands[2]
}

// A data folder is backed up while the server writes, as the document says, and a server that is started on the copy has
// what there was.
func TestBackupOfSQLite(t *testing.T) {
	t.Parallel()
	backup, _, _ := backupCommands(t)
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil, "--without=worker")
	calls := begunCalls(t, s, 3)
	ctx, cancel := context.WithCancel(t.Context())
	writing := make(chan struct{})
	go func() {
		defer close(writing)
		for ctx.Err() == nil {
			_, _ = s.API.Calls.TestAgent(ctx, client.TestAgent{AgentName: "demo"})
		}
	}()
	sh := newShell(t, s)
	sh.run(t, backup)
	cancel()
	<-writing
	restored := serve(t, filepath.Join(sh.Dir, "backup"), nil, "--without=worker")
	hasCalls(t, restored, s.Key, calls)
}

// A PostgreSQL database is dumped with the role of the servers, as the document says, and restored into an empty one. The
// dump that the document warns of has no rows.
func TestBackupOfPostgres(t *testing.T) {
	t.Parallel()
	_, backup, restore := backupCommands(t)
	url, empty := databasetest.PostgresURL(t), databasetest.EmptyPostgresURL(t)
	env := map[string]string{"DATABASE_URL": url, "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32), "PARLEY_DEMO": "true"}
	s := serve(t, filepath.Join(t.TempDir(), "data"), env, "--without=worker")
	calls := begunCalls(t, s, 3)
	sh := newShell(t, s)
	sh.run(t, backup, "DATABASE_URL="+url)
	sh.run(t, restore, "RESTORE_URL="+empty)
	var rows int
	db, err := sql.Open("pgx", empty)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM set_config('parley.tenant', 'system', false), calls").Scan(&rows); err != nil || rows != len(calls) {
		t.Errorf("%d calls were restored, %v, want %d", rows, err, len(calls))
	}
	env["DATABASE_URL"] = empty
	restored := serve(t, filepath.Join(t.TempDir(), "restored"), env, "--without=worker")
	hasCalls(t, restored, s.Key, calls)

	// Without the setting, row-level security hides every row; without the flag, pg_dump refuses.
	plain := strings.Replace(backup, "PGOPTIONS='-c parley.tenant=system' ", "", 1)
	out := sh.run(t, strings.NewReplacer("--format=custom --file=parley.dump", "--data-only --table=calls").Replace(plain), "DATABASE_URL="+url)
	if strings.Contains(out, calls[0]) {
		t.Error("a dump without the setting has rows")
	}
	refused := exec.CommandContext(t.Context(), "pg_dump", "--table=calls", url)
	refused.Env = append(os.Environ(), "PGOPTIONS=")
	if err := refused.Run(); err == nil {
		t.Error("pg_dump with the role of the servers does not refuse")
	}
}

// begunCalls dispatches calls and returns their ids.
func begunCalls(t *testing.T, s *binary.Server, n int) (ids []string) {
	t.Helper()
	for range n {
		ids = append(ids, begin(t, s).CallID)
	}
	return ids
}

// hasCalls checks that a server has calls, for the key of the server that it was restored from.
func hasCalls(t *testing.T, s *binary.Server, key string, ids []string) {
	t.Helper()
	api := client.New(s.URL, key)
	for _, id := range ids {
		if _, err := api.Calls.Get(t.Context(), id); err != nil {
			t.Errorf("call %s is not restored: %v", id, err)
		}
	}
}
