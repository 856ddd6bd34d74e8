package config

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Vendors are the platform's accounts with speech and language vendors. A tenant's own key has priority; it is never
// sent to these base URLs.
type Vendors struct {
	DeepgramAPIKey     string `name:"deepgram-api-key" env:"DEEPGRAM_API_KEY" secret:"" placeholder:"KEY" help:"The platform's key for Deepgram (stt, tts); a tenant's own key goes before it. Default: none."`
	DeepgramBaseURL    string `name:"deepgram-base-url" env:"DEEPGRAM_BASE_URL" placeholder:"URL" help:"Where Deepgram is reached: a proxy, or a server that speaks its protocol. Default: the vendor's."`
	AssemblyAIAPIKey   string `name:"assemblyai-api-key" env:"ASSEMBLYAI_API_KEY" secret:"" placeholder:"KEY" help:"The same for AssemblyAI (stt)."`
	AssemblyAIBaseURL  string `name:"assemblyai-base-url" env:"ASSEMBLYAI_BASE_URL" placeholder:"URL" help:"The same for AssemblyAI."`
	CartesiaAPIKey     string `name:"cartesia-api-key" env:"CARTESIA_API_KEY" secret:"" placeholder:"KEY" help:"The same for Cartesia (tts)."`
	CartesiaBaseURL    string `name:"cartesia-base-url" env:"CARTESIA_BASE_URL" placeholder:"URL" help:"The same for Cartesia."`
	ElevenLabsAPIKey   string `name:"elevenlabs-api-key" env:"ELEVENLABS_API_KEY" secret:"" placeholder:"KEY" help:"The same for ElevenLabs (tts)."`
	ElevenLabsBaseURL  string `name:"elevenlabs-base-url" env:"ELEVENLABS_BASE_URL" placeholder:"URL" help:"The same for ElevenLabs."`
	OpenAIAPIKey       string `name:"openai-api-key" env:"OPENAI_API_KEY" secret:"" placeholder:"KEY" help:"The same for OpenAI (stt, llm, tts)."`
	OpenAIBaseURL      string `name:"openai-base-url" env:"OPENAI_BASE_URL" placeholder:"URL" help:"The same for OpenAI, with or without /v1."`
	OpenAIAPI          string `name:"openai-api" env:"OPENAI_API" default:"auto" enum:"auto,responses,chat_completions" help:"How OpenAI's language models are asked with the platform's key: responses, chat_completions, or auto: the former at OpenAI itself, the latter at another base URL."`
	AnthropicAPIKey    string `name:"anthropic-api-key" env:"ANTHROPIC_API_KEY" secret:"" placeholder:"KEY" help:"The same for Anthropic (llm)."`
	AnthropicBaseURL   string `name:"anthropic-base-url" env:"ANTHROPIC_BASE_URL" placeholder:"URL" help:"The same for Anthropic."`
	GroqAPIKey         string `name:"groq-api-key" env:"GROQ_API_KEY" secret:"" placeholder:"KEY" help:"The same for Groq (stt, llm, tts)."`
	GroqBaseURL        string `name:"groq-base-url" env:"GROQ_BASE_URL" placeholder:"URL" help:"The same for Groq, with /openai/v1."`
	GoogleAPIKey       string `name:"google-api-key" env:"GOOGLE_API_KEY" secret:"" placeholder:"KEY" help:"The same for Google's Gemini API (tts, llm, realtime)."`
	GoogleBaseURL      string `name:"google-base-url" env:"GOOGLE_BASE_URL" placeholder:"URL" help:"The same for Google."`
	GoogleCloudAPIKey  string `name:"google-cloud-api-key" env:"GOOGLE_CLOUD_API_KEY" secret:"" placeholder:"KEY" help:"The same for Google Cloud's Speech-to-Text (stt): an API key that may use it."`
	GoogleCloudBaseURL string `name:"google-cloud-base-url" env:"GOOGLE_CLOUD_BASE_URL" placeholder:"URL" help:"Its region and project: https://eu-speech.googleapis.com/v2/projects/PROJECT/locations/eu. Default: none, and no Google Cloud."`

	CompatibleSTTBaseURL string `name:"openai-compatible-stt-base-url" env:"OPENAI_COMPATIBLE_STT_BASE_URL" placeholder:"URL" help:"Where openai_compatible recognises speech: ws:// or wss:// for /v1/realtime, http:// or https:// for /v1/audio/transcriptions. Default: none."`
	CompatibleSTTAPIKey  string `name:"openai-compatible-stt-api-key" env:"OPENAI_COMPATIBLE_STT_API_KEY" secret:"" placeholder:"KEY" help:"The key that this server wants. Default: none."`
	CompatibleLLMBaseURL string `name:"openai-compatible-llm-base-url" env:"OPENAI_COMPATIBLE_LLM_BASE_URL" placeholder:"URL" help:"Where openai_compatible has its language models: a server with /v1/chat/completions. Default: none."`
	CompatibleLLMAPIKey  string `name:"openai-compatible-llm-api-key" env:"OPENAI_COMPATIBLE_LLM_API_KEY" secret:"" placeholder:"KEY" help:"The key that this server wants. Default: none."`
	CompatibleTTSBaseURL string `name:"openai-compatible-tts-base-url" env:"OPENAI_COMPATIBLE_TTS_BASE_URL" placeholder:"URL" help:"Where openai_compatible has its voices: a server with /v1/audio/speech. Default: none."`
	CompatibleTTSAPIKey  string `name:"openai-compatible-tts-api-key" env:"OPENAI_COMPATIBLE_TTS_API_KEY" secret:"" placeholder:"KEY" help:"The key that this server wants. Default: none."`
}

// Account is the platform's account with one vendor.
type Account struct {
	Vendor  string // as in the catalogue
	Kind    string // stt, llm or tts; "" for all that the vendor does
	Key     string // "" for none
	BaseURL string // "" for the vendor's own
}

// Accounts lists the accounts with all vendors.
func (v *Vendors) Accounts() []Account {
	return []Account{
		{"deepgram", "", v.DeepgramAPIKey, v.DeepgramBaseURL},
		{"assemblyai", "", v.AssemblyAIAPIKey, v.AssemblyAIBaseURL},
		{"cartesia", "", v.CartesiaAPIKey, v.CartesiaBaseURL},
		{"elevenlabs", "", v.ElevenLabsAPIKey, v.ElevenLabsBaseURL},
		{"openai", "", v.OpenAIAPIKey, v.OpenAIBaseURL},
		{"anthropic", "", v.AnthropicAPIKey, v.AnthropicBaseURL},
		{"groq", "", v.GroqAPIKey, v.GroqBaseURL},
		{"google", "", v.GoogleAPIKey, v.GoogleBaseURL},
		{"google_cloud", "", v.GoogleCloudAPIKey, v.GoogleCloudBaseURL},
		{"openai_compatible", "stt", v.CompatibleSTTAPIKey, v.CompatibleSTTBaseURL},
		{"openai_compatible", "llm", v.CompatibleLLMAPIKey, v.CompatibleLLMBaseURL},
		{"openai_compatible", "tts", v.CompatibleTTSAPIKey, v.CompatibleTTSBaseURL},
	}
}

// prefix returns the prefix of the account's variables.
func (a Account) prefix() string {
	if a.Kind == "" {
		return strings.ToUpper(a.Vendor)
	}
	return strings.ToUpper(a.Vendor + "_" + a.Kind)
}

// keyForm is what may be sent in a header unencoded: visible ASCII.
var keyForm = regexp.MustCompile(`^[!-~]*$`)

func (v *Vendors) check() error {
	for _, a := range v.Accounts() {
		prefix := a.prefix()
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
