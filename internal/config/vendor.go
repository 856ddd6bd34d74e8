package config

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Vendors are the platform's accounts with speech and language vendors. A tenant's own key has priority, with the
// same base URL.
type Vendors struct {
	DeepgramAPIKey    string `name:"deepgram-api-key" env:"DEEPGRAM_API_KEY" secret:"" placeholder:"KEY" help:"The platform's key for Deepgram (stt); a tenant's own key goes before it. Default: none."`
	DeepgramBaseURL   string `name:"deepgram-base-url" env:"DEEPGRAM_BASE_URL" placeholder:"URL" help:"Where Deepgram is reached: a proxy, or a server that speaks its protocol. Default: the vendor's."`
	AssemblyAIAPIKey  string `name:"assemblyai-api-key" env:"ASSEMBLYAI_API_KEY" secret:"" placeholder:"KEY" help:"The same for AssemblyAI (stt)."`
	AssemblyAIBaseURL string `name:"assemblyai-base-url" env:"ASSEMBLYAI_BASE_URL" placeholder:"URL" help:"The same for AssemblyAI."`
	CartesiaAPIKey    string `name:"cartesia-api-key" env:"CARTESIA_API_KEY" secret:"" placeholder:"KEY" help:"The same for Cartesia (tts)."`
	CartesiaBaseURL   string `name:"cartesia-base-url" env:"CARTESIA_BASE_URL" placeholder:"URL" help:"The same for Cartesia."`
	ElevenLabsAPIKey  string `name:"elevenlabs-api-key" env:"ELEVENLABS_API_KEY" secret:"" placeholder:"KEY" help:"The same for ElevenLabs (tts)."`
	ElevenLabsBaseURL string `name:"elevenlabs-base-url" env:"ELEVENLABS_BASE_URL" placeholder:"URL" help:"The same for ElevenLabs."`
	OpenAIAPIKey      string `name:"openai-api-key" env:"OPENAI_API_KEY" secret:"" placeholder:"KEY" help:"The same for OpenAI (llm)."`
	OpenAIBaseURL     string `name:"openai-base-url" env:"OPENAI_BASE_URL" placeholder:"URL" help:"The same for OpenAI, with or without /v1."`
	AnthropicAPIKey   string `name:"anthropic-api-key" env:"ANTHROPIC_API_KEY" secret:"" placeholder:"KEY" help:"The same for Anthropic (llm)."`
	AnthropicBaseURL  string `name:"anthropic-base-url" env:"ANTHROPIC_BASE_URL" placeholder:"URL" help:"The same for Anthropic."`
}

// Account is the platform's account with one vendor.
type Account struct {
	Vendor  string // as in the catalogue
	Key     string // "" for none
	BaseURL string // "" for the vendor's own
}

// Accounts lists the accounts with all vendors.
func (v *Vendors) Accounts() []Account {
	return []Account{
		{"deepgram", v.DeepgramAPIKey, v.DeepgramBaseURL},
		{"assemblyai", v.AssemblyAIAPIKey, v.AssemblyAIBaseURL},
		{"cartesia", v.CartesiaAPIKey, v.CartesiaBaseURL},
		{"elevenlabs", v.ElevenLabsAPIKey, v.ElevenLabsBaseURL},
		{"openai", v.OpenAIAPIKey, v.OpenAIBaseURL},
		{"anthropic", v.AnthropicAPIKey, v.AnthropicBaseURL},
	}
}

// keyForm is what may be sent in a header unencoded: visible ASCII.
var keyForm = regexp.MustCompile(`^[!-~]*$`)

func (v *Vendors) check() error {
	for _, a := range v.Accounts() {
		prefix := strings.ToUpper(a.Vendor)
		if !keyForm.MatchString(a.Key) {
			return wrong(prefix+"_API_KEY", "holds a space, a line break or another character that no key has")
		}
		if a.BaseURL != "" && !baseURL(a.BaseURL) {
			return wrong(prefix+"_BASE_URL", "want an address such as https://proxy.example.com, without user, query or fragment")
		}
	}
	return nil
}

// baseURL reports whether paths can be appended to a URL.
func baseURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Hostname() != "" && slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) &&
		u.User == nil && !strings.ContainsAny(text, "?#")
}
