// Package openai is a client of OpenAI's Responses API, and of the chat completions of compatible servers.
// https://platform.openai.com/docs/api-reference/responses
// https://platform.openai.com/docs/api-reference/chat
package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// Options configures a LanguageModel.
type Options struct {
	Key string
	// BaseURL defaults to https://api.openai.com/v1. /v1 is added to one without a path.
	BaseURL string
}

// LanguageModel is a dialogue.LanguageModel. It holds neither a connection nor
// a goroutine of its own.
type LanguageModel struct {
	key string
	// vendor is true for OpenAI itself (Responses API), false for a compatible server (chat completions).
	vendor bool
	base   string
	header http.Header
}

// New returns a LanguageModel. It makes no request.
func New(o Options) *LanguageModel {
	m := &LanguageModel{key: o.Key, vendor: o.BaseURL == "" || isVendor(o.BaseURL), base: versioned(llm.BaseURL(o.BaseURL, "https://api.openai.com")), header: http.Header{}}
	if o.Key != "" {
		m.header.Set("Authorization", "Bearer "+o.Key)
	}
	return m
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
	return err == nil && u.Hostname() == "api.openai.com"
}

// Generate implements dialogue.LanguageModel.
func (m *LanguageModel) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return llm.Generate(ctx, m.key, func(x *llm.Exchange, emit llm.Emit) error {
		if m.vendor {
			body, err := llm.JSON(newResponsesRequest(p))
			if err != nil {
				return err
			}
			if err := x.Post(m.base+"/responses", m.header, body); err != nil {
				return err
			}
			return relayResponses(x, emit)
		}
		body, err := llm.JSON(m.request(p))
		if err != nil {
			return err
		}
		if err := x.Post(m.base+"/chat/completions", m.header, body); err != nil {
			return err
		}
		return relay(x, emit)
	})
}

// Check implements dialogue.Checker.
// https://platform.openai.com/docs/api-reference/models/retrieve
func (m *LanguageModel) Check(ctx context.Context, model string) error {
	return llm.Check(ctx, m.key, m.base+"/models/"+url.PathEscape(model), m.header)
}

// chunk is an event of the answer.
// https://platform.openai.com/docs/api-reference/chat-streaming
type chunk struct {
	Choices []struct {
		Delta struct {
			Content   string `json:"content"`
			Refusal   string `json:"refusal"` // what the model says instead
			ToolCalls []struct {
				Index    int64  `json:"index"`
				ID       string `json:"id"`
				Function struct {
					Name      string    `json:"name"`
					Arguments arguments `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
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
func relay(x *llm.Exchange, emit llm.Emit) error {
	var calls llm.Calls
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
			if text := choice.Delta.Content + choice.Delta.Refusal; text != "" {
				if err := emit(dialogue.Delta{Text: text}); err != nil {
					return err
				}
			}
			for _, call := range choice.Delta.ToolCalls {
				calls.Add(call.Index, call.ID, call.Function.Name, string(call.Function.Arguments))
			}
			if choice.FinishReason == "" {
				continue
			}
			finish = choice.FinishReason
			if err := finished(finish, &calls, emit); err != nil {
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

// finished emits the tool calls of an answer with a finish reason.
func finished(reason string, calls *llm.Calls, emit llm.Emit) error {
	if reason == "content_filter" {
		return errors.New("the vendor's content filter stopped the answer")
	}
	complete, err := calls.Finish()
	*calls = llm.Calls{}
	switch {
	case err != nil && reason == "length":
		return fmt.Errorf("%w: the answer has reached its token limit", err)
	case err != nil || len(complete) == 0:
		return err
	}
	return emit(dialogue.Delta{ToolCalls: complete})
}
