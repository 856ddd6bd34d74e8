// Package chat holds a conversation in writing, through the engine that holds
// spoken ones: the same turns, prompts, tools and handoffs.
//
// It is no second engine but a line and two providers for package voice: a
// recogniser whose transcripts are what was typed (text.go), a synthesiser
// whose speech is a frame of silence a sentence, and a line that carries no
// sound. What an agent is told and does is therefore what it would be told and
// would do on the telephone; only the waits of turn-taking are gone.
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

	"parley/internal/dialogue"
	"parley/internal/voice"
	"parley/internal/voice/turn"
)

// Errors of Say.
var (
	// ErrOver is what is said after the end of the conversation.
	ErrOver = errors.New("the conversation is over")
	// ErrWordless is a line that no agent could have heard.
	ErrWordless = errors.New("a line needs a letter or a digit")
)

// Conversation is one that is being held. Its methods are for one goroutine.
type Conversation struct {
	session *voice.Session
	typed   *keyboard
	settled chan struct{} // the agent waits for the caller
	cancel  context.CancelFunc

	over chan struct{} // closed at the end; what follows is set then
	end  voice.End
	err  error

	mu    sync.Mutex
	reply Reply
}

// Reply is what an agent did when it had the floor: what it said, whom it
// handed over to, which tools it called.
type Reply struct {
	// Entries are what was said and called, in order. Those with a Tool are
	// calls.
	Entries []voice.Entry
	// Agents are those that the conversation went over to meanwhile.
	Agents []string
	// Agent has the conversation now.
	Agent string
	// Turn is how the turn was measured; nil for a greeting.
	Turn *voice.Turn
	// Problems went wrong meanwhile.
	Problems []voice.Problem
	// End is why the conversation is over; "" while it goes on.
	End voice.End
}

// Text is all that was said, by whichever agent.
func (r Reply) Text() string {
	var said []string
	for _, e := range r.Entries {
		if e.Tool == nil && e.Text != "" {
			said = append(said, e.Text)
		}
	}
	return strings.Join(said, " ")
}

// Tools are the calls of tools and of the engine's own functions, in order.
func (r Reply) Tools() []dialogue.ToolCall {
	var calls []dialogue.ToolCall
	for _, e := range r.Entries {
		if e.Tool != nil {
			calls = append(calls, *e.Tool)
		}
	}
	return calls
}

// Open begins a conversation. Of the options, Line, Journal, Turn and
// SilenceTimeout are the conversation's own, and of the providers it uses the
// language models only: whoever writes can take any time, and needs no key for
// speech. The context ends it, as Close does. An agent that cannot be had is a
// voice.Problem.
func Open(ctx context.Context, o voice.Options) (*Conversation, error) {
	c := &Conversation{typed: new(keyboard), settled: make(chan struct{}, 1), over: make(chan struct{})}
	o.Plan = written(o.Plan)
	o.Line, o.Journal, o.Turn, o.SilenceTimeout = line{c}, journal{c}, instantly, 0
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

// instantly is turn-taking for those who write: a line is a turn.
var instantly = turn.Options{
	EndpointComplete: time.Millisecond, EndpointDefault: time.Millisecond, EndpointUnfinished: time.Millisecond,
	PauseAfter: time.Hour, InterruptAfter: time.Hour, ResumeAfter: time.Millisecond, TranscriptWait: time.Millisecond,
}

// written is a plan without what agents have chosen for speech.
func written(p voice.Plan) voice.Plan {
	p.Agents = maps.Clone(p.Agents)
	for name, config := range p.Agents {
		config.Turn = nil
		p.Agents[name] = config
	}
	return p
}

// Greeting waits until the agent has said what it begins with.
func (c *Conversation) Greeting(ctx context.Context) (Reply, error) { return c.await(ctx) }

// Say says a line and waits until the agent has answered it to the end. It
// follows Greeting.
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

// wordless reports whether the engine would take a line for no words at all.
func wordless(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// await hands out what the agent did until it waits for the caller or the
// conversation is over. Its error is the context's, or what broke the engine.
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

// Close ends the conversation and waits until nothing of it runs any more.
// It may be called twice.
func (c *Conversation) Close() {
	c.cancel()
	<-c.over
	c.session.Close()
}

// journal keeps what happens for the next reply.
type journal struct{ c *Conversation }

func (j journal) note(add func(*Reply)) {
	j.c.mu.Lock()
	defer j.c.mu.Unlock()
	add(&j.c.reply)
}

func (j journal) Said(e voice.Entry) {
	if e.Role != dialogue.RoleUser {
		j.note(func(r *Reply) { r.Entries = append(r.Entries, e) })
	}
}

func (j journal) AgentChanged(agent, _ string) {
	j.note(func(r *Reply) { r.Agents, r.Agent = append(r.Agents, agent), agent })
}

func (j journal) TurnTaken(t voice.Turn) { j.note(func(r *Reply) { r.Turn = &t }) }

// TokensSpent keeps nothing: a reply tells the tokens of its turn.
func (j journal) TokensSpent(string, dialogue.Usage) {}

func (j journal) Problem(p voice.Problem) {
	j.note(func(r *Reply) { r.Problems = append(r.Problems, p) })
}
