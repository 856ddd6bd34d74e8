package generation

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/playout"
	"parley/internal/voice/providers"
)

// CutOffInstruction tells a model to continue an answer where it broke off.
const CutOffInstruction = "The connection broke after these words of yours, which the caller heard. Go on exactly there: do not repeat them and do not mention it."

// errEmpty is the error of a model that neither says nor does anything.
var errEmpty = errors.New("answered with nothing")

// generate streams one round of the model. A model that fails is tried again, and
// then its fallback asked in its place, which continues where it stopped: what
// was passed on is neither said nor, if it is the call of a function, done twice.
func (a *Answer) generate(r *Request, say func(string) error) (text string, calls []dialogue.ToolCall, err error) {
	var said []string // segments that were passed on
	pass := func(segment string) error {
		if segment == "" {
			return nil
		}
		said = append(said, segment)
		a.worded = true
		return say(segment)
	}
	for {
		m := r.Models[0]
		hasFallback := len(r.Models) > 1
		err = providers.Retry(a.ctx, hasFallback, func() error {
			return providers.CatchPanic(func() (err error) {
				calls, err = a.stream(m, r.continuation(m, said), hasFallback, pass)
				if err == nil && len(calls) == 0 && !a.worded {
					return errEmpty
				}
				return err
			})
		})
		if err == nil || a.ctx.Err() != nil || !hasFallback {
			break
		}
		a.report(ModelReplaced{providers.ReplacedBecause(m.Choice(), a.Agent, err)})
		r.Models = r.Models[1:]
	}
	if errors.Is(err, errEmpty) { // no reason to hang up
		a.report(Warned{a.modelFailure(r, err)})
		return r.Pardon, nil, say(r.Pardon)
	}
	if err != nil {
		err = a.modelFailure(r, err)
	}
	return strings.Join(said, " "), calls, err
}

func (a *Answer) modelFailure(r *Request, err error) providers.Failure {
	return providers.NewFailure(r.Models[0].Choice(), a.Agent, err)
}

// continuation is the prompt for a round of which these segments were passed on
// already.
func (r *Request) continuation(m providers.Model, said []string) dialogue.Prompt {
	p := r.promptFor(m)
	if len(said) > 0 {
		p.Messages = append(p.Messages[:len(p.Messages):len(p.Messages)],
			dialogue.Message{Role: dialogue.RoleAssistant, Content: strings.Join(said, " ")}, dialogue.Message{Role: dialogue.RoleSystem, Content: CutOffInstruction})
	}
	return p
}

// stream is one attempt of generate. When it fails after functions were called it
// counts as complete: they are its result.
func (a *Answer) stream(m providers.Model, prompt dialogue.Prompt, hasFallback bool, say func(string) error) (calls []dialogue.ToolCall, _ error) {
	ctx, giveUp := context.WithCancelCause(a.ctx)
	defer giveUp(nil)
	limit, first := providers.Timeout(hasFallback), providers.FirstTokenTimeout(m.LLM, hasFallback)
	untilFirst := limit
	if m.FirstTokenTimeoutMS != nil {
		untilFirst = first
	}
	stall := time.AfterFunc(untilFirst, func() { giveUp(providers.TimeoutError(untilFirst)) })
	defer stall.Stop()
	tokenless := time.AfterFunc(first, func() { giveUp(providers.TimeoutError(first)) })
	defer tokenless.Stop()
	var splitter playout.SentenceSplitter
	begun := false
	for delta, err := range m.Generate(ctx, prompt) {
		if err != nil && len(calls) > 0 && a.ctx.Err() == nil {
			break
		}
		if err != nil {
			if cause := context.Cause(ctx); a.ctx.Err() == nil && cause != nil {
				err = cause
			}
			return nil, err
		}
		stall.Stop() // passing text on may take as long as it is spoken
		if !begun && (strings.TrimSpace(delta.Text) != "" || len(delta.ToolCalls) > 0) {
			begun = true
			tokenless.Stop()
			a.report(FirstToken{})
		}
		for _, segment := range splitter.Push(delta.Text) {
			if err := say(segment); err != nil {
				return nil, err
			}
		}
		if len(delta.ToolCalls) > 0 {
			calls = append(calls, delta.ToolCalls...)
			a.report(CallsReceived{delta.ToolCalls})
		}
		if delta.Usage != nil {
			a.report(UsageReceived{*delta.Usage})
		}
		if begun {
			stall.Reset(limit)
		} else {
			stall.Reset(untilFirst)
		}
	}
	return calls, say(splitter.Flush())
}
