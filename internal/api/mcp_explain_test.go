package api

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/internal/call"
)

// timelineCalls has one call.
type timelineCalls struct {
	Calls
	call  *call.Call
	items []call.TimelineItem
}

func (c *timelineCalls) Get(context.Context, string, string) (*call.Call, error) { return c.call, nil }

func (c *timelineCalls) Timeline(context.Context, string, string) ([]call.TimelineItem, error) {
	return c.items, nil
}

func (c *timelineCalls) Prompts(context.Context, string, string) ([]call.AgentPrompt, []call.PromptTexts, error) {
	return []call.AgentPrompt{{Agent: "desk", System: "You are the desk."}}, nil, nil
}

func TestExplainCall(t *testing.T) {
	s := newService(t)
	at := time.Now()
	reason := call.Reason("provider_error")
	s.deps.Calls = &timelineCalls{call: &call.Call{ID: "0193a6f0-0000-7000-8000-0000000000aa", TenantID: acme, Livemode: true, Status: call.Failed, StatusReason: &reason}, items: []call.TimelineItem{
		{At: at, Status: &call.StatusChange{Status: call.Active}},
		{At: at, Turn: &call.Turn{AgentName: "desk", LLMMS: call.Milliseconds(3 * time.Second), VoiceToVoiceMS: call.Milliseconds(4 * time.Second)}},
		{At: at, Error: &call.ErrorItem{Service: "llm", Level: call.LevelError, Message: "no first token within 8 s"}},
		{At: at, Turn: &call.Turn{AgentName: "desk", VoiceToVoiceMS: call.Milliseconds(700 * time.Millisecond)}},
		{At: at, Error: &call.ErrorItem{Service: "llm", Level: call.LevelError, Message: "no first token within 8 s"}},
		{At: at, Status: &call.StatusChange{Status: call.Failed, Reason: &reason}},
	}}
	text, failed := callTool(t, connectMCP(t, s, "full"), "explain_call", map[string]any{"id": "0193a6f0-0000-7000-8000-0000000000aa"})
	want := `"findings":[{"severity":"error","text":"error of llm: no first token within 8 s","count":2,"entries":["timeline/2","timeline/4"]},` +
		`{"severity":"error","text":"the call ended as failed: provider_error","count":1,"entries":["timeline/5"]},` +
		`{"severity":"warning","text":"an answer began more than 2 s after the caller's last word, mostly by the language model","count":1,"entries":["timeline/1"]}]`
	if failed || !strings.Contains(text, want) || !strings.Contains(text, `"status_reason":"provider_error"`) || !strings.Contains(text, "You are the desk.") {
		t.Errorf("explained: %s", text)
	}
	s.key("caller", acme, "calls:read")
	if text, failed = callTool(t, connectMCP(t, s, "caller"), "explain_call", map[string]any{"id": "0193a6f0-0000-7000-8000-0000000000aa"}); failed || strings.Contains(text, "You are the desk.") {
		t.Errorf("without the scopes of prompts: %s", text)
	}
	if text, failed = callTool(t, connectMCP(t, s, "full"), "explain_call", map[string]any{}); !failed {
		t.Errorf("no call: %s", text)
	}
}
