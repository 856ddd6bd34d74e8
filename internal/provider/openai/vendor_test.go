package openai

import "testing"

// Only OpenAI itself is asked with the Responses API.
func TestResponsesAPIOfOpenAIOnly(t *testing.T) {
	for base, want := range map[string]bool{"": true, "https://api.openai.com": true, "https://api.openai.com/v1/": true,
		"http://127.0.0.1:8000/v1": false, "https://api.openai.com.example.com": false, "https://proxy.example.com/api.openai.com": false} {
		if got := New(Options{BaseURL: base}).vendor; got != want {
			t.Errorf("%q: %t", base, got)
		}
	}
}
