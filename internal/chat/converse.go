package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"parley/internal/voice"
)

// Result is the result of Converse.
type Result struct {
	// Turns are the lines with their replies; the first, said "", is the
	// greeting.
	Turns []Turn `json:"turns"`
	// Agent is the last agent.
	Agent string `json:"agent"`
	// End is agent_ended or provider_error, or "" when the caller ended it.
	End voice.End `json:"end"`
	// Unsaid are the lines after the end.
	Unsaid []string `json:"unsaid"`
}

// Turn is a line and its reply.
type Turn struct {
	Said     string   `json:"said"`
	Replied  string   `json:"replied"`
	Agent    string   `json:"agent"` // the current agent
	Tools    []Tool   `json:"tools"`
	Problems []string `json:"problems"`

	entries []voice.Entry
}

// Entries returns what the reply consists of, in order.
func (t Turn) Entries() []voice.Entry { return t.entries }

// Tool is a call of a tool, or of a function of the engine such as end_call.
type Tool struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// Converse says line after line until there are no more or the agent ends the conversation. show is called after
// each turn. The result is never nil; the end of the context is an error.
func Converse(ctx context.Context, c *Conversation, lines Lines, show func(Turn)) (*Result, error) {
	result := &Result{Turns: []Turn{}, Unsaid: []string{}}
	reply, err := c.Greeting(ctx)
	for said := ""; ; {
		turn := NewTurn(said, reply)
		result.Turns, result.Agent, result.End = append(result.Turns, turn), reply.Agent, reply.End
		show(turn)
		if err != nil || reply.End != "" {
			break
		}
		if said, err = lines.Next(ctx); errors.Is(err, io.EOF) {
			return result, nil
		}
		if err != nil {
			return result, err
		}
		reply, err = c.Say(ctx, said)
		if errors.Is(err, ErrWordless) {
			return result, fmt.Errorf("say %q: %w", said, err)
		}
	}
	if script, ok := lines.(*Script); ok {
		result.Unsaid = append(result.Unsaid, script.lines...)
	}
	return result, err
}

// NewTurn returns a line and its reply, as they are printed.
func NewTurn(said string, r Reply) Turn {
	t := Turn{Said: said, Replied: r.Text(), Agent: r.Agent, Tools: []Tool{}, Problems: []string{}, entries: r.Entries}
	for _, call := range r.Tools() {
		tool := Tool{call.Name, call.Arguments}
		if !json.Valid(tool.Arguments) {
			tool.Arguments = json.RawMessage("{}")
		}
		t.Tools = append(t.Tools, tool)
	}
	for _, p := range r.Problems {
		t.Problems = append(t.Problems, p.Message)
	}
	return t
}

// Failed returns why the conversation did not end well: a provider failed, or the agent ended it before the last
// line. Nil if it did.
func (r *Result) Failed() error {
	last := r.Turns[len(r.Turns)-1]
	switch {
	case r.End == voice.ProviderError:
		return fmt.Errorf("the conversation broke: %s", strings.Join(last.Problems, "; "))
	case len(r.Unsaid) > 0:
		return fmt.Errorf("the agent ended the conversation before %q was said", r.Unsaid[0])
	}
	return nil
}

// Print writes an agent's turn as text.
func (t Turn) Print(w io.Writer) error {
	var b strings.Builder
	for _, p := range t.Problems {
		fmt.Fprintf(&b, "  !       %s\n", p)
	}
	for _, e := range t.entries {
		if e.Tool != nil {
			fmt.Fprintf(&b, "  tool    %s %s\n", e.Tool.Name, e.Tool.Arguments)
		} else {
			fmt.Fprintf(&b, "  %-7s %s\n", e.Agent, e.Text)
		}
	}
	if len(t.entries) == 0 {
		fmt.Fprintf(&b, "  %-7s (no reply)\n", t.Agent)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
