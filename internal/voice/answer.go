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
	prompts   bool             // it asks a silent caller whether they are there
	draft     bool             // the turn is not over yet: nothing may be heard
	committed chan struct{}    // closed when it is no draft, or none any more
	relief    chan speaker     // another voice, when the one it had failed
	mute      bool             // it waits for relief
	routes    map[string]route // of the functions that were offered

	worded    bool // a piece was handed out; of the goroutine that composes
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
	worded    bool // a piece was handed out; of the goroutine that composes
	calls     []dialogue.ToolCall
	usage     *dialogue.Usage
	speech    *dialogue.Speech
	notice    error // a Problem that the answer survives
	loss      *loss // of a language model that another took the place of
	mute      *muting
	rewind    chan<- []string // takes what was begun to be spoken and is not
	failure   error
	spokenAll bool
}

// maxToolRounds bounds how often a model may call unknown functions in one
// turn.
const maxToolRounds = 5

// brief is what an answer needs of the session at the time it begins.
type brief struct {
	models  []model // the one in use, and what may take its place
	speaker speaker
	prompt  dialogue.Prompt
	agent   string
	pardon  string // what to say when the model has no answer
}

// ask is the prompt for a model.
func (b *brief) ask(m model) dialogue.Prompt {
	p := b.prompt
	p.Model, p.Temperature, p.MaxTokens = m.Model, m.Temperature, 0
	if m.MaxTokens != nil {
		p.MaxTokens = *m.MaxTokens
	}
	return p
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
		prompt := &b.prompt
		for range maxToolRounds {
			text, calls, err := a.generate(&b, parts, say)
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
				a.tell(parts, part{notice: Problem{Service: ToolUse, Provider: b.models[0].Provider, Agent: b.agent, At: time.Now(),
					Message: fmt.Sprintf("the model called the function %q, which was not offered", call.Name)}})
				prompt.Messages = append(prompt.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID,
					Content: fmt.Sprintf("There is no function %s.", call.Name)})
			}
		}
		return b.problem(LLM, fmt.Errorf("called functions that were not offered %d times in a row", maxToolRounds))
	}
}

// cutOff tells a model that it is to take an answer up where it broke off.
const cutOff = "The connection broke after these words of yours, which the caller heard. Go on exactly there: do not repeat them and do not mention it."

// errEmpty is the error of a model that neither says nor does anything.
var errEmpty = errors.New("answered with nothing")

// generate streams one answer of the model. One that fails is tried again, and
// then another model asked in its place, which goes on where it stopped: what
// was handed out is neither said nor, if it is the call of a function, done
// twice.
func (a *answer) generate(b *brief, parts chan<- part, say func(string) error) (text string, calls []dialogue.ToolCall, err error) {
	var said []string // pieces that were handed out
	for {
		m := b.models[0]
		spare := len(b.models) > 1
		err = retry(a.ctx, hopeless(spare), func() error {
			return guard(func() (err error) {
				calls, err = a.stream(m, b.continuation(m, said), patience(spare), parts, func(piece string) error {
					if piece == "" {
						return nil
					}
					said = append(said, piece)
					a.worded = true
					return say(piece)
				})
				if err == nil && len(calls) == 0 && !a.worded {
					return errEmpty
				}
				return err
			})
		})
		if err == nil || a.ctx.Err() != nil || !spare {
			break
		}
		lost := lostTo(llmSeat(m.LLM), b.agent, err)
		a.tell(parts, part{loss: &lost})
		b.models = b.models[1:]
	}
	if errors.Is(err, errEmpty) && a.to != "" { // no reason to hang up, none to be silent either
		empty := providerProblem(LLM, b.models[0].Provider, b.agent, err)
		empty.Critical = false
		a.tell(parts, part{notice: empty})
		return b.pardon, nil, say(b.pardon)
	}
	if err != nil {
		err = b.problem(LLM, err)
	}
	return strings.Join(said, " "), calls, err
}

// continuation is the prompt for an answer of which these pieces were handed
// out already.
func (b *brief) continuation(m model, said []string) dialogue.Prompt {
	p := b.ask(m)
	if len(said) > 0 {
		p.Messages = append(p.Messages[:len(p.Messages):len(p.Messages)],
			dialogue.Message{Role: dialogue.RoleAssistant, Content: strings.Join(said, " ")}, dialogue.Message{Role: dialogue.RoleSystem, Content: cutOff})
	}
	return p
}

// stream is one attempt of generate. When it fails after functions were called
// it counts as complete: they are what it came to.
func (a *answer) stream(m model, prompt dialogue.Prompt, patience time.Duration, parts chan<- part, say func(string) error) (calls []dialogue.ToolCall, _ error) {
	ctx, giveUp := context.WithCancelCause(a.ctx)
	defer giveUp(nil)
	stall := time.AfterFunc(patience, func() { giveUp(stalled(patience)) })
	defer stall.Stop()
	var cut sentences
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
		stall.Stop() // handing text on may take as long as it is spoken
		if !begun && (strings.TrimSpace(delta.Text) != "" || len(delta.ToolCalls) > 0) {
			begun = true
			a.tell(parts, part{token: true})
		}
		for _, piece := range cut.add(delta.Text) {
			if err := say(piece); err != nil {
				return nil, err
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
	return calls, say(cut.rest())
}

// tell reports to the session's loop, unless the answer was cancelled.
func (a *answer) tell(parts chan<- part, p part) {
	p.answer, p.at = a, time.Now()
	select {
	case parts <- p:
	case <-a.ctx.Done():
	}
}

func (b *brief) problem(service Service, err error) error {
	if service == TTS {
		return providerProblem(TTS, b.speaker.Provider, b.agent, err)
	}
	return providerProblem(LLM, b.models[0].Provider, b.agent, err)
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
