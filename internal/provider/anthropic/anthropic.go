// Package anthropic is a client of Anthropic's Messages API. https://docs.anthropic.com/en/api/messages
package anthropic

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// Options configures a LanguageModel.
type Options struct {
	Key string
	// BaseURL defaults to https://api.anthropic.com; a trailing /v1 is optional.
	BaseURL string
	// Client makes the connections; nil for the process's own.
	Client *http.Client
}

// LanguageModel is a dialogue.LanguageModel. It holds neither a connection nor
// its own goroutine.
type LanguageModel struct {
	account llm.Account
	base    string
	header  http.Header
}

// New returns a LanguageModel. It makes no request.
func New(o Options) *LanguageModel {
	base := strings.TrimSuffix(llm.BaseURL(o.BaseURL, "https://api.anthropic.com"), "/v1")
	header := http.Header{"Anthropic-Version": {"2023-06-01"}}
	if o.Key != "" {
		header.Set("X-Api-Key", o.Key)
	}
	return &LanguageModel{account: llm.Account{Key: o.Key, Client: o.Client}, base: base, header: header}
}

// Generate implements dialogue.LanguageModel.
func (m *LanguageModel) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return llm.Generate(ctx, m.account, func(x *llm.Exchange, emit llm.Emit) error {
		r := newRequest(p)
		if r.Choice != nil {
			emit = argumentsAsText(emit)
		}
		body, err := llm.JSON(r)
		if err != nil {
			return err
		}
		if err := x.Post(m.base+"/v1/messages", m.header, body); err != nil {
			return err
		}
		return relay(x, p.Model, emit)
	})
}

// argumentsAsText emits the arguments of calls as text: those of answerTool are the answer.
func argumentsAsText(emit llm.Emit) llm.Emit {
	return func(d dialogue.Delta) error {
		for _, c := range d.ToolCalls {
			d.Text += string(c.Arguments)
		}
		d.ToolCalls = nil
		return emit(d)
	}
}

// Check implements dialogue.Checker.
// https://docs.anthropic.com/en/api/models
func (m *LanguageModel) Check(ctx context.Context, model string) error {
	return llm.Check(ctx, m.account, m.base+"/v1/models/"+url.PathEscape(model), m.header)
}

// event is an event of the answer; which fields it has depends on its type.
// https://docs.anthropic.com/en/docs/build-with-claude/streaming
type event struct {
	Type    string `json:"type"`
	Index   int64  `json:"index"` // of the content block
	Message struct {
		Usage usage `json:"usage"`
	} `json:"message"`
	ContentBlock struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
		Data string `json:"data"` // of redacted_thinking
	} `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

type usage struct {
	InputTokens              float64 `json:"input_tokens"`
	CacheCreationInputTokens float64 `json:"cache_creation_input_tokens"`
	CacheReadInputTokens     float64 `json:"cache_read_input_tokens"`
	OutputTokens             float64 `json:"output_tokens"` // so far
}

// relay emits the answer as it streams, until message_stop, or the end of a stream with a stop reason. Events of other types, such as ping and future types,
// are ignored.
func relay(x *llm.Exchange, model string, emit llm.Emit) error {
	var calls llm.Calls
	var thoughts thoughts
	var total dialogue.Usage
	var reason string
	stopped := false
	for event, err := range llm.Answer[event](x) {
		if err != nil {
			return err
		}
		switch event.Type {
		case "message_start":
			u := event.Message.Usage
			total.InputTokens = int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens)
			total.CachedTokens, total.CacheWriteTokens = int(u.CacheReadInputTokens), int(u.CacheCreationInputTokens)
			total.OutputTokens = int(u.OutputTokens)
		case "content_block_start":
			switch b := event.ContentBlock; b.Type {
			case "tool_use":
				calls.Add(event.Index, b.ID, b.Name, "")
			case "thinking", "redacted_thinking":
				thoughts = append(thoughts, &thought{index: event.Index, Type: b.Type, Data: b.Data})
			}
		case "content_block_delta":
			switch d := event.Delta; {
			case d.Type == "text_delta" && d.Text != "":
				if err := emit(dialogue.Delta{Text: d.Text}); err != nil {
					return err
				}
			default:
				if d.Type == "input_json_delta" {
					calls.Add(event.Index, "", "", d.PartialJSON)
				} else {
					thoughts.add(event.Index, d.Thinking, d.Signature)
				}
				if err := emit(dialogue.Delta{}); err != nil { // the model is at work
					return err
				}
			}
		case "message_delta":
			reason = event.Delta.StopReason
			total.OutputTokens = int(event.Usage.OutputTokens)
		case "message_stop":
			stopped = true
		}
		if stopped {
			break
		}
	}
	if !stopped && reason == "" {
		if err := x.EndUnmarked(&calls); err != nil {
			return err
		}
	}
	x.Complete()
	return finished(reason, &calls, total, func(d dialogue.Delta) error {
		d.ToolCalls = llm.WithReasoning(d.ToolCalls, thinker(model), thoughts.blocks())
		return emit(d)
	})
}

// finished emits the tool calls and the usage of a complete answer.
func finished(reason string, calls *llm.Calls, total dialogue.Usage, emit llm.Emit) error {
	if reason == "refusal" {
		return dialogue.ErrorOf(dialogue.ErrDeclined, "the vendor's safety filter stopped the answer")
	}
	complete, err := calls.Finish()
	switch {
	case err != nil && reason == "max_tokens":
		return fmt.Errorf("%w: the answer has reached its token limit", err)
	case err != nil:
		return err
	}
	return emit(dialogue.Delta{ToolCalls: complete, Usage: &total})
}
