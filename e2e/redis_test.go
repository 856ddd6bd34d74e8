package e2e

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"parley/e2e/binary"
	"parley/internal/database/databasetest"
	"parley/internal/redis/redistest"
)

// Two servers on one database and one Redis enforce a key's limit together; without Redis they continue, and report it.
func TestServersShareRedis(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	env := map[string]string{
		"REDIS_URL": server.URL, "DATABASE_URL": databasetest.PostgresURL(t), "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32), "PARLEY_DEMO": "true",
	}
	one, err := start(t.TempDir(), env, "--without=media,worker,delivery")
	if err != nil {
		t.Fatal(err)
	}
	defer one.Kill()
	two, err := start(t.TempDir(), env, "--without=media,worker,delivery")
	if err != nil {
		t.Fatal(err)
	}
	defer two.Kill()
	settings := maps.Clone(env)
	settings["PARLEY_DATA_DIR"] = one.Dir
	p, err := launch(settings, "key", "create", "--tenant", "demo", "--name", "few", "--environment", "live", "--scopes", "*", "--rate-limit", "4", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var few struct{ Key string }
	if code, err := p.Wait(t.Context()); err != nil || code != 0 {
		t.Fatalf("key create exits with %d: %v\n%s", code, err, p.Log.String())
	}
	if err := json.Unmarshal([]byte(p.Out.String()), &few); err != nil {
		t.Fatal(err)
	}
	get := func(url, path string) (status int, remaining string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-API-Key", few.Key)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.StatusCode, answer.Header.Get("X-RateLimit-Remaining")
	}
	for i, s := range []*binary.Server{one, two, one, two} {
		if status, remaining := get(s.URL, "/api/v1/agents"); status != http.StatusOK || remaining != strconv.Itoa(3-i) {
			t.Errorf("request %d: %d, %s remaining", i+1, status, remaining)
		}
	}
	if status, _ := get(two.URL, "/api/v1/agents"); status != http.StatusTooManyRequests {
		t.Errorf("one too many: %d", status)
	}
	server.Stop()
	if status, _ := get(one.URL, "/api/v1/agents"); status != http.StatusOK {
		t.Errorf("without Redis: %d", status)
	}
	if status, _ := get(one.URL, "/health"); status != http.StatusOK {
		t.Errorf("health without Redis: %d", status)
	}
	if err := one.Stop(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(one.Log.String(), "Redis is unreachable"); n != 1 {
		t.Errorf("the log reports %d times that Redis is unreachable", n)
	}
	// At the start Redis has to be there.
	if _, err := start(t.TempDir(), env, "--without=media,worker,delivery"); err == nil || !strings.Contains(err.Error(), "REDIS_URL: no answer from Redis at 127.0.0.1:") {
		t.Errorf("a start without Redis: %v", err)
	}
}
