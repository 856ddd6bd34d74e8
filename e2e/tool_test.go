package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/client"
	"parley/internal/chat"
	"parley/internal/provider/emulator"
)

// In a spoken call, an agent's tool asks the tenant's own server, with the credential that came with the dispatch, and the
// agent says what the server answered. The flag that the tool sets opens the way to the next agent.
func TestToolInACall(t *testing.T) {
	t.Parallel()
	const token = "tok-4711-very-secret"
	var mu sync.Mutex
	var asked []string
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, fmt.Sprintf("%s %s %s %s", r.Method, r.URL, r.Header.Get("Authorization"), body))
		fmt.Fprint(w, `{"message":"We close at seven in the evening today."}`)
	}))
	defer shop.Close()
	recogniser := emulator.NewDeepgram(t, emulator.Options{Key: keyOf("deepgram")}, emulator.RecognizerScript{Lines: []string{hours, name}, Endpointing: endpointing})
	t.Cleanup(recogniser.Close)
	s := serve(t, filepath.Join(t.TempDir(), "data"), vendors{"deepgram": recogniser}.settings(keyOf))

	const speech = `"stt": {"provider": "deepgram", "model": "nova-3"}, "tts": {"provider": "offline", "voice_id": "slt"}, "llm": {"provider": "offline", "model": "scripted"}`
	ask(t, s, "POST", "/api/v1/tools", json.RawMessage(`{"name": "look_up_hours", "config": {"parameters": [{"name": "day", "type": "string", "required": true}, {"name": "code", "type": "string"}],
		"actions": [{"type": "api_call", "method": "POST", "url": "`+shop.URL+`/hours/{{params.day}}", "headers": {"Authorization": "Bearer {{user.auth_token}}"}, "body": {"name": "{{user.name}}"},
			"on_success": [{"type": "set_flag", "name": "told"}]}]}}`), nil)
	ask(t, s, "POST", "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {`+speech+`, "tools": ["look_up_hours"], "prompt": {"greeting": "Hello.",
		"system": "- opening hours => One moment please, I look into the book of opening hours for you. [look_up_hours {\"day\": \"to day\", \"code\": \"{{user.auth_token}}\"}]\n- your name => I connect you. [handoff_to_farewell]"}}}`), nil)
	ask(t, s, "POST", "/api/v1/agents", json.RawMessage(`{"name": "farewell", "config": {`+speech+`, "prompt": {"greeting": "This is the exit.", "system": "You say goodbye."}}}`), nil)
	ask(t, s, "POST", "/api/v1/workflows", json.RawMessage(`{"slug": "hours", "name": "Hours", "config": {"nodes": [{"id": "a", "agent_name": "desk", "is_entry": true}, {"id": "b", "agent_name": "farewell", "is_exit": true}],
		"connections": [{"source_id": "a", "target_id": "b", "condition": "{{flags.told}}"}]}}`), nil)

	r := converse(t, s, []string{hours, name}, []string{"seven in the evening", "connect you"}, "--workflow", "hours", "--user-context", `{"auth_token":"`+token+`","name":"Ada"}`, "--hang-up")
	if r.Status != client.Completed {
		t.Errorf("status %q", r.Status)
	}
	mu.Lock()
	if want := "POST /hours/to%20day Bearer " + token + ` {"name":"Ada"}`; len(asked) == 0 || asked[len(asked)-1] != want {
		t.Errorf("the shop was asked %q, want %q", asked, want)
	}
	mu.Unlock()

	var transcript json.RawMessage
	ask(t, s, "GET", "/api/v1/calls/"+r.CallID+"/transcript", nil, &transcript)
	if !strings.Contains(string(transcript), `"look_up_hours"`) || strings.Contains(string(transcript), token) {
		t.Errorf("transcript %s", transcript)
	}
	var moments []struct {
		Type      string
		Agent     string
		Name      string
		Arguments map[string]string
		Duration  *float64 `json:"duration_ms"`
		Message   string
	}
	ask(t, s, "GET", "/api/v1/calls/"+r.CallID+"/timeline", nil, &moments)
	uses := 0
	for _, m := range moments {
		if m.Name == "look_up_hours" {
			uses++
			if m.Agent != "desk" || m.Duration == nil || *m.Duration <= 0 || m.Arguments["day"] != "to day" || m.Arguments["code"] != "***" {
				t.Errorf("the tool in the timeline: %+v", m)
			}
		}
		if m.Type == "error" {
			t.Errorf("problem: %s", m.Message)
		}
	}
	if uses != 1 {
		t.Errorf("the timeline has %d calls of the tool", uses)
	}
	if strings.Contains(s.Log.String(), token) {
		t.Error("the server's log holds the caller's credential")
	}

	// In writing the same happens.
	out, _ := commandOn(t, s.Dir, 0, "chat", "--json", "--workflow", "hours", "--user-context", `{"auth_token":"`+token+`","name":"Ada"}`,
		"--say", hours, "--say", name, "--say", "goodbye")
	var written chat.Result
	if err := json.Unmarshal([]byte(out), &written); err != nil || len(written.Turns) != 4 || written.Agent != "farewell" || written.End != "agent_ended" {
		t.Fatalf("in writing: %v\n%s", err, out)
	}
	if second := written.Turns[1]; !strings.Contains(second.Replied, "seven in the evening") || len(second.Tools) != 1 || second.Tools[0].Name != "look_up_hours" || strings.Contains(out, token) {
		t.Errorf("in writing: %s", out)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(asked) != 2 || asked[1] != asked[0] {
		t.Errorf("in writing the shop was asked %q", asked)
	}
}
