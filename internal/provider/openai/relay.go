package openai

import (
	"fmt"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
	"parley/internal/provider/vendorerror"
)

// relay emits the answer as it streams. It is finished when a chunk has a finish reason; the usage follows.
func (m *LanguageModel) relay(x *llm.Exchange, emit llm.Emit) error {
	r := relay{provider: m.provider, emit: emit}
	var failure error
	for chunk, err := range llm.Answer[chunk](x) {
		if failure = err; err != nil {
			break
		}
		if u := chunk.Usage; u != nil {
			r.usage = &dialogue.Usage{InputTokens: int(u.PromptTokens), OutputTokens: int(u.CompletionTokens),
				CachedTokens: int(u.PromptDetails.CachedTokens)}
		}
		for _, choice := range chunk.Choices {
			if err := r.handleChoice(choice); err != nil {
				return err
			}
		}
	}
	switch {
	case r.finish == "" && failure != nil:
		return failure
	case r.finish == "":
		if err := r.emitRemainder(); err != nil {
			return err
		}
		if err := x.EndUnmarked(&r.calls); err != nil {
			return err
		}
	case failure == nil: // otherwise only the usage may be missing
		x.Complete()
	}
	if err := finished(r.finish, &r.calls, emit, nil); err != nil {
		return err
	}
	if r.usage == nil {
		return nil
	}
	return emit(dialogue.Delta{Usage: r.usage})
}

// relay is the state of an answer.
type relay struct {
	provider string
	emit     llm.Emit
	calls    llm.Calls
	thoughts thoughts
	usage    *dialogue.Usage
	finish   string // the finish reason
}

// handleChoice emits the text of a choice, and its calls when it is finished. Some servers give a finish reason before the arguments of
// calls are whole; these are emitted at the end of the stream.
func (r *relay) handleChoice(c choice) error {
	for _, d := range []delta{c.Delta, c.Message} {
		if text := r.thoughts.strip(string(d.Content)) + d.Refusal; text != "" {
			if err := r.emit(dialogue.Delta{Text: text}); err != nil {
				return err
			}
		}
		for _, call := range d.ToolCalls {
			r.calls.Add(call.Index, call.ID, call.Function.Name, string(call.Function.Arguments))
			if call.extra != nil {
				r.calls.Attach(call.Index, r.provider, call.extra)
			}
		}
		if len(d.ToolCalls) > 0 {
			if err := r.emit(dialogue.Delta{}); err != nil {
				return err
			}
		}
	}
	if c.FinishReason == "" {
		return nil
	}
	r.finish = c.FinishReason
	if err := r.emitRemainder(); err != nil {
		return err
	}
	if !r.calls.AreWhole() && r.calls.Len() > 0 && r.finish != "length" {
		return nil
	}
	return finished(r.finish, &r.calls, r.emit, nil)
}

func (r *relay) emitRemainder() error {
	if text := r.thoughts.remainder(); text != "" {
		return r.emit(dialogue.Delta{Text: text})
	}
	return nil
}

// failedReasons are the finish reasons of answers that the server could not complete: of Mistral and OpenRouter, DeepSeek, SGLang.
var failedReasons = map[string]bool{"error": true, "insufficient_system_resource": true, "abort": true}

// finished emits the tool calls of an answer with a finish reason, after attach, if not nil, has added to them.
func finished(reason string, calls *llm.Calls, emit llm.Emit, attach func([]dialogue.ToolCall) []dialogue.ToolCall) error {
	switch {
	case reason == "content_filter":
		return dialogue.ErrorOf(dialogue.ErrDeclined, "the vendor's content filter stopped the answer")
	case failedReasons[reason]:
		return vendorerror.Unexpected("the vendor stopped the answer because of an error", reason)
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
