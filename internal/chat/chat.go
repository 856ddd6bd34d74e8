// Package chat runs a conversation in text through the engine of voice calls: the same turns, prompts, tools and
// handoffs.
//
// It provides a line and two providers for package voice: a recogniser that returns typed text (text.go), a
// synthesiser whose speech is one frame of silence per sentence, and a line without audio. Agents behave as on a
// call, without the delays of turn detection.
package chat

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"
	"unicode"

	"parley/internal/answering"
	"parley/internal/dialogue"
	"parley/internal/plan"
	"parley/internal/voice"
	"parley/internal/voice/turn"
	"parley/internal/workflow"
)

// Errors of Say.
var (
	// ErrOver is returned after the end of the conversation.
	ErrOver = errors.New("the conversation is over")
	// ErrWordless is returned for a line without words.
	ErrWordless = errors.New("a line needs a letter or a digit")
)

// Conversation is a running conversation. Its methods are for one goroutine.
type Conversation struct {
	session *voice.Session
	typed   *keyboard
	settled chan struct{} // the agent waits for the caller
	cancel  context.CancelFunc

	over chan struct{} // closed at the end; the following fields are then set
	end  voice.End
	err  error

	mu    sync.Mutex
	reply Reply
}

// Reply is what an agent did until it waited for the caller again.
type Reply struct {
	// Entries are texts and tool calls, in order. Those with a Tool are calls.
	Entries []voice.Entry
	// Agents are the agents that the conversation was handed over to.
	Agents []string
	// Agent is the current agent.
	Agent string
	// Turn is the measurement of the turn; nil for a greeting.
	Turn *voice.Turn
	// Problems occurred during the turn.
	Problems []voice.Problem
	// End is why the conversation has ended; "" while it continues.
	End voice.End
}

// Text returns all text of the reply, of all agents.
func (r Reply) Text() string {
	var said []string
	for _, e := range r.Entries {
		if e.Tool == nil && e.Text != "" {
			said = append(said, e.Text)
		}
	}
	return strings.Join(said, " ")
}

// Tools returns the calls of tools and of built-in functions, in order.
func (r Reply) Tools() []dialogue.ToolCall {
	var calls []dialogue.ToolCall
	for _, e := range r.Entries {
		if e.Tool != nil {
			calls = append(calls, *e.Tool)
		}
	}
	return calls
}

// Open starts a conversation. Line, Journal, Turn, SilenceTimeout and Limits of the options are replaced, and only the
// language models of the providers are used: typing has no time limit and needs no speech key. It ends with the
// context or by Close. An unavailable agent is a voice.Problem.
func Open(ctx context.Context, o voice.Options) (*Conversation, error) {
	c := &Conversation{typed: new(keyboard), settled: make(chan struct{}, 1), over: make(chan struct{})}
	o.Plan = written(o.Plan)
	o.Line, o.Journal, o.Turn, o.SilenceTimeout, o.Limits = line{c}, journal{c}, instantly, 0, &limits
	o.Providers = writing{o.Providers, c.typed}
	session, err := voice.New(o)
	if err != nil {
		return nil, err
	}
	ctx, c.cancel = context.WithCancel(ctx)
	if err := session.Prepare(ctx); err != nil {
		c.cancel()
		session.Close()
		return nil, err
	}
	c.session, c.reply.Agent = session, session.Agent()
	go func() {
		defer close(c.over)
		c.end, c.err = session.Run(ctx)
	}()
	return c, nil
}

// limits are those of a text conversation, whose lines come as fast as they are typed or tested.
var limits = voice.Limits{HistoryCharacters: voice.DefaultLimits.HistoryCharacters}

// instantly is the turn detection of typed text: a line is a turn.
var instantly = turn.Options{
	EndpointComplete: time.Millisecond, EndpointDefault: time.Millisecond, EndpointUnfinished: time.Millisecond,
	PauseAfter: time.Hour, InterruptAfter: time.Hour, ResumeAfter: time.Millisecond, TranscriptWait: time.Millisecond,
}

// written returns the plan without the agents' speech settings, and with tools that are waited for: a text conversation is never silent.
func written(p plan.Plan) plan.Plan {
	p.Agents = maps.Clone(p.Agents)
	for name, config := range p.Agents {
		config.Turn, config.Realtime = nil, nil
		p.Agents[name] = config
	}
	p.Tools = maps.Clone(p.Tools)
	for name, t := range p.Tools {
		t.Config.Async = false
		p.Tools[name] = t
	}
	return p
}

// Greeting waits for the agent's greeting.
func (c *Conversation) Greeting(ctx context.Context) (Reply, error) { return c.await(ctx) }

// Say sends a line and waits for the complete answer. It follows Greeting.
func (c *Conversation) Say(ctx context.Context, text string) (Reply, error) {
	if wordless(text) {
		return Reply{}, ErrWordless
	}
	select {
	case <-c.over:
		return Reply{}, ErrOver
	default:
	}
	c.typed.enter(text)
	return c.await(ctx)
}

// wordless reports whether the engine would ignore a line because it has no words.
func wordless(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// await returns what the agent did until it waits for the caller or the conversation has ended. Its error is the
// context's, or an internal one.
func (c *Conversation) await(ctx context.Context) (Reply, error) {
	select {
	case <-c.settled:
	case <-c.over:
	case <-ctx.Done():
		return c.taken(), fmt.Errorf("wait for the agent's answer: %w", ctx.Err())
	}
	r := c.taken()
	select {
	case <-c.over:
		r.End = c.end
		return r, c.err
	default:
		return r, nil
	}
}

func (c *Conversation) taken() Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.reply
	c.reply = Reply{Agent: r.Agent}
	return r
}

// Close ends the conversation and waits for its goroutines. It is idempotent.
func (c *Conversation) Close() {
	c.cancel()
	<-c.over
	c.session.Close()
}

// journal collects events for the next reply.
type journal struct{ c *Conversation }

func (j journal) note(add func(*Reply)) {
	j.c.mu.Lock()
	defer j.c.mu.Unlock()
	add(&j.c.reply)
}

func (j journal) EntryAdded(e voice.Entry) {
	if e.Role != dialogue.RoleUser {
		j.note(func(r *Reply) { r.Entries = append(r.Entries, e) })
	}
}

func (j journal) AgentChanged(agent, _ string) {
	j.note(func(r *Reply) { r.Agents, r.Agent = append(r.Agents, agent), agent })
}

func (j journal) TurnAnswered(t voice.Turn) { j.note(func(r *Reply) { r.Turn = &t }) }

// TokensUsed does nothing: a reply contains the tokens of its turn.
func (j journal) TokensUsed(string, dialogue.Usage) {}

// Overlapped does nothing: nobody speaks over a text.
func (j journal) Overlapped(voice.Overlap) {}

// Routed does nothing: a reply has the agents that it came from.
func (j journal) Routed(workflow.Decision) {}

// LanguageChanged does nothing: the answers show it.
func (j journal) LanguageChanged(string, string) {}

// HoldChanged does nothing: a text conversation has no phone.
func (j journal) HoldChanged(bool, time.Time)    {}
func (j journal) AnswerJudged(answering.Verdict) {}

// ControlEnded does nothing: nobody controls a chat.
func (j journal) ControlEnded(string, string) {}

// OperatorChanged does nothing: nobody takes the conversation over.
func (j journal) OperatorChanged(bool, time.Time) {}

// TransferChanged does nothing: nobody is dialled.
func (j journal) TransferChanged(voice.Transfer) {}

// TalkMeasured does nothing: nobody speaks.
func (j journal) TalkMeasured(dialogue.Talk) {}

func (j journal) Problem(p voice.Problem) {
	j.note(func(r *Reply) { r.Problems = append(r.Problems, p) })
}
