package attack

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/e2e/binary"
)

// lists is a trial of a condition whose cost is the product of a number's digits, a list's length and the operands.
func lists(number string) string {
	return `{"condition":"` + strings.Repeat("user.n in user.l || ", 20) + `false","context":{"user":{"n":` + number + `,"l":[1` + strings.Repeat(",1", 15_999) + `]}}}`
}

var (
	// numbersInLists has the longest number that a body may have, textsInLists a text that is as long as a number may be
	// in a condition.
	numbersInLists = lists("0." + strings.Repeat("7", 16_000))
	textsInLists   = lists(`"` + strings.Repeat("7", 4096) + `"`)
)

// hugePatterns is a workflow whose conditions compile to millions of instructions.
func hugePatterns() string {
	connections := make([]map[string]string, 25)
	for i := range connections {
		connections[i] = map[string]string{"source_id": "a", "target_id": "b", "condition": `user.x matches "` + strings.Repeat("a{1000}", 250) + `"`}
	}
	body, err := json.Marshal(map[string]any{"slug": "patterns", "name": "Patterns", "config": map[string]any{
		"nodes": []map[string]any{{"id": "a", "agent_name": "desk", "is_entry": true}, {"id": "b", "agent_name": "desk", "is_exit": true}}, "connections": connections}})
	if err != nil {
		panic(err) // texts
	}
	return string(body)
}

// sendProducts sends requests whose cost is a product of sizes until the context ends, from n clients that leave soon and pause for
// a tenth of a second.
func sendProducts(ctx context.Context, s *binary.Server, key string, n int) {
	var clients sync.WaitGroup
	for i := range n {
		clients.Go(func() {
			for ctx.Err() == nil {
				path, body := "/api/v1/workflows/evaluate-condition", textsInLists
				switch i % 3 {
				case 1:
					path, body = "/api/v1/workflows", hugePatterns()
				case 2:
					body = numbersInLists
				}
				impatient, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
				r, err := http.NewRequestWithContext(impatient, http.MethodPost, s.URL+path, strings.NewReader(body))
				if err == nil {
					r.Header = http.Header{"X-Api-Key": {key}, "Content-Type": {"application/json"}}
					if answer, err := http.DefaultClient.Do(r); err == nil {
						answer.Body.Close()
					}
				}
				cancel()
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
	clients.Wait()
}

// Costs that are a product of two sizes that a tenant chooses are bounded, and the bound is named.
func TestProductsOfSizes(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--without=worker,media,sip")
	key := newTenant(t, s, "acme", "*")
	as := func(method, path, body string) (*http.Response, []byte) { return send(t, s, key, method, path, body) }
	create(t, as, "/api/v1/agents", agentOf("desk", "You are the desk."))
	cost := func(what string, request func()) {
		before := processorTime(t, s)
		request()
		t.Logf("%s: %v of processor time", what, processorTime(t, s)-before)
	}
	want := func(answer *http.Response, text []byte, status int, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(string(text), part) {
				t.Errorf("%.300s does not say %s", text, part)
			}
		}
		if answer.StatusCode != status {
			t.Errorf("%s: %.300s, want %d", answer.Status, text, status)
		}
	}

	cost("a number in lists", func() {
		answer, text := as(http.MethodPost, "/api/v1/workflows/evaluate-condition", numbersInLists)
		want(answer, text, http.StatusUnprocessableEntity, `"condition"`, "limit condition_steps")
	})
	cost("a text in lists of numbers", func() {
		answer, text := as(http.MethodPost, "/api/v1/workflows/evaluate-condition", textsInLists)
		want(answer, text, http.StatusUnprocessableEntity, `"condition"`, "limit condition_steps")
	})
	cost("25 patterns", func() {
		answer, text := as(http.MethodPost, "/api/v1/workflows", hugePatterns())
		want(answer, text, http.StatusUnprocessableEntity, "has too large a pattern")
	})
	cost("a body full of errors", func() {
		answer, text := as(http.MethodPost, "/api/v1/agents", `{"name":"x","config":{"tools":[1`+strings.Repeat(",1", 90_000)+`]}}`)
		want(answer, text, http.StatusUnprocessableEntity, "the first 100 errors are listed")
	})
	cost("an import full of errors", func() {
		answer, text := as(http.MethodPost, "/api/v1/prompts/import?partial=true", `{"templates":[{}`+strings.Repeat(",{}", 999)+`]}`)
		want(answer, text, http.StatusOK, "the first 100 are listed")
	})
	cost("a trial of 100 actions", func() {
		var actions []map[string]any
		for range 5 {
			var failed []map[string]any
			for range 19 {
				failed = append(failed, map[string]any{"type": "set_context", "key": "k", "value": "{{workflow.x}}"})
			}
			actions = append(actions, map[string]any{"type": "api_call", "url": "http://127.0.0.1:9/", "body": map[string]string{"a": strings.Repeat("{{workflow.x}}", 4)}, "on_failure": failed})
		}
		create(t, as, "/api/v1/tools", map[string]any{"name": "swelling", "config": map[string]any{"actions": actions}})
		trial := `{"context":{"workflow":{"x":"` + strings.Repeat("x", 60_000) + `"}}}`
		answer, text := as(http.MethodPost, "/api/v1/tools/swelling/try", trial)
		if want(answer, text, http.StatusOK, "limit rendered_tool", "limit tool_trial"); len(text) > 400<<10 {
			t.Errorf("an answer of %d bytes", len(text))
		}
	})

	t.Run("clients that left", func(t *testing.T) {
		before := processorTime(t, s)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		sendProducts(ctx, s, key, 6)
		answer, _ := as(http.MethodPost, "/api/v1/workflows/evaluate-condition", `{"condition":"true"}`)
		if answer.StatusCode != http.StatusOK {
			t.Errorf("afterwards: %s", answer.Status)
		}
		after := processorTime(t, s)
		for last := after; ; last = after { // what their requests still cost
			time.Sleep(time.Second)
			if after = processorTime(t, s); after-last < 300*time.Millisecond {
				break
			}
		}
		t.Logf("%v of processor time", after-before)
		if after-before > 15*time.Second {
			t.Errorf("clients that left cost %v", after-before)
		}
	})
}
