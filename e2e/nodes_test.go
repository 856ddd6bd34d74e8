package e2e

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/database/databasetest"
	"parley/internal/redis/redistest"
)

// Of two nodes, one takes requests and has neither worker nor delivery, the other has both: what happens on either is
// heard of on the other at once, not when it next looks. Without announcements a call's end that a client asks for takes
// the worker seconds, a delivery half a second on average, and a stream one.
func TestNodesHearOfEachOther(t *testing.T) {
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
	// A machine that is busy with other things has another two chances.
	const calls, rounds = 9, 3
	var slow []string
	made := 0
	for round := 0; round < rounds && (round == 0 || slow != nil); round++ {
		slow = hear(t, one, r, changes, calls)
		made += calls
	}
	for _, what := range slow {
		t.Error(what)
	}
	if n := strings.Count(two.Log.String(), "call ended"); n != made {
		t.Errorf("the worker ended %d of %d calls itself", n, made)
	}
}

// hear makes calls on one node, and says which of the other's news were late.
func hear(t *testing.T, one *binary.Server, r *receiver, changes func(callID, status string) time.Time, calls int) (slow []string) {
	t.Helper()
	var delivered, told, ended []time.Duration
	for range calls {
		began := time.Now()
		d, err := one.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		dispatched := time.Now()
		told = append(told, changes(d.CallID, "pending").Sub(began))
		delivered = append(delivered, r.arrived(t, d.CallID, client.CallStarted).Sub(began))
		// The other node's worker has the call by now, or will have.
		time.Sleep(time.Until(dispatched.Add(700 * time.Millisecond)))
		began = time.Now()
		c, err := one.API.Calls.End(t.Context(), d.CallID)
		if err != nil || *c.StatusReason != "ended_by_api" {
			t.Fatalf("%+v, %v", c, err)
		}
		ended = append(ended, time.Since(began))
	}
	for what, took := range map[string][]time.Duration{"a delivery": delivered, "a stream": told, "an end": ended} {
		slices.Sort(took)
		if median := took[len(took)/2]; median > 350*time.Millisecond {
			slow = append(slow, fmt.Sprintf("%s takes %s, all: %v", what, median, took))
		}
	}
	return slow
}

// watch opens a server's stream of all calls. The returned function waits until a call has a state there.
func watch(t *testing.T, s *binary.Server, key string) func(callID, status string) time.Time {
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
	type line struct {
		text string
		at   time.Time
	}
	lines := make(chan line, 10_000)
	t.Cleanup(func() { answer.Body.Close() })
	go func() {
		for s := bufio.NewScanner(answer.Body); s.Scan(); {
			lines <- line{s.Text(), time.Now()}
		}
	}()
	return func(callID, status string) time.Time {
		t.Helper()
		deadline := time.After(20 * time.Second)
		for {
			select {
			case l := <-lines:
				if strings.Contains(l.text, callID) && strings.Contains(l.text, `"`+status+`"`) {
					return l.at
				}
			case <-deadline:
				t.Fatalf("the stream does not tell of the call")
			}
		}
	}
}
