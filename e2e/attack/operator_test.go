package attack

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/e2e/binary"
	"parley/internal/database/databasetest"
)

// What an operator gets wrong is refused with the name of what is wrong, and the data folder is for its owner alone.
func TestOperator(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, content string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := file("key", "0123456789abcdef0123456789abcdef\n")
	run := func(settings map[string]string, args ...string) (int, string) {
		t.Helper()
		with := map[string]string{"PARLEY_DATA_DIR": dir}
		maps.Copy(with, settings)
		p, err := binary.Launch(program, with, args...)
		if err != nil {
			t.Fatal(err)
		}
		limited, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		code, err := p.Wait(limited)
		if err != nil {
			t.Fatal(err)
		}
		return code, p.Log.String()
	}
	for _, args := range [][]string{{"migrate"}, {"tenant", "create", "acme"}} {
		if code, text := run(map[string]string{"ENCRYPTION_KEY_FILE": key}, args...); code != 0 {
			t.Fatal(text)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "encryption-key")); err == nil {
		t.Error("a key was generated beside that of the file")
	}
	for _, c := range []struct {
		settings map[string]string
		args     string
		problem  string
	}{
		{map[string]string{"ENCRYPTION_KEY_FILE": key, "ENCRYPTION_KEY": "0123456789abcdef0123456789abcdef"}, "migrate", "parley: ENCRYPTION_KEY: ENCRYPTION_KEY and ENCRYPTION_KEY_FILE are both set, want one of them"},
		{map[string]string{"DATABASE_URL_FILE": file("url", "")}, "migrate", "DATABASE_URL_FILE: "},
		{map[string]string{"JWT_SECRET_FILE": "/nowhere"}, "migrate", "JWT_SECRET_FILE: /nowhere cannot be read"},
		{map[string]string{"JWT_SECRET_FILE": file("jwt", "short")}, "migrate", "JWT_SECRET: has 5 characters"},
		{map[string]string{"PARLEY_METRICS_TOKEN": "short"}, "serve", "PARLEY_METRICS_TOKEN: must have at least 16 characters"},
		{map[string]string{"PARLEY_AUDIT_RETENTION": "1h"}, "serve", "PARLEY_AUDIT_RETENTION: "},
		{nil, "key create --tenant acme --name n", "--scopes"},
		{map[string]string{"ENCRYPTION_KEY_FILE": key}, "key create --tenant acme --name n --scopes=", "--scopes"},
		{nil, "user set --email a@example.com", "--password, --scopes"},
		{map[string]string{"ENCRYPTION_KEY_FILE": key}, "user create --tenant acme --email a@example.com --password elevenchars", "at least 12 characters"},
	} {
		if code, text := run(c.settings, strings.Fields(c.args)...); code == 0 || !strings.Contains(text, c.problem) {
			t.Errorf("%s with %v: exit code %d, %s; want %s", c.args, c.settings, code, text, c.problem)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "parley.db"), filepath.Join(dir, "jwt-secret")} {
		if err := os.Chmod(path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if code, text := run(map[string]string{"ENCRYPTION_KEY_FILE": key}, "migrate"); code != 0 {
		t.Fatal(text)
	}
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "parley.db"): 0o600, filepath.Join(dir, "jwt-secret"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", path, info.Mode(), err, want)
		}
	}
}

// A start with a PostgreSQL role that row-level security does not apply to is warned of, once and with the role's name;
// one with the role of the documentation is not.
func TestWarningOfPostgresRole(t *testing.T) {
	t.Parallel()
	cluster := databasetest.StartCluster(t)
	for _, role := range []struct {
		name     string
		warnings int
	}{{"parley", 0}, {"postgres", 1}} {
		s := start(t, map[string]string{
			"DATABASE_URL": strings.Replace(cluster.URL(t), "parley@", role.name+"@", 1), "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32),
			"PARLEY_DEMO": "true",
		})
		if n := strings.Count(s.Log.String(), "row-level security does not apply"); n != role.warnings {
			t.Errorf("role %s: %d warnings, want %d\n%s", role.name, n, role.warnings, s.Log.String())
		}
	}
}
