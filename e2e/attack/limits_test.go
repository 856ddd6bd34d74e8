package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// made is the status of what is created.
const made = http.StatusCreated

// create makes something, which has to succeed.
func create(t *testing.T, send func(method, path, body string) (*http.Response, []byte), path string, body any) []byte {
	t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	answer, text := send(http.MethodPost, path, string(encoded))
	if answer.StatusCode != made {
		t.Fatalf("%s: %s: %.300s", path, answer.Status, text)
	}
	return text
}

// agentOf is an agent with a system prompt.
func agentOf(name, system string) map[string]any {
	return map[string]any{"name": name, "config": map[string]any{
		"prompt": map[string]any{"system": system},
		"stt":    map[string]any{"provider": "offline", "model": "pocketsphinx"}, "llm": map[string]any{"provider": "offline", "model": "scripted"},
		"tts": map[string]any{"provider": "offline", "voice_id": "rms"},
	}}
}

// What one tenant does in plenty is refused with the limit's name, costs the server little, and no other tenant notices.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := start(t, map[string]string{"PARLEY_MAX_WAITING_CALLS": "200"}, "--without=worker")
	as := func(key string) func(method, path, body string) (*http.Response, []byte) {
		return func(method, path, body string) (*http.Response, []byte) { return send(t, s, key, method, path, body) }
	}
	greedy, neighbour := as(newTenant(t, s, "greedy", "*")), as(newTenant(t, s, "neighbour", "*"))
	create(t, neighbour, "/api/v1/agents", agentOf("desk", "You are the desk."))
	create(t, greedy, "/api/v1/agents", agentOf("desk", "You are the desk."))
	refused := func(t *testing.T, answer *http.Response, text []byte, status int, code, limit string) {
		t.Helper()
		if answer.StatusCode != status || !strings.Contains(string(text), `"`+code+`"`) || !strings.Contains(string(text), limit) {
			t.Errorf("%s: %.300s, want %d %s with %s", answer.Status, text, status, code, limit)
		}
	}

	t.Run("60,000 references", func(t *testing.T) {
		body := fmt.Sprintf(`{"name":"bomb","config":{"parameters":[{"name":"x","type":"string"}],
			"actions":[{"type":"api_call","url":"https://example.com/","body":{"a":%q}}]}}`, strings.Repeat("{{params.x}}", 60_000))
		answer, text := greedy(http.MethodPost, "/api/v1/tools", body)
		refused(t, answer, text, http.StatusUnprocessableEntity, "validation_error", "tool_config")
	})

	t.Run("an action of 30 MB", func(t *testing.T) {
		body := strings.Repeat("{{user.x}}", 5_000)
		create(t, greedy, "/api/v1/tools", map[string]any{"name": "swelling", "config": map[string]any{
			"actions": []map[string]any{{"type": "api_call", "url": "http://127.0.0.1:9/", "body": map[string]string{"a": body}}}}})
		trial, err := json.Marshal(map[string]any{"arguments": map[string]any{}, "context": map[string]any{"user": map[string]string{"x": strings.Repeat("x", 6_000)}}})
		if err != nil {
			t.Fatal(err)
		}
		before := memory(t, s)
		var wait sync.WaitGroup
		for range size(2, 50) {
			wait.Go(func() {
				answer, text := greedy(http.MethodPost, "/api/v1/tools/swelling/try", string(trial))
				if answer.StatusCode != http.StatusOK || !strings.Contains(string(text), "limit rendered_action") || !strings.Contains(string(text), `"attempts":0`) || len(text) > 100_000 {
					t.Errorf("%s: %.300s", answer.Status, text)
				}
			})
		}
		wait.Wait()
		if grown := memory(t, s) - before; grown > 100<<20 {
			t.Errorf("the server grew by %d MiB", grown>>20)
		}
		if answer, text := greedy(http.MethodDelete, "/api/v1/tools/swelling", ""); answer.StatusCode != http.StatusNoContent {
			t.Errorf("%s: %s", answer.Status, text)
		}
	})

	t.Run("a dispatch of 20 MB", func(t *testing.T) {
		system := strings.Repeat("x", 100_000)
		var nodes, connections []map[string]any
		for n := range 200 {
			name := fmt.Sprintf("large%d", n)
			create(t, greedy, "/api/v1/agents", agentOf(name, system))
			nodes = append(nodes, map[string]any{"id": name, "agent_name": name, "is_entry": n == 0, "is_exit": n == 199})
			if n > 0 {
				connections = append(connections, map[string]any{"source_id": nodes[n-1]["id"], "target_id": name})
			}
		}
		create(t, greedy, "/api/v1/workflows", map[string]any{"slug": "huge", "name": "Huge", "config": map[string]any{"nodes": nodes, "connections": connections}})
		before := memory(t, s)
		var wait sync.WaitGroup
		underway := make(chan struct{}, 50) // they count as calls that wait, of which a tenant may have 100
		for range size(20, 200) {
			wait.Go(func() {
				underway <- struct{}{}
				defer func() { <-underway }()
				answer, text := greedy(http.MethodPost, "/api/v1/calls", `{"workflow_slug":"huge"}`)
				refused(t, answer, text, http.StatusConflict, "conflict", "call_plan")
			})
		}
		wait.Wait()
		if grown := memory(t, s) - before; grown > 100<<20 {
			t.Errorf("the server grew by %d MiB", grown>>20)
		}
	})

	t.Run("counts", func(t *testing.T) {
		command(t, s, "", "tenant", "set", "greedy", "--limit", "tools=3", "--limit", "prompts=2", "--limit", "sip_trunks=1")
		for n := range 5 {
			answer, text := greedy(http.MethodPost, "/api/v1/tools", fmt.Sprintf(`{"name":"tool%d","config":{}}`, n))
			if n < 3 && answer.StatusCode != made {
				t.Errorf("tool %d: %s: %s", n, answer.Status, text)
			} else if n >= 3 {
				refused(t, answer, text, http.StatusConflict, "conflict", "limit tools")
			}
		}
		templates := `{"templates":[{"slug":"a","name":"A","content":{"en":"x"}},{"slug":"b","name":"B","content":{"en":"x"}},{"slug":"c","name":"C","content":{"en":"x"}}]}`
		answer, text := greedy(http.MethodPost, "/api/v1/prompts/import", templates)
		refused(t, answer, text, http.StatusConflict, "conflict", "limit prompts")
		for n := range 2 {
			answer, text = greedy(http.MethodPost, "/api/v1/sip-trunks", fmt.Sprintf(`{"name":"t%d","address":"127.0.0.1"}`, n))
		}
		refused(t, answer, text, http.StatusConflict, "conflict", "limit sip_trunks")
		if answer, text := neighbour(http.MethodPost, "/api/v1/prompts/import", templates); answer.StatusCode != http.StatusOK {
			t.Errorf("the neighbour: %s: %s", answer.Status, text)
		}
	})

	t.Run("exports", func(t *testing.T) {
		text := strings.Repeat("x", 20_000)
		const each = 40 // of an import, which has 1 MiB at most
		for n := range size(25, 125) {
			var templates []map[string]any
			for i := range each {
				templates = append(templates, map[string]any{"slug": fmt.Sprintf("t%d-%d", n, i), "name": "T", "content": map[string]string{"en": text}})
			}
			encoded, err := json.Marshal(map[string]any{"templates": templates})
			if err != nil {
				t.Fatal(err)
			}
			if answer, text := neighbour(http.MethodPost, "/api/v1/prompts/import", string(encoded)); answer.StatusCode != http.StatusOK {
				t.Fatalf("%s: %.300s", answer.Status, text)
			}
		}
		before := memory(t, s)
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				answer, text := neighbour(http.MethodGet, "/api/v1/prompts/export", "")
				var all struct{ Templates []struct{ Slug string } }
				if err := json.Unmarshal(text, &all); err != nil || answer.StatusCode != http.StatusOK || len(all.Templates) < size(25, 125)*each {
					t.Errorf("%s: %d templates, %v", answer.Status, len(all.Templates), err)
				}
			})
		}
		wait.Wait()
		if grown := memory(t, s) - before; grown > 100<<20 {
			t.Errorf("the server grew by %d MiB", grown>>20)
		}
	})

	t.Run("a flood of dispatches", func(t *testing.T) {
		over := make(chan struct{})
		var taken, turned atomic.Int64
		var flood sync.WaitGroup
		for range 8 {
			flood.Go(func() {
				for {
					select {
					case <-over:
						return
					default:
					}
					answer, text := greedy(http.MethodPost, "/api/v1/calls/test-agent", `{"agent_name":"desk"}`)
					switch answer.StatusCode {
					case made:
						taken.Add(1)
					case http.StatusTooManyRequests:
						turned.Add(1)
						if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err != nil || seconds < 1 {
							t.Errorf("Retry-After %q", answer.Header.Get("Retry-After"))
						}
					default:
						t.Errorf("the flood: %s: %s", answer.Status, text)
						return
					}
				}
			})
		}
		for n := range size(60, 95) { // its own limit is 100
			if answer, text := neighbour(http.MethodPost, "/api/v1/calls/test-agent", `{"agent_name":"desk"}`); answer.StatusCode != made {
				t.Errorf("dispatch %d of the neighbour: %s: %s", n, answer.Status, text)
			}
		}
		for end := time.Now().Add(limit); turned.Load() == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		}
		close(over)
		flood.Wait()
		if taken.Load() > 150 || turned.Load() == 0 {
			t.Errorf("%d calls of the flood were taken on, %d turned away; want 100 taken on", taken.Load(), turned.Load())
		}
	})
}

// Dispatches at the same time are no way around a limit of calls.
func TestDispatchesAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--without=worker,media,sip")
	acme := newTenant(t, s, "acme", "*")
	newDesk(t, s, acme)
	command(t, s, "", "tenant", "set", "acme", "--limit", "active_calls=3")
	statuses := make(chan int)
	for n := range 30 {
		go func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/calls", strings.NewReader(`{"workflow_slug":"desk"}`))
			if err != nil {
				t.Error(err)
				statuses <- 0
				return
			}
			r.Header = http.Header{"X-Api-Key": {acme}, "Content-Type": {"application/json"}}
			if n%3 == 0 {
				r.Header.Set("Idempotency-Key", fmt.Sprint("attack-", n))
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				statuses <- 0
				return
			}
			answer.Body.Close()
			statuses <- answer.StatusCode
		}()
	}
	got := map[int]int{}
	for range 30 {
		got[<-statuses]++
	}
	if total, _ := listedCalls(t, s, acme, ""); total < 1 || total > 3 || got[http.StatusCreated] != total || got[http.StatusTooManyRequests] != 30-total {
		t.Errorf("%d calls with a limit of 3, answers %v", total, got)
	}
}
