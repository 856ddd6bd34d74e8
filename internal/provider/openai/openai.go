// Package openai is a client of OpenAI's Responses API, and of the chat completions of compatible servers.
// https://platform.openai.com/docs/api-reference/responses
// https://platform.openai.com/docs/api-reference/chat
package openai

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// Options configures a LanguageModel, a Recognizer or a Synthesizer.
type Options struct {
	// Provider is the provider's name in the catalogue; "" for openai. It determines the default address, and what
	// is sent to servers that are not OpenAI's.
	Provider string
	Key      string
	// BaseURL defaults to the provider's own. /v1 is added to one without a path.
	BaseURL string
	// API is how language models are asked; "" is Auto.
	API API
	// Client makes the connections; nil for the process's own.
	Client *http.Client
}

// API is one of the APIs for language models.
type API string

// The APIs.
const (
	Auto            API = "auto" // Responses at OpenAI itself, ChatCompletions at other addresses
	Responses       API = "responses"
	ChatCompletions API = "chat_completions"
)

// LanguageModel is a dialogue.LanguageModel. It holds neither a connection nor
// its own goroutine.
type LanguageModel struct {
	account  llm.Account
	provider string
	api      API // Responses or ChatCompletions
	base     string
	header   http.Header
}

// New returns a LanguageModel. It makes no request.
func New(o Options) *LanguageModel {
	m := &LanguageModel{account: o.account(), provider: o.name(), api: o.API, base: o.base(), header: o.header()}
	if m.api == "" || m.api == Auto {
		m.api = ChatCompletions
		if isVendor(m.base) {
			m.api = Responses
		}
	}
	return m
}

// vendors are the addresses of the providers that have one.
var vendors = map[string]string{"openai": "https://api.openai.com", "groq": "https://api.groq.com/openai/v1"}

func (o Options) name() string {
	if o.Provider == "" {
		return "openai"
	}
	return o.Provider
}

// base returns the base URL with its version, with http or https.
func (o Options) base() string { return versioned(llm.BaseURL(o.BaseURL, vendors[o.name()])) }

func (o Options) account() llm.Account { return llm.Account{Key: o.Key, Client: o.Client} }

func (o Options) header() http.Header {
	header := http.Header{}
	if o.Key != "" {
		header.Set("Authorization", "Bearer "+o.Key)
	}
	return header
}

// versioned adds the version to a base URL without a path.
func versioned(base string) string {
	if u, err := url.Parse(base); err == nil && u.Path == "" {
		return base + "/v1"
	}
	return base
}

// isVendor reports whether a base URL is OpenAI's own.
func isVendor(base string) bool {
	u, err := url.Parse(base)
	// Regions have their own hosts, such as eu.api.openai.com.
	return err == nil && (u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".api.openai.com"))
}

// Generate implements dialogue.LanguageModel.
func (m *LanguageModel) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return llm.Generate(ctx, m.account, func(x *llm.Exchange, emit llm.Emit) error {
		if m.api == Responses {
			body, err := llm.JSON(newResponsesRequest(p))
			if err != nil {
				return err
			}
			if err := x.Post(m.base+"/responses", m.header, body); err != nil {
				return err
			}
			return relayResponses(x, p.Model, emit)
		}
		body, err := llm.JSON(m.request(p))
		if err != nil {
			return err
		}
		if err := x.Post(m.base+"/chat/completions", m.header, body); err != nil {
			return err
		}
		return m.relay(x, emit)
	})
}

// Check implements dialogue.Checker.
// https://platform.openai.com/docs/api-reference/models/retrieve
func (m *LanguageModel) Check(ctx context.Context, model string) error {
	return llm.Check(ctx, m.account, m.base+"/models/"+url.PathEscape(model), m.header)
}
