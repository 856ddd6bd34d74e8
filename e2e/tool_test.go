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
	"time"

	"github.com/google/go-cmp/cmp"

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

// In a spoken call, a tool runs in the background while caller and agent talk about something else; then the agent speaks of its result.
// Start and end are in the transcript and in the timeline.
func TestToolInTheBackgroundOfACall(t *testing.T) {
	t.Parallel()
	answered := make(chan struct{})
	var once sync.Once
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-answered:
		case <-r.Context().Done():
		}
		fmt.Fprint(w, `{"message":"We close at seven in the evening today."}`)
	}))
	defer shop.Close()
	finish := func() { once.Do(func() { close(answered) }) }
	defer finish()
	recogniser := emulator.NewDeepgram(t, emulator.Options{Key: keyOf("deepgram")}, emulator.RecognizerScript{Lines: []string{hours, name}, Endpointing: endpointing})
	t.Cleanup(recogniser.Close)
	names := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		finish()
		select {
		case <-time.After(3 * time.Second):
		case <-r.Context().Done():
		}
		fmt.Fprint(w, `{"message":"My name is Robin of the lake house."}`)
	}))
	defer names.Close()
	s := serve(t, filepath.Join(t.TempDir(), "data"), vendors{"deepgram": recogniser}.settings(keyOf))
	for tool, config := range map[string]string{
		"look_up_hours": `"async": true, "actions": [{"type": "api_call", "url": "` + shop.URL + `", "timeout": 60}]`,
		"look_up_name":  `"on_wait": {"text": ["I look at my badge."], "after_ms": 400}, "actions": [{"type": "api_call", "url": "` + names.URL + `"}]`,
	} {
		ask(t, s, "POST", "/api/v1/tools", json.RawMessage(`{"name": "`+tool+`", "config": {`+config+`}}`), nil)
	}
	ask(t, s, "POST", "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {"stt": {"provider": "deepgram", "model": "nova-3"}, "tts": {"provider": "offline", "voice_id": "slt"},
		"llm": {"provider": "offline", "model": "scripted"}, "tools": ["look_up_hours", "look_up_name"], "turn": {"silence_prompt_after_ms": 4000},
		"prompt": {"greeting": "Hello.", "system": "- opening hours => [look_up_hours]\n- your name => [look_up_name]\n- (silence) => Goodbye. [end_call]"}}}`), nil)

	r := converse(t, s, []string{hours, name}, []string{"working on it", "lake house"}, "--agent", "desk")
	var transcript []struct {
		Content  string
		ToolCall *struct{ Name, Phase string } `json:"tool_call"`
	}
	ask(t, s, "GET", "/api/v1/calls/"+r.CallID+"/transcript", nil, &transcript)
	var lines []string
	for _, e := range transcript {
		if e.ToolCall != nil {
			lines = append(lines, e.ToolCall.Name+" "+e.ToolCall.Phase)
		} else {
			lines = append(lines, e.Content)
		}
	}
	want := []string{"Hello.", hours, "look_up_hours started", "I am working on it. What else can I do for you?", name, "look_up_hours ended", "look_up_name ",
		"I look at my badge. My name is Robin of the lake house.", "We close at seven in the evening today.", "Goodbye.", "end_call "}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("the transcript (-want +got):\n%s", diff)
	}
	moments, err := s.API.Calls.Timeline(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	var phases []string
	for _, m := range moments {
		if m.Name == "look_up_hours" {
			phases = append(phases, fmt.Sprintf("%s %q %v", m.Phase, m.Answer, m.DurationMS != nil))
		}
	}
	if diff := cmp.Diff([]string{`started "" false`, `ended "{\"message\":\"We close at seven in the evening today.\"}" true`}, phases); diff != "" {
		t.Errorf("the timeline (-want +got):\n%s", diff)
	}
}
