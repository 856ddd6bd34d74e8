// Package anthropic speaks to Anthropic's messages API with the official SDK.
// https://docs.anthropic.com/en/api/messages
package anthropic

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// Options say where the model is and who asks.
type Options struct {
	Key string
	// BaseURL is the vendor's when empty: https://api.anthropic.com. It may end
	// in /v1 or not.
	BaseURL string
}

// LanguageModel is a dialogue.LanguageModel. It holds neither a connection nor
// a goroutine of its own.
type LanguageModel struct {
	key      string
	messages anthropic.MessageService
	models   anthropic.ModelService
}

// New makes a language model. It does no I/O. Nothing is read from the
// environment or from profiles on the disk, as the SDK's own constructor would:
// they would mix with a tenant's key.
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
		options = append(options, option.WithBaseURL(strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), "/v1")))
	}
	return &LanguageModel{key: o.Key, messages: anthropic.NewMessageService(options...), models: anthropic.NewModelService(options...)}
}

// Generate implements dialogue.LanguageModel.
func (m *LanguageModel) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		x := llm.Begin(ctx, m.key)
		defer x.End()
		stream := m.messages.NewStreaming(x.Context, request(p), option.WithMiddleware(x.Middleware))
		if stream.Err() == nil {
			defer stream.Close()
		}
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
// https://docs.anthropic.com/en/api/models
func (m *LanguageModel) Check(ctx context.Context, model string) error {
	return llm.Check(ctx, m.key, func(x *llm.Exchange) error {
		_, err := m.models.Get(x.Context, model, anthropic.ModelGetParams{}, option.WithMiddleware(x.Middleware))
		return err
	})
}

// errUnwanted ends an answer that its receiver wants no more of.
var errUnwanted = errors.New("unwanted")

// relay passes the answer on as it comes, until message_stop says that it is
// whole. Events of other kinds, as they may be added, are passed over; the SDK
// does so with ping.
func relay(stream *ssestream.Stream[anthropic.MessageStreamEventUnion], x *llm.Exchange, yield func(dialogue.Delta, error) bool) error {
	var calls llm.Calls
	var usage dialogue.Usage
	var reason anthropic.StopReason
	for stream.Next() {
		switch event := stream.Current(); event.Type {
		case "message_start":
			u := event.Message.Usage
			usage.InputTokens = int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens)
			usage.OutputTokens = int(u.OutputTokens)
		case "content_block_start":
			if b := event.ContentBlock; b.Type == "tool_use" {
				calls.Add(event.Index, b.ID, b.Name, "")
			}
		case "content_block_delta":
			switch event.Delta.Type {
			case "text_delta":
				if event.Delta.Text != "" && !yield(dialogue.Delta{Text: event.Delta.Text}, nil) {
					return errUnwanted
				}
			case "input_json_delta":
				calls.Add(event.Index, "", "", event.Delta.PartialJSON)
			}
		case "message_delta":
			reason = event.Delta.StopReason
			usage.OutputTokens = int(event.Usage.OutputTokens) // cumulative
		case "message_stop":
			x.Complete()
			return finished(reason, &calls, usage, yield)
		}
	}
	return unfinished(stream.Err(), x)
}

// finished hands over the calls and the usage of a whole answer.
func finished(reason anthropic.StopReason, calls *llm.Calls, usage dialogue.Usage, yield func(dialogue.Delta, error) bool) error {
	if reason == anthropic.StopReasonRefusal {
		return errors.New("the vendor's safety filter stopped the answer")
	}
	complete, err := calls.Finish()
	if err != nil {
		if reason == anthropic.StopReasonMaxTokens {
			return fmt.Errorf("%w: the answer has reached its token limit", err)
		}
		return err
	}
	if !yield(dialogue.Delta{ToolCalls: complete, Usage: &usage}, nil) {
		return errUnwanted
	}
	return nil
}

// unfinished is the error of an answer that came to no end.
func unfinished(err error, x *llm.Exchange) error {
	if reported := new(anthropic.Error); errors.As(err, &reported) {
		return x.Complaint([]byte(reported.RawJSON()))
	}
	return x.Broken(err)
}
