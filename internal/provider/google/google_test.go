package google

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

func TestConformance(t *testing.T) {
	providertest.LanguageModel(t, providertest.LanguageModelWire{
		Model:   "gemini-2.5-flash",
		New:     func(baseURL, key string) dialogue.LanguageModel { return New(Options{Key: key, BaseURL: baseURL}) },
		Emulate: emulator.NewGoogle,
	})
}

// A call is sent back with its signature; a call of another model gets one that Gemini accepts. The emulator rejects a call
// without a signature.
func TestSignatures(t *testing.T) {
	server := emulator.NewGoogle(t, emulator.Options{Key: "k"}, emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
		if last := p.Messages[len(p.Messages)-1]; last.Role == dialogue.RoleTool {
			return emulator.Reply{Text: "Sunny."}
		}
		return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "c1", Name: "weather", Arguments: json.RawMessage(`{}`)}, {ID: "c2", Name: "weather", Arguments: json.RawMessage(`{}`)}}}
	}})
	defer server.Close()
	m := New(Options{Key: "k", BaseURL: server.URL})
	p := dialogue.Prompt{
		Model: "gemini-3.8-flash", Messages: []dialogue.Message{{Role: dialogue.RoleUser, Content: "Weather?"}},
		Tools: []dialogue.Tool{{Name: "weather", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}},
	}
	generate := func() (text string, calls []dialogue.ToolCall) {
		t.Helper()
		for delta, err := range m.Generate(t.Context(), p) {
			if err != nil {
				t.Fatal(err)
			}
			text += delta.Text
			calls = append(calls, delta.ToolCalls...)
		}
		return text, calls
	}
	_, calls := generate()
	if len(calls) != 2 || calls[0].Origin != "google" || len(calls[0].Extra) == 0 {
		t.Fatalf("calls %+v", calls)
	}
	before := p.Messages
	for name, made := range map[string][]dialogue.ToolCall{"its own": calls, "another's": {{ID: "x", Name: "weather", Origin: "groq", Extra: json.RawMessage(`{}`)}}} {
		p.Messages = append(append([]dialogue.Message(nil), before...), dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: made})
		for _, c := range made {
			p.Messages = append(p.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: c.ID, Content: "sun"})
		}
		if text, _ := generate(); text != "Sunny." {
			t.Errorf("after calls of %s: %q", name, text)
		}
	}
}

func TestFamilies(t *testing.T) {
	for model, want := range map[string]string{
		"gemini-2.0-flash": `null`, "gemini-2.5-flash": `{"thinkingBudget":0}`, "gemini-2.5-flash-lite": `{"thinkingBudget":0}`, "gemini-2.5-pro": `{"thinkingBudget":128}`,
		"gemini-3-flash-preview": `{"thinkingLevel":"minimal"}`, "gemini-3.5-flash": `{"thinkingLevel":"minimal"}`, "gemini-3.5-flash-lite": `{"thinkingLevel":"minimal"}`,
		"gemini-3.8-flash": `{"thinkingLevel":"low"}`, "gemini-3.1-pro-preview": `{"thinkingLevel":"low"}`, "gemma-4": `null`,
	} {
		got, err := json.Marshal(familyOf(model).thinking)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s: %s", model, diff)
		}
	}
}
