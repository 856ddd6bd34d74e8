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
// Its goroutines report parts to the session's loop, which alone decides what
// is heard; cancelling it stops the providers at once.
type answer struct {
	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup

	to    string // the caller's words it answers; "" when the agent opens
	draft bool   // the turn is not over yet: nothing may be heard

	text      strings.Builder // all of it, heard or not
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
	said      string
	calls     []dialogue.ToolCall
	usage     *dialogue.Usage
	speech    *dialogue.Speech
	failure   error
	spokenAll bool
}

// Retries of a language model that fails before its first word.
var modelRetries = []time.Duration{100 * time.Millisecond, 2 * time.Second}

// maxToolRounds bounds how often a model may call functions in one turn.
const maxToolRounds = 5

// brief is what an answer needs of the session at the time it begins.
type brief struct {
	model    dialogue.LanguageModel
	voice    dialogue.Voice
	prompt   dialogue.Prompt
	agent    string
	provider struct{ llm, tts string }
	offered  func(tool string) bool
}

// think has the model answer the prompt and speaks it as it comes.
func (a *answer) think(b brief, parts chan<- part) {
	a.speak(b, parts, func(say func(string) error) error {
		prompt := b.prompt
		for range maxToolRounds {
			text, calls, err := a.generate(b, prompt, parts, say)
			if err != nil {
				return err
			}
			unknown := unknownCalls(calls, b.offered)
			if len(unknown) == 0 {
				return nil
			}
			prompt.Messages = append(prompt.Messages[:len(prompt.Messages):len(prompt.Messages)],
				dialogue.Message{Role: dialogue.RoleAssistant, Content: text, ToolCalls: unknown})
			for _, call := range unknown {
				prompt.Messages = append(prompt.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID,
					Content: fmt.Sprintf("There is no function %s.", call.Name)})
			}
		}
		return nil
	})
}

// recite speaks a given text.
func (a *answer) recite(b brief, text string, parts chan<- part) {
	a.speak(b, parts, func(say func(string) error) error {
		var s sentences
		for _, piece := range append(s.add(text), s.rest()) {
			if err := say(piece); err != nil {
				return err
			}
		}
		return nil
	})
}

// speak opens an utterance, has compose fill it, and passes the audio on.
func (a *answer) speak(b brief, parts chan<- part, compose func(say func(string) error) error) {
	utterance, err := b.voice.Speak(a.ctx)
	if err != nil {
		a.tell(parts, part{failure: b.problem(TTS, err)})
		a.tell(parts, part{spokenAll: true})
		return
	}
	a.done.Go(func() {
		err := compose(func(piece string) error {
			if piece == "" {
				return nil
			}
			a.tell(parts, part{said: piece})
			if err := utterance.Say(piece); err != nil {
				return b.problem(TTS, err)
			}
			return nil
		})
		if err != nil && a.ctx.Err() == nil {
			a.tell(parts, part{failure: err})
		}
		utterance.End()
	})
	a.done.Go(func() {
		for speech := range utterance.Audio() {
			a.tell(parts, part{speech: &speech})
		}
		if err := utterance.Err(); err != nil && a.ctx.Err() == nil {
			a.tell(parts, part{failure: b.problem(TTS, err)})
		}
		a.tell(parts, part{spokenAll: true})
	})
}

// generate streams one answer of the model, retrying as long as nothing came.
func (a *answer) generate(b brief, prompt dialogue.Prompt, parts chan<- part, say func(string) error) (string, []dialogue.ToolCall, error) {
	for attempt := 0; ; attempt++ {
		text, calls, begun, err := a.stream(b, prompt, parts, say)
		var speechFailed Problem
		if err == nil || begun || a.ctx.Err() != nil || errors.As(err, &speechFailed) {
			return text, calls, err
		}
		if attempt == len(modelRetries) {
			return "", nil, b.problem(LLM, err)
		}
		select {
		case <-time.After(modelRetries[attempt]):
		case <-a.ctx.Done():
			return "", nil, a.ctx.Err()
		}
	}
}

// stream is one attempt of generate; begun tells whether anything came.
func (a *answer) stream(b brief, prompt dialogue.Prompt, parts chan<- part, say func(string) error) (_ string, calls []dialogue.ToolCall, begun bool, _ error) {
	var cut sentences
	var text strings.Builder
	for delta, err := range b.model.Generate(a.ctx, prompt) {
		if err != nil {
			if begun {
				err = b.problem(LLM, err)
			}
			return text.String(), calls, begun, err
		}
		if !begun && (delta.Text != "" || len(delta.ToolCalls) > 0) {
			begun = true
			a.tell(parts, part{token: true})
		}
		text.WriteString(delta.Text)
		for _, piece := range cut.add(delta.Text) {
			if err := say(piece); err != nil {
				return text.String(), calls, begun, err
			}
		}
		if len(delta.ToolCalls) > 0 {
			calls = append(calls, delta.ToolCalls...)
			a.tell(parts, part{calls: delta.ToolCalls})
		}
		if delta.Usage != nil {
			a.tell(parts, part{usage: delta.Usage})
		}
	}
	return text.String(), calls, begun, say(cut.rest())
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
	provider := b.provider.llm
	if service == TTS {
		provider = b.provider.tts
	}
	return Problem{Service: service, Critical: true, Message: fmt.Sprintf("%s provider %s: %v", service, provider, err),
		Provider: provider, Agent: b.agent, At: time.Now()}
}

func unknownCalls(calls []dialogue.ToolCall, offered func(string) bool) (unknown []dialogue.ToolCall) {
	for _, call := range calls {
		if !offered(call.Name) {
			if call.Arguments == nil {
				call.Arguments = json.RawMessage("{}")
			}
			unknown = append(unknown, call)
		}
	}
	return unknown
}
