package anthropic_test

import (
	"encoding/json"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// Each family answers, calls a tool and answers with its result; what it thought before a call goes back with the result, and to
// no other model: the emulator refuses the thinking of another one.
func TestThinkingIsReplayed(t *testing.T) {
	server := emulator.NewAnthropic(t, emulator.Options{Key: "sk-ant-secret-key"}, emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
		results := 0
		for _, m := range p.Messages {
			if m.Role == dialogue.RoleTool {
				results++
			}
		}
		if results == 2 {
			return emulator.Reply{Text: "At ten."}
		}
		return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_" + string(rune('1'+results)), Name: "hours", Arguments: json.RawMessage(`{}`)}}}
	}})
	defer server.Close()
	temperature := 0.5
	for model, thinks := range map[string][2]bool{ // before the first call, before the second
		"claude-sonnet-4-6": {false, false}, "claude-opus-4-8": {false, false}, "claude-sonnet-5": {false, false},
		"claude-sonnet-5-5": {false, true}, "claude-haiku-5-5": {false, true}, "claude-opus-5-5": {true, true},
	} {
		p := dialogue.Prompt{Model: model, Temperature: &temperature, Tools: []dialogue.Tool{{Name: "hours"}}, Messages: []dialogue.Message{{Role: dialogue.RoleUser, Content: "When do you open?"}}}
		for round := range 2 {
			_, calls, _, err := generate(server.URL, p)
			if err != nil || len(calls) != 1 || (calls[0].Reasoning != nil) != thinks[round] {
				t.Fatalf("%s, round %d: %+v, %v", model, round, calls, err)
			}
			p.Messages = append(p.Messages, dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: calls}, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: calls[0].ID, Content: "10:00"})
		}
		for _, next := range []string{model, "claude-opus-5"} {
			p.Model = next
			if text, _, _, err := generate(server.URL, p); err != nil || text != "At ten." {
				t.Errorf("%s, then %s: %q, %v", model, next, text, err)
			}
		}
	}
}
