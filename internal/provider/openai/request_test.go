package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/openai"
)

// The fields go out in the order of OpenAI's SDK; schemas as they are, without
// blanks; and <, > and & unescaped.
func TestRequestToTheByte(t *testing.T) {
	var sent string
	var header http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		sent, header = string(body), r.Header
		w.Header().Set("Content-Type", stream)
		io.WriteString(w, chunks("stop"))
	}))
	defer server.Close()
	temperature := 0.5
	for _, err := range openai.New(openai.Options{Key: "the-key", BaseURL: server.URL}).Generate(t.Context(), dialogue.Prompt{
		Model: "gpt-4.1", System: "Be <brief> & kind.", Temperature: &temperature, MaxTokens: 90,
		Messages: []dialogue.Message{
			{Role: dialogue.RoleUser, Content: "Grüezi"},
			{Role: dialogue.RoleAssistant, ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "book", Arguments: json.RawMessage(`{ "n": 2 }`)}, {ID: "call_2", Name: "end_call"}}},
			{Role: dialogue.RoleTool, ToolCallID: "call_1", Content: "booked"},
			{Role: dialogue.RoleTool, ToolCallID: "call_2"},
		},
		Tools: []dialogue.Tool{
			{Name: "book", Description: "Books.", Parameters: json.RawMessage("{\"type\": \"object\",\n \"properties\": {\"z\": {\"type\": \"integer\"}, \"a\": {\"enum\": [\"<\", \"\\u00e9\"]}}}")},
			{Name: "end_call"},
		},
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := `{"messages":[{"content":"Be <brief> & kind.","role":"system"},{"content":"Grüezi","role":"user"},` +
		`{"tool_calls":[{"id":"call_1","function":{"arguments":"{ \"n\": 2 }","name":"book"},"type":"function"},` +
		`{"id":"call_2","function":{"arguments":"{}","name":"end_call"},"type":"function"}],"role":"assistant"},` +
		`{"content":"booked","tool_call_id":"call_1","role":"tool"},{"content":"","tool_call_id":"call_2","role":"tool"}],` +
		`"model":"gpt-4.1","max_tokens":90,"temperature":0.5,"stream_options":{"include_usage":true},` +
		`"tools":[{"function":{"name":"book","description":"Books.","parameters":{"type":"object","properties":{"z":{"type":"integer"},"a":{"enum":["<","\u00e9"]}}}},"type":"function"},` +
		`{"function":{"name":"end_call"},"type":"function"}],"stream":true}`
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("(-want +sent):\n%s", diff)
	}
	for name, want := range map[string]string{"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "Parley/1.0",
		"Authorization": "Bearer the-key"} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A server of one's own may need no key.
func TestNoKey(t *testing.T) {
	v := serve(t, http.StatusOK, stream, chunks("stop"))
	for _, err := range openai.New(openai.Options{BaseURL: v.URL}).Generate(t.Context(), dialogue.Prompt{Model: "m"}) {
		if err != nil {
			t.Error(err)
		}
	}
	if got, sent := v.header["Authorization"]; sent {
		t.Errorf("sent Authorization: %q", got)
	}
}
