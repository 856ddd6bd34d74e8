package generation

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/playout"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
)

// MaxToolRounds bounds how often a model may call functions in one turn.
const MaxToolRounds = 5

// Request is what an answer is generated from.
type Request struct {
	Models          []providers.Model // the one in use, and its fallbacks
	Speaker         providers.Speaker
	Prompt          dialogue.Prompt
	Functions       routing.Functions
	Realtime        providers.Choice // the realtime model in use, in place of Models and Speaker
	RepliesToCaller bool             // rather than to an instruction; for realtime models
	Pardon          string           // the text to speak when the model answers with nothing; "" for none
	Budget          *Budget          // of the call
}

// promptFor returns the prompt for a model.
func (r *Request) promptFor(m providers.Model) dialogue.Prompt {
	p := r.Prompt
	p.Model, p.Temperature, p.MaxTokens, p.ReasoningEffort = m.Model, m.Temperature, 0, m.ReasoningEffort
	if m.MaxTokens != nil {
		p.MaxTokens = *m.MaxTokens
	}
	return p
}

// Generate starts the answer of a language model. Tools that it calls are run once the turn is over, and their results
// sent to it; a call of a function that was not offered is answered with an error.
func (a *Answer) Generate(work *sync.WaitGroup, r Request) {
	a.start(work, r.Speaker, func(out segmentWriter) error { return a.runRounds(&r, out) })
}

// Speak synthesises a fixed text.
func (a *Answer) Speak(work *sync.WaitGroup, s providers.Speaker, text string) {
	a.start(work, s, func(out segmentWriter) error {
		var splitter playout.SentenceSplitter
		for _, segment := range append(splitter.Push(text), splitter.Flush()) {
			if err := out.writeText(segment); err != nil {
				return err
			}
		}
		return nil
	})
}

// start runs compose, which writes the text, and the synthesis of that text, in
// goroutines that work counts.
func (a *Answer) start(work *sync.WaitGroup, s providers.Speaker, compose func(segmentWriter) error) {
	segments := make(chan segment, 256) // more than most answers have: the model does not wait for the voice
	work.Go(func() {
		defer close(segments)
		err := compose(segmentWriter{a.ctx, segments})
		if err != nil && a.ctx.Err() == nil {
			a.report(Failed{err})
		}
	})
	work.Go(func() { a.synthesize(s, segments) })
}

// runRounds has the model answer, runs the tools that it calls, and has it continue
// with their results, until it calls no more.
func (a *Answer) runRounds(r *Request, out segmentWriter) error {
	spoke := false
	for n := 0; ; n++ {
		text, calls, err := a.generateRound(r, out.writeText)
		if err != nil {
			return err
		}
		spoke = spoke || text != ""
		tools, unknown := sortCalls(r.Functions, calls)
		tools, rejected := a.admitTools(r.Budget, tools)
		asked := slices.Concat(tools, rejected, unknown)
		switch {
		case len(asked) == 0:
			return nil
		case n > MaxToolRounds && spoke:
			return nil // the model was instructed to call no more, and there is text
		case n > MaxToolRounds:
			return a.modelFailure(r, dialogue.Errorf("called functions %d times in a row instead of answering", n+1))
		}
		r.addMessages(dialogue.Message{Role: dialogue.RoleAssistant, Content: text, ToolCalls: asked})
		if n == MaxToolRounds {
			a.rejectCalls(r, asked)
			continue
		}
		var result RoundResult
		if len(tools) > 0 {
			if text != "" {
				if err := out.flush(); err != nil {
					return err
				}
			}
			if result, err = a.runTools(out, tools); err != nil {
				return err
			}
			r.addMessages(result.Messages...)
			r.Functions, r.Prompt.Tools, r.Prompt.System = result.Functions, result.Functions.List, result.SystemPrompt
		}
		a.rejectUnknownCalls(r, unknown)
		r.addResults(rejected, toolNotAdmitted)
		if result.EndsAnswer || len(tools) > 0 && len(asked) < len(calls) { // one of the engine's functions was called as well
			return out.writeText(result.Message)
		}
	}
}

// addMessages adds to the prompt, whose messages earlier prompts may share.
func (r *Request) addMessages(messages ...dialogue.Message) {
	old := r.Prompt.Messages
	r.Prompt.Messages = append(old[:len(old):len(old)], messages...)
}

// rejectCalls adds an error as the result of calls beyond MaxToolRounds.
func (a *Answer) rejectCalls(r *Request, calls []dialogue.ToolCall) {
	a.reportMisuse(r, fmt.Sprintf("the model called functions more than %d times in a turn", MaxToolRounds))
	r.addResults(calls, "Not run: no more functions can be called in this turn. Answer the caller with what you have.")
}

// addResults adds the same result for each call.
func (r *Request) addResults(calls []dialogue.ToolCall, result string) {
	for _, call := range calls {
		r.addMessages(dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID, Content: result})
	}
}

// rejectUnknownCalls adds an error as the result of calls of functions that were not offered.
func (a *Answer) rejectUnknownCalls(r *Request, calls []dialogue.ToolCall) {
	for _, call := range calls {
		a.reportMisuse(r, unknownFunction)
		r.addMessages(dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID, Content: fmt.Sprintf("There is no function %s.", call.Name)})
	}
}

// unknownFunction does not name the function: the model may choose any word of the conversation.
const unknownFunction = "the model called a function that was not offered"

func (a *Answer) reportMisuse(r *Request, message string) {
	a.report(FunctionsMisused{r.Models[0].Provider, message})
}

// runTools waits until the turn is over, has the session run tools, and waits for their results. Meanwhile it speaks the
// filler.
func (a *Answer) runTools(out segmentWriter, calls []dialogue.ToolCall) (RoundResult, error) {
	select {
	case <-a.committed:
	case <-a.ctx.Done():
		return RoundResult{}, a.ctx.Err()
	}
	r := &Round{Answer: a, Calls: calls, done: make(chan RoundResult, 1)}
	a.report(ToolsRequested{r})
	filled := false
	for {
		select {
		case result := <-r.done:
			if filled {
				return result, out.flush()
			}
			return result, nil
		case filler := <-a.filler:
			filled = true
			if err := out.writeText(filler); err != nil {
				return RoundResult{}, err
			}
		case <-a.ctx.Done():
			return RoundResult{}, a.ctx.Err()
		}
	}
}

// sortCalls separates the tools that a model called from functions that were not
// offered. The engine's functions are in neither list: the session executes them
// after the answer.
func sortCalls(f routing.Functions, calls []dialogue.ToolCall) (tools, unknown []dialogue.ToolCall) {
	for _, call := range calls {
		if call.Arguments == nil {
			call.Arguments = json.RawMessage("{}")
		}
		if call.ID == "" {
			call.ID = "call_" + rand.Text() // a result needs something to refer to
		}
		if _, engines := f.Destinations[call.Name]; engines {
			continue
		}
		if f.Tools[call.Name] {
			tools = append(tools, call)
		} else {
			unknown = append(unknown, call)
		}
	}
	return tools, unknown
}

// CutOffInstruction instructs a model to continue an answer that broke off.
const CutOffInstruction = "The connection broke after these words of yours, which the caller heard. Go on exactly there: do not repeat them and do not mention it."

// errEmpty is the error of a model that returns neither text nor a function call.
var errEmpty = dialogue.NewError("answered with nothing")

// generateRound streams one round of the model. A model that fails is retried, then replaced by its fallback, which
// continues where it stopped: text that was sent to the voice is not repeated, and a function that was called is not
// called again.
func (a *Answer) generateRound(r *Request, say func(string) error) (text string, calls []dialogue.ToolCall, err error) {
	var said []string // segments that were sent to the voice
	send := func(segment string) error {
		if segment == "" {
			return nil
		}
		said = append(said, segment)
		a.textSent = true
		return say(segment)
	}
	for {
		m := r.Models[0]
		hasFallback := len(r.Models) > 1
		err = providers.Retry(a.ctx, hasFallback, func() error {
			return providers.CatchPanic(func() (err error) {
				if err := a.awaitRequest(r.Budget); err != nil {
					return err
				}
				calls, err = a.streamRound(m, r.continuation(m, said), hasFallback, send)
				if err == nil && len(calls) == 0 && !a.textSent {
					return errEmpty
				}
				return err
			})
		})
		if errors.As(err, new(requestsSpent)) {
			return "", nil, err
		}
		if err == nil || a.ctx.Err() != nil || !hasFallback {
			break
		}
		a.report(ModelReplaced{providers.NewReplacedFailure(m.Choice(), a.Agent, err)})
		r.Models = r.Models[1:]
	}
	if errors.Is(err, errEmpty) { // the call continues
		a.report(FailureSurvived{a.modelFailure(r, err)})
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

// continuation returns the prompt for the rest of a round of which these segments were sent to the voice.
func (r *Request) continuation(m providers.Model, said []string) dialogue.Prompt {
	p := r.promptFor(m)
	if len(said) > 0 {
		p.Messages = append(p.Messages[:len(p.Messages):len(p.Messages)],
			dialogue.Message{Role: dialogue.RoleAssistant, Content: strings.Join(said, " ")}, dialogue.Message{Role: dialogue.RoleSystem, Content: CutOffInstruction})
	}
	return p
}

// streamRound makes one attempt at a round. One that fails after functions were called counts as complete, with these
// calls as its result.
func (a *Answer) streamRound(m providers.Model, prompt dialogue.Prompt, hasFallback bool, say func(string) error) (calls []dialogue.ToolCall, _ error) {
	ctx, giveUp := context.WithCancelCause(a.ctx)
	defer giveUp(nil)
	limit, first := providers.StallTimeout(hasFallback), providers.FirstTokenTimeout(m.LLM, hasFallback)
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
		stall.Stop() // sending text may block for as long as it is spoken
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
