package config

import (
	"strings"
	"testing"
)

func TestVendorSettings(t *testing.T) {
	for _, c := range []struct {
		variable string
		vendors  Vendors
	}{
		{"DEEPGRAM_API_KEY", Vendors{DeepgramAPIKey: "hush\n"}},
		{"ANTHROPIC_API_KEY", Vendors{AnthropicAPIKey: "hush hush"}},
		{"ASSEMBLYAI_BASE_URL", Vendors{AssemblyAIBaseURL: "proxy.example.com"}},
		{"CARTESIA_BASE_URL", Vendors{CartesiaBaseURL: "ftp://proxy.example.com"}},
		{"ELEVENLABS_BASE_URL", Vendors{ElevenLabsBaseURL: "https://"}},
		{"OPENAI_BASE_URL", Vendors{OpenAIBaseURL: "https://me:hush@proxy.example.com"}},
		{"ANTHROPIC_BASE_URL", Vendors{AnthropicBaseURL: "https://proxy.example.com?key=hush"}},
		{"ANTHROPIC_BASE_URL", Vendors{AnthropicBaseURL: "https://proxy.example.com/#hush"}},
	} {
		err := c.vendors.check()
		if err == nil || !strings.HasPrefix(err.Error(), c.variable+": ") || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "hush") {
			t.Errorf("got %v, want one line about %s", err, c.variable)
		}
	}
	sound := Vendors{DeepgramAPIKey: "k", DeepgramBaseURL: "wss://proxy.example.com", OpenAIBaseURL: "http://127.0.0.1:8000/v1", AnthropicBaseURL: "https://[::1]/anthropic/"}
	if err := sound.check(); err != nil {
		t.Error(err)
	}
}
