// Package openai is a client of OpenAI's Responses API, and of the chat completions of compatible servers.
// https://platform.openai.com/docs/api-reference/responses
// https://platform.openai.com/docs/api-reference/chat
package openai

import (
	"context"
	"encoding/json"
	"fmt"
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

// chunk is an event of the answer.
// https://platform.openai.com/docs/api-reference/chat-streaming
type chunk struct {
	Choices []struct {
		Delta struct {
			Content   string          `json:"content"`
			Refusal   string          `json:"refusal"` // what the model says instead
			ToolCalls []toolCallDelta `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		PromptTokens     float64 `json:"prompt_tokens"`
		CompletionTokens float64 `json:"completion_tokens"`
	} `json:"usage"`
}

// arguments are a fragment of JSON in a string. Some compatible servers send the object itself, which is used
// unchanged.
type arguments string

func (a *arguments) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(a)) != nil {
		*a = arguments(data)
	}
	return nil
}

// relay emits the answer as it streams. It is finished when a chunk has a finish reason; the usage follows.
func (m *LanguageModel) relay(x *llm.Exchange, emit llm.Emit) error {
	var calls llm.Calls
	var thoughts thoughts
	var usage *dialogue.Usage
	var failure error
	finish := ""
	for chunk, err := range llm.Answer[chunk](x) {
		if failure = err; err != nil {
			break
		}
		if u := chunk.Usage; u != nil {
			usage = &dialogue.Usage{InputTokens: int(u.PromptTokens), OutputTokens: int(u.CompletionTokens)}
		}
		for _, choice := range chunk.Choices {
			if text := thoughts.strip(choice.Delta.Content) + choice.Delta.Refusal; text != "" {
				if err := emit(dialogue.Delta{Text: text}); err != nil {
					return err
				}
			}
			for _, call := range choice.Delta.ToolCalls {
				calls.Add(call.Index, call.ID, call.Function.Name, string(call.Function.Arguments))
				if call.extra != nil {
					calls.Attach(call.Index, m.provider, call.extra)
				}
			}
			if choice.FinishReason == "" {
				continue
			}
			finish = choice.FinishReason
			if text := thoughts.remainder(); text != "" {
				if err := emit(dialogue.Delta{Text: text}); err != nil {
					return err
				}
			}
			if err := finished(finish, &calls, emit, nil); err != nil {
				return err
			}
		}
	}
	switch {
	case finish == "" && failure != nil:
		return failure
	case finish == "":
		return x.Unfinished()
	case failure == nil: // otherwise only the usage may be missing
		x.Complete()
	}
	if usage == nil {
		return nil
	}
	return emit(dialogue.Delta{Usage: usage})
}

// finished emits the tool calls of an answer with a finish reason, after attach, if not nil, has added to them.
func finished(reason string, calls *llm.Calls, emit llm.Emit, attach func([]dialogue.ToolCall) []dialogue.ToolCall) error {
	if reason == "content_filter" {
		return dialogue.NewError("the vendor's content filter stopped the answer")
	}
	complete, err := calls.Finish()
	*calls = llm.Calls{}
	switch {
	case err != nil && reason == "length":
		return fmt.Errorf("%w: the answer has reached its token limit", err)
	case err != nil || len(complete) == 0:
		return err
	}
	if attach != nil {
		complete = attach(complete)
	}
	return emit(dialogue.Delta{ToolCalls: complete})
}
