package openai_test

import (
	"encoding/json"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
	"parley/internal/provider/openai"
)

// What a model reasoned before a tool call goes back with the call's result, and to no other model: the emulator refuses the
// reasoning of another one.
func TestReasoningItemsAreReplayed(t *testing.T) {
	var results int
	server := emulator.NewOpenAIResponses(t, emulator.Options{Key: "sk-secret-key"}, emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
		if last := p.Messages[len(p.Messages)-1]; last.Role == dialogue.RoleTool {
			results++
			return emulator.Reply{Text: "At ten."}
		}
		return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "hours", Arguments: json.RawMessage(`{}`)}}}
	}})
	defer server.Close()
	p := dialogue.Prompt{Model: "gpt-6.1-terra", ReasoningEffort: "low", Tools: []dialogue.Tool{{Name: "hours"}},
		Messages: []dialogue.Message{{Role: dialogue.RoleUser, Content: "When do you open?"}}}
	_, calls, err := respond(server.URL, p)
	if err != nil || len(calls) != 1 || calls[0].Reasoning == nil || len(calls[0].Reasoning.Items) != 1 {
		t.Fatalf("%+v, %v", calls, err)
	}
	p.Messages = append(p.Messages, dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: calls}, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: "call_1", Content: "10:00"})
	for _, model := range []string{"gpt-6.1-terra", "gpt-5.6-luna", "gpt-4.1"} {
		p.Model = model
		if text, _, err := respond(server.URL, p); err != nil || text != "At ten." {
			t.Errorf("%s: %q, %v", model, text, err)
		}
	}
	if results != 3 {
		t.Errorf("%d answers to results", results)
	}
	sent, err := json.Marshal(openai.ItemsOf(dialogue.Prompt{Model: "gpt-6.1-terra", Messages: p.Messages}))
	var items []struct{ Type string }
	if err != nil || json.Unmarshal(sent, &items) != nil || len(items) != 4 || items[1].Type != "reasoning" || items[2].Type != "function_call" {
		t.Errorf("%s, %v", sent, err)
	}
}
