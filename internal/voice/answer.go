package voice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/internal/dialogue"
)

// answer is one thing that the agent says, from the prompt to the last frame.
// Two goroutines, one for the words (here) and one for the voice (speak.go),
// report parts to the session's loop, which alone decides what is heard;
// cancelling it stops the providers at once.
type answer struct {
	ctx    context.Context
	cancel context.CancelFunc

	to        string           // the caller's words it answers; "" when the agent opens
	draft     bool             // the turn is not over yet: nothing may be heard
	committed chan struct{}    // closed when it is no draft, or none any more
	routes    map[string]route // of the functions that were offered

	calls     []dialogue.ToolCall
	usage     dialogue.Usage
	failure   error // of LLM or TTS, a Problem
	spokenAll bool  // no more audio comes

	begun, firstToken, firstText, firstAudio time.Time
	firstHeard                               time.Time // when the caller began to hear it
}

// part is news of an answer in the making. Exactly one field besides answer
// and at is set.
type part struct {
	answer *answer
	at     time.Time

	token     bool // the model's first token
	text      bool // text was sent to the voice
	calls     []dialogue.ToolCall
	usage     *dialogue.Usage
	speech    *dialogue.Speech
	notice    error // a Problem that the answer survives
	failure   error
	spokenAll bool
}

// maxToolRounds bounds how often a model may call unknown functions in one
// turn.
const maxToolRounds = 5

// brief is what an answer needs of the session at the time it begins.
type brief struct {
	model    dialogue.LanguageModel
	voice    dialogue.Voice
	prompt   dialogue.Prompt
	agent    string
	provider struct{ llm, tts string }
}

// begin composes the answer and speaks it as it comes, in goroutines that work
// counts.
func (a *answer) begin(work *sync.WaitGroup, b brief, parts chan<- part, compose func(say func(string) error) error) {
	pieces := make(chan string, 16)
	work.Go(func() {
		defer close(pieces)
		err := compose(func(piece string) error {
			if piece == "" {
				return nil
			}
			select {
			case pieces <- piece:
				return nil
			case <-a.ctx.Done():
				return a.ctx.Err()
			}
		})
		if err != nil && a.ctx.Err() == nil {
			a.tell(parts, part{failure: err})
		}
	})
	work.Go(func() { a.speak(b, pieces, parts) })
}

// recite composes a given text.
func recite(text string) func(say func(string) error) error {
	return func(say func(string) error) error {
		var s sentences
		for _, piece := range append(s.add(text), s.rest()) {
			if err := say(piece); err != nil {
				return err
			}
		}
		return nil
	}
}

// think composes what the model answers to the prompt. A function that was not
// offered is answered to the model, which may then do better.
func (a *answer) think(b brief, parts chan<- part) func(say func(string) error) error {
	return func(say func(string) error) error {
		prompt := b.prompt
		for range maxToolRounds {
			text, calls, err := a.generate(b, prompt, parts, say)
			if err != nil {
				return err
			}
			unknown := a.unknown(calls)
			if len(unknown) == 0 {
				return nil
			}
			prompt.Messages = append(prompt.Messages[:len(prompt.Messages):len(prompt.Messages)],
				dialogue.Message{Role: dialogue.RoleAssistant, Content: text, ToolCalls: unknown})
			for _, call := range unknown {
				a.tell(parts, part{notice: Problem{Service: ToolUse, Provider: b.provider.llm, Agent: b.agent, At: time.Now(),
					Message: fmt.Sprintf("the model called the function %q, which was not offered", call.Name)}})
				prompt.Messages = append(prompt.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID,
					Content: fmt.Sprintf("There is no function %s.", call.Name)})
			}
		}
		return b.problem(LLM, fmt.Errorf("called functions that were not offered %d times in a row", maxToolRounds))
	}
}

// errBegun ends an answer of which something came already: saying it again
// would say it twice.
type errBegun struct{ error }

// generate streams one answer of the model, retrying as long as nothing came.
func (a *answer) generate(b brief, prompt dialogue.Prompt, parts chan<- part, say func(string) error) (text string, calls []dialogue.ToolCall, err error) {
	err = retry(a.ctx, func(err error) bool { return errors.As(err, new(errBegun)) }, func() error {
		return guard(func() (err error) {
			text, calls, err = a.stream(b, prompt, parts, say)
			return err
		})
	})
	if err != nil {
		err = b.problem(LLM, err)
	}
	return text, calls, err
}

// stream is one attempt of generate.
func (a *answer) stream(b brief, prompt dialogue.Prompt, parts chan<- part, say func(string) error) (_ string, calls []dialogue.ToolCall, _ error) {
	ctx, giveUp := context.WithCancelCause(a.ctx)
	defer giveUp(nil)
	stall := time.AfterFunc(patience, func() { giveUp(errStalled) })
	defer stall.Stop()
	var cut sentences
	var text strings.Builder
	begun := false
	for delta, err := range b.model.Generate(ctx, prompt) {
		if err != nil {
			if errors.Is(context.Cause(ctx), errStalled) {
				err = errStalled
			}
			if begun {
				err = errBegun{err}
			}
			return text.String(), calls, err
		}
		stall.Stop() // handing text on may take as long as it is spoken
		if !begun && (delta.Text != "" || len(delta.ToolCalls) > 0) {
			begun = true
			a.tell(parts, part{token: true})
		}
		text.WriteString(delta.Text)
		for _, piece := range cut.add(delta.Text) {
			if err := say(piece); err != nil {
				return text.String(), calls, errBegun{err}
			}
		}
		if len(delta.ToolCalls) > 0 {
			calls = append(calls, delta.ToolCalls...)
			a.tell(parts, part{calls: delta.ToolCalls})
		}
		if delta.Usage != nil {
			a.tell(parts, part{usage: delta.Usage})
		}
		stall.Reset(patience)
	}
	if err := say(cut.rest()); err != nil {
		return text.String(), calls, errBegun{err}
	}
	return text.String(), calls, nil
}

// tell reports to the session's loop, unless the answer was cancelled.
func (a *answer) tell(parts chan<- part, p part) {
	p.answer, p.at = a, time.Now()
	select {
	case parts <- p:
	case <-a.ctx.Done():
	}
}

func (b brief) problem(service Service, err error) error {
	if service == TTS {
		return providerProblem(TTS, b.provider.tts, b.agent, err)
	}
	return providerProblem(LLM, b.provider.llm, b.agent, err)
}

// unknown returns the calls of functions that were not offered.
func (a *answer) unknown(calls []dialogue.ToolCall) (unknown []dialogue.ToolCall) {
	for _, call := range calls {
		if _, offered := a.routes[call.Name]; !offered {
			if call.Arguments == nil {
				call.Arguments = json.RawMessage("{}")
			}
			unknown = append(unknown, call)
		}
	}
	return unknown
}
