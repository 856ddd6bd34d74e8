package anthropic

import (
	"encoding/json"
	"testing"

	"parley/internal/dialogue"
)

// Requests have the parameters that the model's family supports, and no others.
func TestFamilies(t *testing.T) {
	temperature := 0.5
	for model, want := range map[string]string{
		"claude-sonnet-4-6":               `{"max_tokens":100,"messages":[],"model":"claude-sonnet-4-6","temperature":0.5,"stream":true}`,
		"claude-haiku-4-5-20251001":       `{"max_tokens":100,"messages":[],"model":"claude-haiku-4-5-20251001","temperature":0.5,"stream":true}`,
		"claude-opus-4-8":                 `{"max_tokens":100,"messages":[],"model":"claude-opus-4-8","stream":true}`,
		"claude-sonnet-5":                 `{"max_tokens":100,"messages":[],"model":"claude-sonnet-5","thinking":{"type":"disabled"},"stream":true}`,
		"claude-sonnet-5-5":               `{"max_tokens":100,"messages":[],"model":"claude-sonnet-5-5","thinking":{"type":"between_tools"},"stream":true}`,
		"anthropic/claude-opus-5-5":       `{"max_tokens":1124,"messages":[],"model":"anthropic/claude-opus-5-5","output_config":{"effort":"low"},"stream":true}`,
		"claude-a-family-not-yet-thought": `{"max_tokens":100,"messages":[],"model":"claude-a-family-not-yet-thought","temperature":0.5,"stream":true}`,
	} {
		request := newRequest(dialogue.Prompt{Model: model, MaxTokens: 100, Temperature: &temperature})
		request.Messages = []message{}
		got, err := json.Marshal(request)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
