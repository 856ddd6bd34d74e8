package e2e

import (
	"context"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley/e2e/binary"
	"parley/internal/database/databasetest"
)

// refusedStart starts a server on free ports that ends with exit code 1, and returns what it says.
func refusedStart(t *testing.T, settings map[string]string) string {
	t.Helper()
	env, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(env, settings)
	p, err := launch(env, "serve")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	code, err := p.Wait(ctx)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Log.String())
	}
	line := p.Log.String()
	if code != 1 || strings.Count(line, "\n") != 1 || p.Out.String() != "" {
		t.Errorf("exit code %d, standard error:\n%s\nstandard output: %s", code, line, p.Out.String())
	}
	return line
}

// A server whose encryption key is not that of the data does not start, with an error that says so; with an earlier key beside a
// new one it starts.
func TestEncryptionKeyOfTheData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second, third := strings.Repeat("1", 32), strings.Repeat("2", 32), strings.Repeat("3", 32)
	turn := func(env map[string]string) {
		t.Helper()
		s, err := start(dir, env)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	turn(map[string]string{"ENCRYPTION_KEY": first})
	refused := func(key string) {
		t.Helper()
		line := refusedStart(t, map[string]string{"PARLEY_DATA_DIR": dir, "ENCRYPTION_KEY": key})
		if !strings.Contains(line, "ENCRYPTION_KEY: is not the key that the database was sealed with") {
			t.Error(line)
		}
	}
	refused(second)
	turn(map[string]string{"ENCRYPTION_KEY": second, "ENCRYPTION_KEYS_OLD": first})
	turn(map[string]string{"ENCRYPTION_KEY": second})
	refused(first)
	refused(third)
}

// A lost generated key is not generated again while there is data.
func TestLostEncryptionKey(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := start(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "encryption-key")
	key, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if line := refusedStart(t, map[string]string{"PARLEY_DATA_DIR": dir}); !strings.Contains(line, "ENCRYPTION_KEY") || !strings.Contains(line, path) {
		t.Error(line)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("another key was made")
	}
	if err := os.WriteFile(path, key, 0o600); err != nil {
		t.Fatal(err)
	}
	serve(t, dir, nil)
}

func TestSecondServerOnADataFolder(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), nil)
	if line := refusedStart(t, map[string]string{"PARLEY_DATA_DIR": s.Dir}); !strings.Contains(line, "PARLEY_DATA_DIR: another server uses "+s.Dir) {
		t.Error(line)
	}
	if _, err := s.API.Me(t.Context()); err != nil {
		t.Errorf("the first server: %v", err)
	}
}

// Servers that start at the same time on an empty database all start, and make one demo tenant.
func TestFirstStartOfSeveral(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"DATABASE_URL": databasetest.EmptyPostgresURL(t), "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32), "PARLEY_DEMO": "true",
	}
	var group sync.WaitGroup
	servers := make([]*binary.Server, 3)
	for i := range servers {
		dir := t.TempDir()
		group.Go(func() {
			s, err := start(dir, env)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(s.Kill)
			servers[i] = s
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	passwords := 0
	for _, s := range servers {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if printedPassword.MatchString(s.Out.String()) {
			passwords++
		}
	}
	if passwords != 1 {
		t.Errorf("%d of 3 servers printed a password", passwords)
	}
}

// SIGHUP drains a server as SIGTERM does.
func TestHangUpDrains(t *testing.T) {
	t.Parallel()
	// Under nohup the server would inherit that SIGHUP is ignored, which it respects; a handled signal is not inherited.
	handled := make(chan os.Signal, 1)
	signal.Notify(handled, syscall.SIGHUP)
	defer signal.Stop(handled)
	s, err := start(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	if err := syscall.Kill(s.PID(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if code, err := s.Wait(ctx); err != nil || code != 0 || !strings.Contains(s.Log.String(), "draining") {
		t.Errorf("exit code %d, %v\n%s", code, err, s.Log.String())
	}
}
