package voice

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/playout"
)

// answer is one thing that the agent says, from the prompt to the last frame.
// Two goroutines, one for the words (here) and one for the voice (speak.go),
// report parts to the session's loop, which alone decides what is heard;
// cancelling it stops the providers at once.
type answer struct {
	ctx    context.Context
	cancel context.CancelFunc

	agent     string           // who says it
	to        string           // the caller's words it answers; "" when the agent opens
	prompts   bool             // it asks a silent caller whether they are there
	draft     bool             // the turn is not over yet: nothing may be heard
	committed chan struct{}    // closed when it is no draft, or none any more
	relief    chan speaker     // another voice, when the one it had failed
	mute      bool             // it waits for relief
	filler    chan string      // what to say while tools run; takes one
	filled    bool             // it was said
	follows   *following       // what a tool wants done after it
	routes    map[string]route // of the functions that were offered

	worded    bool // a piece was handed out; of the goroutine that composes
	calls     []dialogue.ToolCall
	usage     dialogue.Usage
	failure   error        // of LLM or TTS, a Problem
	spokenAll bool         // no more audio comes
	unheard   atomic.Int64 // nanoseconds of audio that wait to be heard

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
	round     *round // tools to be run
	breath    bool   // the voice has spoken all it was told to, and will be told more
	usage     *dialogue.Usage
	speech    *dialogue.Speech
	notice    error // a Problem that the answer survives
	loss      *loss // of a language model that another took the place of
	mute      *muting
	rewind    chan<- []string // takes what was begun to be spoken and is not
	failure   error
	spokenAll bool
}

// brief is what an answer needs of the session at the time it begins.
type brief struct {
	models  []model // the one in use, and what may take its place
	speaker speaker
	prompt  dialogue.Prompt
	offer   offer
	agent   string
	pardon  string // what to say when the model has no answer; "" for nothing
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
func (a *answer) begin(work *sync.WaitGroup, b brief, parts chan<- part, compose func(script) error) {
	pieces := make(chan piece, 256) // more than most answers have: a model should not have to wait for the voice
	work.Go(func() {
		defer close(pieces)
		err := compose(script{a.ctx, pieces})
		if err != nil && a.ctx.Err() == nil {
			a.tell(parts, part{failure: err})
		}
	})
	work.Go(func() { a.speak(b, pieces, parts) })
}

// piece is what a voice is told to speak next, or, when empty, that it takes
// a while until there is more.
type piece struct{ text string }

// script is where an answer's words go as they are composed.
type script struct {
	ctx    context.Context
	pieces chan<- piece
}

// say has a piece spoken; none when it is empty.
func (s script) say(text string) error {
	if text == "" {
		return nil
	}
	return s.pass(piece{text})
}

// breathe has what was said so far spoken to its end, as an utterance of its
// own: a provider may close one that gets no text for a while.
func (s script) breathe() error { return s.pass(piece{}) }

func (s script) pass(p piece) error {
	select {
	case s.pieces <- p:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// recite composes a given text.
func recite(text string) func(script) error {
	return func(s script) error {
		var splitter playout.SentenceSplitter
		for _, piece := range append(splitter.Push(text), splitter.Flush()) {
			if err := s.say(piece); err != nil {
				return err
			}
		}
		return nil
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
		err = retry(a.ctx, spare, func() error {
			return guard(func() (err error) {
				calls, err = a.stream(m, b.continuation(m, said), spare, parts, func(piece string) error {
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
	if errors.Is(err, errEmpty) { // no reason to hang up
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
func (a *answer) stream(m model, prompt dialogue.Prompt, spare bool, parts chan<- part, say func(string) error) (calls []dialogue.ToolCall, _ error) {
	ctx, giveUp := context.WithCancelCause(a.ctx)
	defer giveUp(nil)
	limit, first := patience(spare), firstTokenTimeout(m.LLM, spare)
	untilFirst := limit
	if m.FirstTokenTimeoutMS != nil {
		untilFirst = first
	}
	stall := time.AfterFunc(untilFirst, func() { giveUp(stalled(untilFirst)) })
	defer stall.Stop()
	tokenless := time.AfterFunc(first, func() { giveUp(stalled(first)) })
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
		stall.Stop() // handing text on may take as long as it is spoken
		if !begun && (strings.TrimSpace(delta.Text) != "" || len(delta.ToolCalls) > 0) {
			begun = true
			tokenless.Stop()
			a.tell(parts, part{token: true})
		}
		for _, piece := range splitter.Push(delta.Text) {
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
		if begun {
			stall.Reset(limit)
		} else {
			stall.Reset(untilFirst)
		}
	}
	return calls, say(splitter.Flush())
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
