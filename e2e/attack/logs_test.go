package attack

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/internal/database/databasetest"
	"parley/internal/redis/redistest"
)

// maxOutageLines is how many lines the log may have of an outage, besides those of requests and of the ordinary course of calls:
// ten of what waits for PostgreSQL, the recovery included.
const maxOutageLines = 10

// The recoveries of Redis. They may come after the next outage has begun.
const cacheBack, nodesBack = "Redis is reachable again", "node notifications restored"

// While Redis, PostgreSQL or both are unreachable under load, the log has each kind of message once, and one line for each
// recovery. Every line meanwhile is JSON if JSON is configured, and contains no secret.
func TestLogOfOutages(t *testing.T) {
	t.Parallel()
	cluster := databasetest.StartCluster(t)
	cache := redistest.Start(t)
	s := start(t, map[string]string{
		"DATABASE_URL": cluster.URL(t), "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32), "PARLEY_DEMO": "true",
		"REDIS_URL": cache.URL, "PARLEY_LOG_FORMAT": "json", "PARLEY_METRICS_TOKEN": "hush-hush-hush-hush",
	})
	load(t, s)

	databaseBack := `"msg":"health check recovered","check":"database"`
	outage(t, s, "Redis", cache.Stop, cache.Restart, cacheBack, nodesBack)
	outage(t, s, "a Redis that hangs", cache.Pause, cache.Resume, cacheBack)
	outage(t, s, "PostgreSQL", func() { cluster.Stop(t) }, func() { cluster.Restart(t) }, databaseBack)
	var resume func()
	outage(t, s, "a PostgreSQL that hangs", func() { resume = cluster.Pause(t) }, func() { resume() }, databaseBack)

	if s.Out.String() != "" {
		t.Errorf("standard output has %q", s.Out.String())
	}
	lines := 0
	for line := range strings.Lines(s.Log.String()) {
		if lines++; !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	all := s.Log.String()
	for _, want := range []string{`"msg":"starting Parley","version":"`, `"role":"serve"`, `"PARLEY_LOG_FORMAT":"json"`, `parley user set --email demo@parley.local --password -`} {
		if strings.Count(all, want) != 1 {
			t.Errorf("%s is not there once", want)
		}
	}
	for _, secret := range []string{"hush-hush", strings.Repeat("j", 32), strings.Repeat("k", 32), "postgres://", `"route":"/health`} {
		if strings.Contains(all, secret) {
			t.Errorf("the log has %s", secret)
		}
	}
	t.Logf("%d lines", lines)
}

// load has a few clients make requests until the test ends, and calls wait for their callers.
func load(t *testing.T, s *binary.Server) {
	t.Helper()
	for range 5 {
		if answer, text := send(t, s, s.Key, http.MethodPost, "/api/v1/calls", `{"workflow_slug":"demo"}`); answer.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %s", answer.Status, text)
		}
	}
	ended := make(chan struct{})
	client := &http.Client{Timeout: 5 * time.Second}
	var clients sync.WaitGroup
	for range size(4, 32) {
		clients.Go(func() {
			for {
				select {
				case <-ended:
					return
				case <-time.After(20 * time.Millisecond):
				}
				r, err := http.NewRequest(http.MethodGet, s.URL+"/api/v1/agents", nil)
				if err != nil {
					panic(err)
				}
				r.Header.Set("X-API-Key", s.Key)
				if answer, err := client.Do(r); err == nil { // what they are answered is no matter here
					answer.Body.Close()
				}
				if answer, err := client.Get(s.URL + "/health/ready"); err == nil {
					answer.Body.Close()
				}
			}
		})
	}
	t.Cleanup(func() {
		close(ended)
		clients.Wait()
	})
}

// outage stops something for a while, and counts the lines of the log until each of what is wanted is there.
func outage(t *testing.T, s *binary.Server, what string, stop, back func(), wants ...string) {
	t.Helper()
	began := len(s.Log.String())
	stop()
	time.Sleep(time.Duration(size(8, 15)) * time.Second)
	back()
	for _, want := range wants {
		await(t, what+": "+want, func() bool { return strings.Contains(s.Log.String()[began:], want) })
	}
	time.Sleep(time.Second)
	lines, counts := 0, map[string]int{}
	for line := range strings.Lines(s.Log.String()[began:]) {
		var l struct{ Level, Msg, Call string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Errorf("%s: no JSON: %s", what, line)
		}
		ordinary := l.Level == "INFO" && l.Call != "" // lines of ordinary calls
		earlier := (l.Msg == cacheBack || l.Msg == nodesBack) && !slices.Contains(wants, l.Msg)
		if l.Msg != "request" && !ordinary && !earlier {
			lines++
			counts[l.Msg]++
			t.Logf("%s: %.300s", what, strings.TrimSpace(line))
		}
	}
	t.Logf("%s: %d lines", what, lines)
	if lines > maxOutageLines {
		t.Errorf("%s: %d lines, want %d at most: %v", what, lines, maxOutageLines, counts)
	}
	for _, want := range wants {
		if n := strings.Count(s.Log.String()[began:], want); n != 1 {
			t.Errorf("%s: %d lines of %s, want 1", what, n, want)
		}
	}
}

// A failed start is logged in JSON if JSON is configured; the version is machine-readable.
func TestFailureAndVersionInJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args    string
		names   string
		setting string
	}{
		{"serve", "REDIS_URL", "json"},
		{"worker --nonsense", "nonsense", "json"},
		{"serve --nonsense --log-format=json", "nonsense", "text"},
		{"serve --log-format json --join-timeout=soon", "join-timeout", "text"},
	} {
		p, err := binary.Launch(program, map[string]string{"PARLEY_DATA_DIR": t.TempDir(), "PARLEY_LOG_FORMAT": c.setting, "REDIS_URL": "nonsense"}, strings.Fields(c.args)...)
		if err != nil {
			t.Fatal(err)
		}
		if code, err := p.Wait(t.Context()); err != nil || code == 0 {
			t.Errorf("%s: exit code %d, %v", c.args, code, err)
		}
		if text := p.Log.String() + p.Out.String(); !json.Valid([]byte(text)) || !strings.Contains(text, c.names) {
			t.Errorf("%s: %s", c.args, text)
		}
	}
	text, err := exec.CommandContext(t.Context(), program, "version", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var build struct{ Version, Commit, Go, Platform string }
	if err := json.Unmarshal(text, &build); err != nil || build.Version == "" || build.Commit == "" || !strings.HasPrefix(build.Go, "go1.") || !strings.Contains(build.Platform, "/") {
		t.Errorf("%s: %+v, %v", text, build, err)
	}
	if text, err = exec.CommandContext(t.Context(), program, "--version").Output(); err != nil || strings.TrimSpace(string(text)) != build.Version {
		t.Errorf("--version: %s, %v", text, err)
	}
}

// A failing media server of other agents is logged once, too, on a node without one.
func TestLogWithoutMediaServer(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"DATABASE_URL": databasetest.PostgresURL(t), "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32), "PARLEY_DEMO": "true",
	}
	mediaServer := start(t, env, "--without=worker,delivery")
	secret, err := os.ReadFile(filepath.Join(mediaServer.Dir, "livekit-secret"))
	if err != nil {
		t.Fatal(err)
	}
	env["LIVEKIT_URL"], env["LIVEKIT_API_KEY"], env["LIVEKIT_API_SECRET"] = "ws://127.0.0.1:"+mediaServer.RTCPort, "parley", strings.TrimSpace(string(secret))
	env["PARLEY_LOG_FORMAT"] = "json"
	s := start(t, env, "--without=media")
	s.Key = mediaServer.Key
	load(t, s)
	await(t, "agents are in their rooms", func() bool { return strings.Count(s.Log.String(), "agent joined the room") == 5 })
	outage(t, s, "media server", mediaServer.Kill, func() {}, `"msg":"health check failed","check":"media"`)
}
