package generation

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/speechtext"
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
	Texts           FixedTexts
	ModelSilence    time.Duration // of the first model, in earlier answers that were interrupted
	ModelProven     bool          // it has answered in this call: a request that it refuses is refused for what it says
	Budget          *Budget       // of the call

	// Mask returns a prompt without what is kept from models. It is applied to each prompt that is sent; nil for none.
	Mask func(dialogue.Prompt) dialogue.Prompt
}

// FixedTexts are spoken in place of an answer that there is none of; empty for none.
type FixedTexts struct {
	Pardon   routing.Rendered // the model answered with nothing
	Declined routing.Rendered // the model, or a filter of its vendor, declined to answer
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

func (r *Request) masked(p dialogue.Prompt) dialogue.Prompt {
	if r.Mask == nil {
		return p
	}
	return r.Mask(p)
}

// Generate starts the answer of a language model. Tools that it calls are run once the turn is over, and their results
// sent to it; a call of a function that was not offered is answered with an error.
func (a *Answer) Generate(work *sync.WaitGroup, r Request) {
	a.pardon = r.Texts.Pardon
	a.start(work, r.Speaker, nil, func(out segmentWriter) error { return a.runRounds(&r, out) })
}

// Speak speaks a text that no model generates.
func (a *Answer) Speak(work *sync.WaitGroup, s providers.Speaker, text routing.Rendered) {
	if isCacheable(text) {
		a.start(work, s, split(text.Text, s.Language), func(segmentWriter) error { return nil })
		return
	}
	a.start(work, s, nil, func(out segmentWriter) error { return out.writeText(text.Text) })
}

// start runs compose, which writes the text after a fixed one, and the synthesis of that text, in
// goroutines that work counts.
func (a *Answer) start(work *sync.WaitGroup, s providers.Speaker, fixed []speechtext.Text, compose func(segmentWriter) error) {
	segments := make(chan segment, 256) // more than most answers have: the model does not wait for the voice
	work.Go(func() {
		defer close(segments)
		err := compose(segmentWriter{a.ctx, segments, s.Language})
		if err != nil && a.ctx.Err() == nil {
			a.report(Failed{err})
		}
	})
	work.Go(func() { a.synthesize(s, segments, fixed) })
}

// runRounds has the model answer, runs the tools that it calls, and has it continue
// with their results, until it calls no more.
func (a *Answer) runRounds(r *Request, out segmentWriter) error {
	spoke := false
	for n := 0; ; n++ {
		text, calls, err := a.generateRound(r, out)
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
	select {
	case <-a.filler: // of the round before
	default:
	}
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
			if err := out.writeFixed(filler); err != nil {
				return RoundResult{}, err
			}
		case <-a.ctx.Done():
			return RoundResult{}, a.ctx.Err()
		}
	}
}

func newCallID() string { return "call_" + rand.Text() }

// sortCalls separates the tools that a model called from functions that were not
// offered. The engine's functions are in neither list: the session executes them
// after the answer.
func sortCalls(f routing.Functions, calls []dialogue.ToolCall) (tools, unknown []dialogue.ToolCall) {
	for _, call := range calls {
		if call.Arguments == nil {
			call.Arguments = json.RawMessage("{}")
		}
		if call.ID == "" {
			call.ID = newCallID() // a result needs something to refer to
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
