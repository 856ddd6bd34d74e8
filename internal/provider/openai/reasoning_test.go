package openai

import (
	"testing"

	"parley/internal/dialogue"
)

func TestReasoning(t *testing.T) {
	for model, want := range map[string]struct {
		effort  string
		reasons bool
	}{
		"gpt-4.1": {"", false}, "gpt-4o-mini": {"", false}, "llama-3.3-70b": {"", false}, "gpt-5-chat-latest": {"", false},
		"o3": {"low", true}, "gpt-5": {"minimal", true}, "gpt-5-mini-2025-08-07": {"minimal", true}, "gpt-5-pro": {"", true},
		"gpt-5.1": {"none", true}, "gpt-5.6-luna": {"none", true}, "gpt-6-luna": {"none", true}, "openai/gpt-6.1-sol": {"none", true},
	} {
		if effort, reasons := effort(dialogue.Prompt{Model: model}); effort != want.effort || reasons != want.reasons {
			t.Errorf("%s: %q, %t; want %q, %t", model, effort, reasons, want.effort, want.reasons)
		}
	}
}

// The agent's effort is sent where the model has it, otherwise the least that there is.
func TestReasoningEffortOfTheAgent(t *testing.T) {
	for _, c := range []struct{ model, asked, want string }{
		{"gpt-6-luna", "high", "high"}, {"gpt-5", "none", "minimal"}, {"gpt-4.1", "low", ""}, {"o3", "max", "low"}, {"my-own-model", "low", "low"},
	} {
		if got, _ := effort(dialogue.Prompt{Model: c.model, ReasoningEffort: c.asked}); got != c.want {
			t.Errorf("%s, asked for %s: %q, want %q", c.model, c.asked, got, c.want)
		}
	}
}
