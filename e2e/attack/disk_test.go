package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/e2e/binary"
	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// eachStore starts a server without a worker on each database, and returns how many bytes its data takes on the disk.
func eachStore(t *testing.T, f func(t *testing.T, s *binary.Server, size func() int64)) {
	t.Run("sqlite", func(t *testing.T) {
		s := start(t, nil, "--without=worker")
		f(t, s, func() (n int64) {
			for _, name := range []string{"parley.db", "parley.db-wal"} {
				if info, err := os.Stat(filepath.Join(s.Dir, name)); err == nil {
					n += info.Size()
				}
			}
			return n
		})
	})
	t.Run("postgres", func(t *testing.T) {
		url := databasetest.PostgresURL(t)
		env := map[string]string{"DATABASE_URL": url, "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32)}
		for name, value := range env { // for commands
			t.Setenv(name, value)
		}
		s := start(t, env, "--without=worker")
		db, err := database.Open(t.Context(), url, "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		f(t, s, func() (n int64) {
			if err := db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
				return tx.NewRaw("SELECT pg_database_size(current_database())").Scan(ctx, &n)
			}); err != nil {
				t.Fatal(err)
			}
			return n
		})
	})
}

// writeLargePrompts creates the agent "large", which names prompts of 99 kB, 38 of which fit into a call's plan.
func writeLargePrompts(t *testing.T, s *binary.Server, key string) {
	t.Helper()
	as := func(method, path, body string) (*http.Response, []byte) { return send(t, s, key, method, path, body) }
	references := ""
	for n := range 38 {
		slug := fmt.Sprintf("large%d", n)
		// Random enough that no database compresses it away.
		create(t, as, "/api/v1/prompts", map[string]any{"slug": slug, "name": slug, "content": map[string]string{"en": noise(99_000)}})
		references += "{{prompt." + slug + "}}"
	}
	create(t, as, "/api/v1/agents", agentOf("large", references))
}

// noise returns a text of n characters that cannot be compressed much.
func noise(n int) string {
	var text strings.Builder
	for state := uint64(88172645463325252); text.Len() < n; {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		fmt.Fprintf(&text, "%x", state)
	}
	return text.String()[:n]
}

// dispatchLarge dispatches n calls of the agent "large", each with a request of 1 kB.
func dispatchLarge(t *testing.T, s *binary.Server, key string, n int) {
	t.Helper()
	for range n {
		body := fmt.Sprintf(`{"agent_name":"large","metadata":{"note":%q}}`, strings.Repeat("x", 900))
		if answer, text := send(t, s, key, http.MethodPost, "/api/v1/calls/test-agent", body); answer.StatusCode != made {
			t.Fatalf("%s: %.300s", answer.Status, text)
		}
	}
}

// Small requests that name large prompts store them once.
func TestDispatchesWriteLittle(t *testing.T) {
	eachStore(t, func(t *testing.T, s *binary.Server, stored func() int64) {
		key := newTenant(t, s, "greedy", "*")
		writeLargePrompts(t, s, key)
		dispatchLarge(t, s, key, 1)
		before := stored()
		dispatchLarge(t, s, key, size(20, 200))
		grown := stored() - before
		t.Logf("%d dispatches wrote %d kB", size(20, 200), grown>>10)
		if grown > 10<<20 {
			t.Errorf("%d dispatches of 1 kB wrote %d MiB", size(20, 200), grown>>20)
		}
	})
}

// fillStorage dispatches calls with large contexts until the server refuses one, and returns that answer.
func fillStorage(t *testing.T, s *binary.Server, key string) (*http.Response, []byte) {
	t.Helper()
	body := fmt.Sprintf(`{"agent_name":"desk","user_context":{"text":%q},"metadata":{"text":%q}}`, strings.Repeat("x", 60_000), strings.Repeat("x", 60_000))
	for range 100 {
		if answer, text := send(t, s, key, http.MethodPost, "/api/v1/calls/test-agent", body); answer.StatusCode != made {
			return answer, text
		}
	}
	t.Fatal("100 calls of 180 kB are accepted")
	return nil, nil
}

// A tenant stores as much as it may, and no more; no other tenant notices.
func TestStoredBytes(t *testing.T) {
	eachStore(t, func(t *testing.T, s *binary.Server, _ func() int64) {
		greedy, neighbour := newTenant(t, s, "greedy", "*"), newTenant(t, s, "neighbour", "*")
		for _, key := range []string{greedy, neighbour} {
			create(t, func(method, path, body string) (*http.Response, []byte) { return send(t, s, key, method, path, body) }, "/api/v1/agents", agentOf("desk", "You are the desk."))
		}
		command(t, s, "", "tenant", "set", "greedy", "--limit", "stored_bytes=2000000")
		var answer *http.Response
		var text []byte
		await(t, "the limit applies", func() bool {
			answer, text = fillStorage(t, s, greedy)
			return answer.StatusCode == http.StatusConflict
		})
		if !strings.Contains(string(text), "limit stored_bytes") {
			t.Errorf("%s: %.300s", answer.Status, text)
		}
		await(t, "the usage is written", func() bool {
			_, text := send(t, s, greedy, http.MethodGet, "/api/v1/limits", "")
			var limits struct {
				Items []struct {
					Name        string
					Limit, Used int64
				}
			}
			if err := json.Unmarshal(text, &limits); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			for _, l := range limits.Items {
				if l.Name == "stored_bytes" {
					return l.Limit == 2_000_000 && l.Used >= l.Limit
				}
			}
			return false
		})
		if answer, text := send(t, s, neighbour, http.MethodPost, "/api/v1/calls/test-agent", `{"agent_name":"desk"}`); answer.StatusCode != made {
			t.Errorf("the neighbour: %s: %.300s", answer.Status, text)
		}
	})
}
