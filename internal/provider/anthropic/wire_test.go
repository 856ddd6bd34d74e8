package anthropic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/anthropic"
)

// vendor answers every request alike and keeps the last.
type vendor struct {
	*httptest.Server
	requests atomic.Int32
	header   http.Header
	path     string
	body     map[string]any
}

func serve(t *testing.T, status int, contentType, answer string) *vendor {
	v := &vendor{}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.requests.Add(1)
		v.header, v.path = r.Header, r.URL.Path
		sent, _ := io.ReadAll(r.Body)
		v.body = nil
		if err := json.Unmarshal(sent, &v.body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	t.Cleanup(v.Close)
	return v
}

// generate reads an answer to its end.
func generate(base string, p dialogue.Prompt) (text string, calls []dialogue.ToolCall, usage *dialogue.Usage, failure error) {
	for delta, err := range anthropic.New(anthropic.Options{Key: "sk-ant-secret-key", BaseURL: base}).Generate(context.Background(), p) {
		if err != nil {
			return text, calls, usage, err
		}
		text += delta.Text
		calls = append(calls, delta.ToolCalls...)
		if delta.Usage != nil {
			usage = delta.Usage
		}
	}
	return text, calls, usage, nil
}

// events makes a stream of events, each named as its type.
func events(list ...string) string {
	var b strings.Builder
	for _, data := range list {
		var event struct{ Type string }
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			panic(err)
		}
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", event.Type, data)
	}
	return b.String()
}

// The events of an answer.
const (
	begin = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":5,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":1}}}`
	words = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Yes."}}`
	call  = `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"book","input":{}}}`
	half  = `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"n\":"}}`
	rest  = `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"2}"}}`
	stop  = `{"type":"message_stop"}`
)

func delta(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":12}}`
}

const stream = "text/event-stream"

func TestRequestGoesOutAsDocumented(t *testing.T) {
	v := serve(t, http.StatusOK, stream, events(begin, words, delta("end_turn"), stop))
	for name, value := range map[string]string{"ANTHROPIC_API_KEY": "sk-other", "ANTHROPIC_AUTH_TOKEN": "other", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
		"ANTHROPIC_CUSTOM_HEADERS": "X-Other: yes", "ANTHROPIC_PROFILE": "other"} {
		t.Setenv(name, value)
	}
	temperature := 1.5
	text, _, usage, err := generate(v.URL, dialogue.Prompt{
		Model: "claude-sonnet-4-6", System: "Be brief.", Temperature: &temperature, MaxTokens: 90,
		Messages: []dialogue.Message{
			{Role: dialogue.RoleAssistant, Content: "Hello! "},
			{Role: dialogue.RoleUser, Content: "A table."},
			{Role: dialogue.RoleSystem, Content: "The caller is known."},
			{Role: dialogue.RoleUser, Content: " "},
			{Role: dialogue.RoleAssistant, Content: "Let me see."},
			{Role: dialogue.RoleAssistant, ToolCalls: []dialogue.ToolCall{{ID: "call:1", Name: "book", Arguments: json.RawMessage(`{"n":2}`)}, {ID: "call_2", Name: "book"}}},
			{Role: dialogue.RoleTool, ToolCallID: "call:1", Content: "booked"},
			{Role: dialogue.RoleTool, ToolCallID: "call_2"},
			{Role: dialogue.RoleAssistant, Content: "It is booked."},
		},
		Tools: []dialogue.Tool{{Name: "book", Description: "Books a table.", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`)}},
	})
	if err != nil || text != "Yes." {
		t.Errorf("heard %q, %v", text, err)
	}
	if diff := cmp.Diff(&dialogue.Usage{InputTokens: 325, OutputTokens: 12, CachedTokens: 300, CacheWriteTokens: 20}, usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(`{
		"model": "claude-sonnet-4-6", "stream": true, "temperature": 1, "max_tokens": 90,
		"system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
		"messages": [
			{"role": "user", "content": [{"type": "text", "text": "<system>The call begins.</system>"}]},
			{"role": "assistant", "content": [{"type": "text", "text": "Hello!"}]},
			{"role": "user", "content": [{"type": "text", "text": "A table."}, {"type": "text", "text": "<system>The caller is known.</system>"}]},
			{"role": "assistant", "content": [{"type": "text", "text": "Let me see."},
				{"type": "tool_use", "id": "call_1", "name": "book", "input": {"n": 2}}, {"type": "tool_use", "id": "call_2", "name": "book", "input": {}}]},
			{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": [{"type": "text", "text": "booked"}]},
				{"type": "tool_result", "tool_use_id": "call_2"}]},
			{"role": "assistant", "content": [{"type": "text", "text": "It is booked."}]},
			{"role": "user", "content": [{"type": "text", "text": "<system>The caller says nothing.</system>", "cache_control": {"type": "ephemeral"}}]}],
		"tools": [{"name": "book", "description": "Books a table.", "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": false}}]
	}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, v.body); diff != "" {
		t.Errorf("(-want +sent):\n%s", diff)
	}
	if v.path != "/v1/messages" || v.header.Get("X-Api-Key") != "sk-ant-secret-key" || v.header.Get("Anthropic-Version") != "2023-06-01" {
		t.Errorf("sent to %s with %v", v.path, v.header)
	}
	for _, name := range []string{"Authorization", "X-Other"} {
		if v.header.Get(name) != "" {
			t.Errorf("%s was taken from the environment", name)
		}
	}
}

func TestAnEmptyConversationBegins(t *testing.T) {
	v := serve(t, http.StatusOK, stream, events(begin, words, delta("end_turn"), stop))
	if _, _, _, err := generate(v.URL, dialogue.Prompt{Model: "claude-sonnet-4-6"}); err != nil {
		t.Fatal(err)
	}
	if v.body["max_tokens"] != 1024.0 || v.body["system"] != nil || len(v.body["messages"].([]any)) != 1 {
		t.Errorf("sent %v", v.body)
	}
}

func TestBaseURLs(t *testing.T) {
	v := serve(t, http.StatusOK, stream, events(begin, delta("end_turn"), stop))
	for suffix, want := range map[string]string{"": "/v1/messages", "/": "/v1/messages", "/v1": "/v1/messages", "/v1/": "/v1/messages", "/proxy": "/proxy/v1/messages"} {
		if _, _, _, err := generate(v.URL+suffix, dialogue.Prompt{Model: "m"}); err != nil || v.path != want {
			t.Errorf("base URL …%s leads to %s, %v, not to %s", suffix, v.path, err, want)
		}
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	for name, test := range map[string]struct {
		status       int
		kind, answer string
		refused      bool
		want         string
	}{
		"no end":             {200, stream, events(begin, half), false, "broke off"},
		"nothing":            {200, stream, "", false, "broke off"},
		"a page":             {200, "text/html", "<html>Welcome</html>", false, "base URL"},
		"half a call":        {200, stream, events(begin, call, half, delta("tool_use"), stop), false, "book"},
		"a call over length": {200, stream, events(begin, call, half, delta("max_tokens"), stop), false, "token limit"},
		"the filter":         {200, stream, events(begin, delta("refusal"), stop), false, "safety filter"},
		"overload in it":     {200, stream, events(begin, words, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded, sk-ant-secret-key."}}`), false, "Overloaded, [key]."},
		"a refusal in it":    {200, stream, events(`{"type":"error","error":{"type":"invalid_request_error","message":"Too long."}}`), true, "Too long."},
		"an unnamed error":   {200, stream, "data: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"Oops.\"}}\n\n", false, "Oops."},
		"overload":           {529, "application/json", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, false, "status 529: Overloaded"},
		"no credit":          {400, "application/json", `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low."}}`, true, "credit balance"},
	} {
		v := serve(t, test.status, test.kind, test.answer)
		text, calls, usage, err := generate(v.URL, dialogue.Prompt{Model: "claude-sonnet-4-6"})
		if err == nil || errors.Is(err, dialogue.ErrRefused) != test.refused || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: heard %q, %v, %v, %v", name, text, calls, usage, err)
		} else if strings.Contains(err.Error(), "sk-ant-secret-key") {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
		if len(calls) > 0 || usage != nil {
			t.Errorf("%s: calls %v and usage %v of half an answer", name, calls, usage)
		}
		if n := v.requests.Load(); n != 1 {
			t.Errorf("%s: asked %d times", name, n)
		}
	}
}

func TestEventsOfOtherKindsArePassedOver(t *testing.T) {
	v := serve(t, http.StatusOK, stream, events(begin, `{"type":"ping"}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"x"}}`,
		`{"type":"invented_later","index":7}`, words, `{"type":"ping"}`, call, half, rest, delta("tool_use"), stop))
	text, calls, _, err := generate(v.URL, dialogue.Prompt{Model: "claude-sonnet-4-6"})
	want := []dialogue.ToolCall{{ID: "toolu_1", Name: "book", Arguments: json.RawMessage(`{"n":2}`),
		Reasoning: &dialogue.Reasoning{Model: "anthropic/claude-sonnet-4-6", Items: []json.RawMessage{json.RawMessage(`{"signature":"x","thinking":"Hm.","type":"thinking"}`)}}}}
	if diff := cmp.Diff(want, calls); err != nil || text != "Yes." || diff != "" {
		t.Errorf("heard %q, %v, calls (-want +got):\n%s", text, err, diff)
	}
}

func TestNamesOfEventsAreNotNeeded(t *testing.T) {
	v := serve(t, http.StatusOK, stream, strings.ReplaceAll(events(begin, words, delta("end_turn"), stop), "event: ", ": "))
	if text, _, usage, err := generate(v.URL, dialogue.Prompt{Model: "claude-sonnet-4-6"}); err != nil || text != "Yes." || usage == nil {
		t.Errorf("heard %q, %v, %v", text, usage, err)
	}
}

func TestRedirectsDoNotTakeTheKeyAlong(t *testing.T) {
	elsewhere := serve(t, http.StatusOK, stream, events(begin, delta("end_turn"), stop))
	here := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/v1/messages", http.StatusTemporaryRedirect))
	defer here.Close()
	if text, _, _, err := generate(here.URL, dialogue.Prompt{Model: "m"}); err == nil || elsewhere.requests.Load() != 0 {
		t.Errorf("heard %q, %v, and %d requests elsewhere", text, err, elsewhere.requests.Load())
	}
}

// Some servers that imitate the vendor end the stream without message_stop.
func TestAnswersWithoutTheirEnd(t *testing.T) {
	for name, answer := range map[string]string{"after a reason": events(begin, words, delta("end_turn")), "after a sentence": events(begin, words)} {
		v := serve(t, 200, stream, answer)
		if text, _, usage, err := generate(v.URL, dialogue.Prompt{Model: "claude-sonnet-4-6"}); text != "Yes." || usage == nil || err != nil {
			t.Errorf("%s: heard %q, %v, %v", name, text, usage, err)
		}
	}
}

func TestRefusalIsAJudgement(t *testing.T) {
	v := serve(t, 200, stream, events(begin, words, delta("refusal"), stop))
	if _, _, _, err := generate(v.URL, dialogue.Prompt{Model: "claude-sonnet-4-6"}); !errors.Is(err, dialogue.ErrDeclined) {
		t.Errorf("refusal: %v", err)
	}
	v = serve(t, 400, "application/json", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}`)
	if _, _, _, err := generate(v.URL, dialogue.Prompt{Model: "claude-sonnet-4-6"}); !errors.Is(err, dialogue.ErrPromptTooLong) {
		t.Errorf("too long: %v", err)
	}
}
