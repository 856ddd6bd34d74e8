package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"parley/internal/analysis"
	"parley/internal/chat"
	"parley/internal/voice"
)

// Opener begins conversations, with a workflow or else an agent.
type Opener interface {
	Open(ctx context.Context, workflow, agent string, user map[string]any) (c *chat.Conversation, warnings []string, err error)
}

// Options say how a suite is run.
type Options struct {
	Parallel int           // concurrent conversations
	Patience time.Duration // for each reply
	Analyst  Analyst       // of the expected analyses
	Redact   bool          // mask what analyses receive, and their answers
}

// Report is the result of a suite.
type Report struct {
	Suite         string    `json:"suite"`
	Conversations []Outcome `json:"conversations"` // in the order of the file
	Failed        int       `json:"failed"`        // conversations
}

// Outcome is the result of a conversation.
type Outcome struct {
	Name     string      `json:"name"`
	Seconds  float64     `json:"seconds"`
	Failures []string    `json:"failures"` // expectations that did not hold
	Broken   string      `json:"broken"`   // why it could not be held to its end; "" when it could
	Turns    []chat.Turn `json:"turns"`
	// Transcript are the entries to which the evidence of the analyses refers; empty without analyses.
	Transcript []analysis.Entry  `json:"transcript,omitempty"`
	Analyses   []AnalysisOutcome `json:"analyses,omitempty"`
}

// Passed reports whether all held.
func (o Outcome) Passed() bool { return o.Broken == "" && len(o.Failures) == 0 }

// Run runs the conversations of a suite. The context's end breaks those that
// are not over.
func Run(ctx context.Context, s *Suite, opener Opener, o Options) *Report {
	r := &Report{Suite: s.Name, Conversations: make([]Outcome, len(s.Conversations))}
	var running sync.WaitGroup
	turn := make(chan struct{}, max(1, o.Parallel))
	for i, c := range s.Conversations {
		running.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			begun := time.Now()
			p := play{c: c, patience: o.Patience, analyst: o.Analyst, redact: o.Redact}
			p.outcome = Outcome{Name: c.Name, Failures: []string{}, Turns: []chat.Turn{}}
			if err := p.run(ctx, opener); err != nil {
				p.outcome.Broken = err.Error()
			}
			p.outcome.Seconds = time.Since(begun).Seconds()
			r.Conversations[i] = p.outcome
		})
	}
	running.Wait()
	for _, outcome := range r.Conversations {
		if !outcome.Passed() {
			r.Failed++
		}
	}
	return r
}

// play is a conversation being held.
type play struct {
	c        Conversation
	patience time.Duration
	analyst  Analyst
	redact   bool
	ended    bool // by the agent
	outcome  Outcome
}

var errEarly = errors.New("the agent had ended the conversation before")

func (p *play) run(ctx context.Context, opener Opener) error {
	talk, _, err := opener.Open(ctx, p.c.Workflow, p.c.Agent, p.c.User)
	if err != nil {
		return err
	}
	defer talk.Close()
	over, err := p.turn(ctx, "", p.c.Greeting, talk.Greeting)
	for _, t := range p.c.Turns {
		if err != nil {
			return err
		}
		if over {
			return fmt.Errorf("%q was not said: %w", t.Say, errEarly)
		}
		over, err = p.turn(ctx, t.Say, &t.Expect, func(ctx context.Context) (chat.Reply, error) { return talk.Say(ctx, t.Say) })
	}
	if err != nil || len(p.c.Analyses) == 0 {
		return err
	}
	return p.analyse(ctx)
}

// turn has something said and looks at the reply.
func (p *play) turn(ctx context.Context, said string, e *Expect, say func(context.Context) (chat.Reply, error)) (over bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	reply, err := say(ctx)
	taken := chat.NewTurn(said, reply)
	p.outcome.Turns = append(p.outcome.Turns, taken)
	where := "greeting"
	if said != "" {
		where = fmt.Sprintf("%q", said)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return true, fmt.Errorf("%s: no answer within %v", where, p.patience)
	case err != nil:
		return true, fmt.Errorf("%s: %w", where, err)
	case reply.End == voice.ProviderError:
		return true, fmt.Errorf("%s: %s", where, strings.Join(taken.Problems, "; "))
	}
	if e != nil {
		for _, failure := range e.check(taken, reply.End == voice.AgentEnded) {
			p.outcome.Failures = append(p.outcome.Failures, where+": "+failure)
		}
	}
	p.ended = reply.End == voice.AgentEnded
	return reply.End != "", nil
}

// check says what of a turn is not as expected.
func (e *Expect) check(t chat.Turn, ended bool) (failures []string) {
	fail := func(format string, args ...any) { failures = append(failures, fmt.Sprintf(format, args...)) }
	said := tokens(t.Replied)
	for _, phrase := range e.Words {
		if !holds(said, tokens(phrase)) {
			fail("want %q said, got %q", phrase, t.Replied)
		}
	}
	for _, phrase := range e.NotWords {
		if holds(said, tokens(phrase)) {
			fail("want %q not said, got %q", phrase, t.Replied)
		}
	}
	called := []string{}
	for _, tool := range t.Tools {
		called = append(called, tool.Name)
	}
	calls := "none"
	if len(called) > 0 {
		calls = strings.Join(called, ", ")
	}
	for _, name := range e.Tools {
		if !slices.Contains(called, name) {
			fail("want tool %s called, got %s", name, calls)
		}
	}
	if e.Tools != nil && len(e.Tools) == 0 && len(called) > 0 {
		fail("want no tool called, got %s", calls)
	}
	if e.Agent != "" && e.Agent != t.Agent {
		fail("want agent %s, got %s", e.Agent, t.Agent)
	}
	if e.Ended != nil && *e.Ended != ended {
		fail("want %s, got the opposite", map[bool]string{true: "the conversation ended", false: "the conversation to go on"}[*e.Ended])
	}
	return failures
}

// tokens returns the words of a text, without case and punctuation.
func tokens(s string) []string {
	return strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\''
	})
}

// holds reports whether words occur consecutively in a text.
func holds(text, words []string) bool {
	for i := 0; i+len(words) <= len(text); i++ {
		if slices.Equal(text[i:i+len(words)], words) {
			return true
		}
	}
	return false
}
