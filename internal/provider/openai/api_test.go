package openai_test

import (
	"testing"

	"parley/internal/provider/openai"
)

// OpenAI itself is asked with the Responses API, other servers with chat completions, unless a setting says otherwise.
func TestAPI(t *testing.T) {
	for _, c := range []struct {
		base string
		set  openai.API
		want openai.API
	}{
		{"", "", openai.Responses}, {"https://api.openai.com/v1", openai.Auto, openai.Responses}, {"http://vllm:8000", openai.Auto, openai.ChatCompletions},
		{"https://api.openai.com.example.com", "", openai.ChatCompletions}, {"https://proxy.example.com/api.openai.com", "", openai.ChatCompletions},
		{"https://proxy.example.com", openai.Responses, openai.Responses}, {"", openai.ChatCompletions, openai.ChatCompletions},
	} {
		if got := openai.APIOf(openai.Options{BaseURL: c.base, API: c.set}); got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.base, c.set, got, c.want)
		}
	}
}
