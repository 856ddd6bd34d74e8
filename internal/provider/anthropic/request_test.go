package anthropic_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/anthropic"
)

// The fields go out in the order of Anthropic's SDK, and schemas as they are,
// without blanks.
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
		io.WriteString(w, events(begin, delta("end_turn"), stop))
	}))
	defer server.Close()
	temperature := 0.5
	for _, err := range anthropic.New(anthropic.Options{Key: "the-key", BaseURL: server.URL}).Generate(t.Context(), dialogue.Prompt{
		Model: "claude-sonnet-4-6", System: "Be brief.", Temperature: &temperature, MaxTokens: 90,
		Messages: []dialogue.Message{
			{Role: dialogue.RoleUser, Content: "Grüezi"},
			{Role: dialogue.RoleAssistant, ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "book", Arguments: json.RawMessage(`{ "n": 2 }`)}, {ID: "call_2", Name: "end_call"}}},
			{Role: dialogue.RoleTool, ToolCallID: "call_1"},
			{Role: dialogue.RoleTool, ToolCallID: "call_2", Content: "ended"},
		},
		Tools: []dialogue.Tool{
			{Name: "book", Description: "Books.", Parameters: json.RawMessage("{\"type\": \"object\",\n \"properties\": {\"z\": {\"type\": \"integer\"}, \"a\": {\"enum\": [\"\\u00e9\"]}}}")},
			{Name: "end_call"},
		},
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := `{"max_tokens":90,"messages":[{"content":[{"text":"Grüezi","type":"text"}],"role":"user"},` +
		`{"content":[{"id":"call_1","input":{"n":2},"name":"book","type":"tool_use"},{"id":"call_2","input":{},"name":"end_call","type":"tool_use"}],"role":"assistant"},` +
		`{"content":[{"tool_use_id":"call_1","type":"tool_result"},` +
		`{"tool_use_id":"call_2","cache_control":{"type":"ephemeral"},"content":[{"text":"ended","type":"text"}],"type":"tool_result"}],"role":"user"}],` +
		`"model":"claude-sonnet-4-6","temperature":0.5,"system":[{"text":"Be brief.","cache_control":{"type":"ephemeral"},"type":"text"}],` +
		`"tools":[{"input_schema":{"type":"object","properties":{"z":{"type":"integer"},"a":{"enum":["\u00e9"]}}},"name":"book","description":"Books."},` +
		`{"input_schema":{"type":"object"},"name":"end_call"}],"stream":true}`
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("(-want +sent):\n%s", diff)
	}
	for name, want := range map[string]string{"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "Parley/1.0",
		"X-Api-Key": "the-key", "Anthropic-Version": "2023-06-01"} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
