package e2e

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/database/databasetest"
	"parley/internal/redis/redistest"
)

// Of two nodes, one serves requests and has neither worker nor delivery, the other has both: each notifies the other of its
// changes, through PostgreSQL or Redis, so that none has to poll. The packages that receive notifications test in virtual time
// that they act on them immediately.
func TestNodesNotifyEachOther(t *testing.T) {
	t.Parallel()
	t.Run("postgres", func(t *testing.T) { nodes(t, nil) })
	t.Run("redis", func(t *testing.T) { nodes(t, map[string]string{"REDIS_URL": redistest.Start(t).URL}) })
}

func nodes(t *testing.T, more map[string]string) {
	t.Parallel()
	env := map[string]string{
		"DATABASE_URL": databasetest.PostgresURL(t), "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32),
		"PARLEY_DEMO": "true",
	}
	for k, v := range more {
		env[k] = v
	}
	dir := filepath.Join(t.TempDir(), "one")
	one := serve(t, dir, env, "--without=worker,delivery")
	mediaSecret, err := os.ReadFile(filepath.Join(dir, "livekit-secret"))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"LIVEKIT_URL": "ws://127.0.0.1:" + one.RTCPort, "LIVEKIT_API_KEY": "parley", "LIVEKIT_API_SECRET": strings.TrimSpace(string(mediaSecret))} {
		env[k] = v
	}
	two := serve(t, filepath.Join(t.TempDir(), "two"), env, "--without=media")

	r := receive(t)
	hook, err := one.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: r.URL})
	if err != nil {
		t.Fatal(err)
	}
	r.use(hook.Secret)
	changes := watch(t, two, one.Key)
	const calls = 3
	for range calls {
		before := announcements(t, two)
		d, err := one.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		changes(d.CallID, "pending")
		r.delivered(t, d.CallID, client.CallStarted)
		awaitGauge(t, two, "worker_calls", 1)
		c, err := one.API.Calls.End(t.Context(), d.CallID)
		if err != nil || *c.StatusReason != "ended_by_api" {
			t.Fatalf("%+v, %v", c, err)
		}
		awaitGauge(t, two, "worker_calls", 0)
		await(t, "node two received announcements of the call, of its deliveries and of its end", func() bool {
			now := announcements(t, two)
			for _, topic := range []string{"pending", "calls", "deliveries", "ending"} {
				if now[topic] == before[topic] {
					return false
				}
			}
			return true
		})
	}
	// When the worker does not answer within 3 s, as on a machine that is very busy, the API ends a call by itself.
	if n := strings.Count(two.Log.String(), "call ended"); n == 0 {
		t.Errorf("the worker ended none of %d calls", calls)
	}
}

// announcements counts those that a server received from other nodes, by topic.
func announcements(t *testing.T, s *binary.Server) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for line := range strings.Lines(metrics(t, s)) {
		var n int
		if rest, ok := strings.CutPrefix(line, `node_announcements_total{topic="`); ok {
			topic, count, _ := strings.Cut(rest, `"} `)
			if _, err := fmt.Sscan(count, &n); err != nil {
				t.Fatal(err)
			}
			counts[topic] = n
		}
	}
	return counts
}

// watch opens a server's stream of all calls. The returned function waits until a call has a state there.
func watch(t *testing.T, s *binary.Server, key string) func(callID, status string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/sse/calls/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("stream: %s", answer.Status)
	}
	lines := make(chan string, 10_000)
	t.Cleanup(func() { answer.Body.Close() })
	go func() {
		for s := bufio.NewScanner(answer.Body); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return func(callID, status string) {
		t.Helper()
		limit := time.After(patience)
		for {
			select {
			case line := <-lines:
				if strings.Contains(line, callID) && strings.Contains(line, `"`+status+`"`) {
					return
				}
			case <-limit:
				t.Fatalf("the stream does not say that call %s is %s", callID, status)
			}
		}
	}
}
