// Package openai speaks to OpenAI's chat completions, and to the many servers
// that imitate them, with the official SDK.
// https://platform.openai.com/docs/api-reference/chat
package openai

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// Options say where the model is and who asks.
type Options struct {
	Key string
	// BaseURL is the vendor's when empty: https://api.openai.com/v1. One
	// without a path means its /v1.
	BaseURL string
}

// LanguageModel is a dialogue.LanguageModel. It holds neither a connection nor
// a goroutine of its own.
type LanguageModel struct {
	key string
	// vendor tells that it is OpenAI itself, not a server that imitates it.
	vendor      bool
	completions openai.ChatCompletionService
	models      openai.ModelService
}

// New makes a language model. It does no I/O. Nothing is read from the
// environment, as the SDK's own constructor would: a tenant's key must not go
// out with the platform's organisation.
func New(o Options) *LanguageModel {
	options := []option.RequestOption{
		option.WithEnvironmentProduction(),
		option.WithHTTPClient(llm.Client),
		option.WithMaxRetries(0), // the conversation decides, for it knows what the caller heard
	}
	if o.Key != "" {
		options = append(options, option.WithAPIKey(o.Key))
	}
	if o.BaseURL != "" {
		options = append(options, option.WithBaseURL(versioned(o.BaseURL)))
	}
	return &LanguageModel{key: o.Key, vendor: o.BaseURL == "", completions: openai.NewChatCompletionService(options...), models: openai.NewModelService(options...)}
}

// versioned adds the version to a base URL without a path.
func versioned(base string) string {
	if u, err := url.Parse(base); err == nil && strings.Trim(u.Path, "/") == "" {
		return u.JoinPath("v1").String()
	}
	return base
}

// Generate implements dialogue.LanguageModel.
func (m *LanguageModel) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		x := llm.Begin(ctx, m.key)
		defer x.End()
		stream := m.completions.NewStreaming(x.Context, m.request(p), option.WithMiddleware(x.Middleware))
		defer stream.Close()
		err := relay(stream, x, yield)
		switch {
		case errors.Is(err, errUnwanted):
		case ctx.Err() != nil:
			yield(dialogue.Delta{}, ctx.Err())
		case err != nil:
			yield(dialogue.Delta{}, err)
		}
	}
}

// Check implements dialogue.Checker.
// https://platform.openai.com/docs/api-reference/models/retrieve
func (m *LanguageModel) Check(ctx context.Context, model string) error {
	return llm.Check(ctx, m.key, func(x *llm.Exchange) error {
		_, err := m.models.Get(x.Context, model, option.WithMiddleware(x.Middleware))
		return err
	})
}

// errUnwanted ends an answer that its receiver wants no more of.
var errUnwanted = errors.New("unwanted")

// relay passes the answer on as it comes. It is finished when a chunk has said
// why it ended; the usage comes after that.
func relay(stream *ssestream.Stream[openai.ChatCompletionChunk], x *llm.Exchange, yield func(dialogue.Delta, error) bool) error {
	var calls llm.Calls
	var usage *dialogue.Usage
	finish := ""
	for stream.Next() {
		chunk := stream.Current()
		if chunk.JSON.Usage.Valid() {
			usage = &dialogue.Usage{InputTokens: int(chunk.Usage.PromptTokens), OutputTokens: int(chunk.Usage.CompletionTokens)}
		}
		for _, choice := range chunk.Choices {
			// A refusal is what the model says instead.
			if text := choice.Delta.Content + choice.Delta.Refusal; text != "" {
				if !yield(dialogue.Delta{Text: text}, nil) {
					return errUnwanted
				}
			}
			for _, call := range choice.Delta.ToolCalls {
				calls.Add(call.Index, call.ID, call.Function.Name, call.Function.Arguments)
			}
			if choice.FinishReason == "" {
				continue
			}
			finish = choice.FinishReason
			if err := finished(finish, &calls, yield); err != nil {
				return err
			}
		}
	}
	if finish == "" {
		return unfinished(stream.Err(), x)
	}
	// What failed after the end of the answer took no more than the usage.
	if stream.Err() == nil {
		x.Complete()
	}
	if usage != nil && !yield(dialogue.Delta{Usage: usage}, nil) {
		return errUnwanted
	}
	return nil
}

// finished hands over the calls of an answer that has ended for a reason.
func finished(reason string, calls *llm.Calls, yield func(dialogue.Delta, error) bool) error {
	if reason == "content_filter" {
		return errors.New("the vendor's content filter stopped the answer")
	}
	complete, err := calls.Finish()
	*calls = llm.Calls{}
	if err != nil {
		if reason == "length" {
			return fmt.Errorf("%w: the answer has reached its token limit", err)
		}
		return err
	}
	if len(complete) > 0 && !yield(dialogue.Delta{ToolCalls: complete}, nil) {
		return errUnwanted
	}
	return nil
}

// unfinished is the error of an answer that came to no end.
func unfinished(err error, x *llm.Exchange) error {
	if reported := new(ssestream.StreamError); errors.As(err, &reported) {
		return x.Complaint(reported.Event.Data)
	}
	return x.Broken(err)
}
