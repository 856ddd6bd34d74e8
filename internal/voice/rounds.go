package voice

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"parley/internal/dialogue"
)

// maxToolRounds bounds how often a model may call functions in one turn.
const maxToolRounds = 5

// round is functions that a model called at once, on their way from the answer
// that they are for (here) to the session's loop, which runs them (tools.go),
// and back.
type round struct {
	answer *answer
	agent  string
	calls  []dialogue.ToolCall
	done   chan results // takes one

	begun   time.Time
	uses    []*use
	applied int // how many of uses have had their effects
	at      int // in the history, where the first result stands
}

// results is what an answer goes on with.
type results struct {
	messages []dialogue.Message
	// offer and system are as they are now: tools change what conditions and
	// templates see.
	offer  offer
	system string
	// over says that something else follows: the answer ends with the message,
	// which may be empty.
	over    bool
	message string
}

// think composes what the model answers to the prompt. Functions that it calls
// are run once the turn is over, and answered to it; so is the call of one that
// was not offered.
func (a *answer) think(b brief, parts chan<- part) func(script) error {
	return func(s script) error {
		prompt, spoke := &b.prompt, false
		for n := 0; ; n++ {
			text, calls, err := a.generate(&b, parts, s.say)
			if err != nil {
				return err
			}
			spoke = spoke || text != ""
			tools, unknown := b.offer.sort(calls)
			switch asked := len(tools) + len(unknown); {
			case asked == 0:
				return nil
			case n > maxToolRounds && spoke:
				return nil // it was told, and has said something
			case n > maxToolRounds:
				return b.problem(LLM, fmt.Errorf("called functions %d times in a row instead of answering", n+1))
			}
			prompt.Messages = append(prompt.Messages[:len(prompt.Messages):len(prompt.Messages)],
				dialogue.Message{Role: dialogue.RoleAssistant, Content: text, ToolCalls: append(tools[:len(tools):len(tools)], unknown...)})
			if n == maxToolRounds {
				a.notice(b, parts, fmt.Sprintf("the model called functions more than %d times in a turn", maxToolRounds))
				for _, call := range append(tools, unknown...) {
					prompt.Messages = append(prompt.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID,
						Content: "Not run: no more functions can be called in this turn. Answer the caller with what you have."})
				}
				continue
			}
			var r results
			if len(tools) > 0 {
				if text != "" {
					if err := s.breathe(); err != nil {
						return err
					}
				}
				if r, err = a.use(b, parts, s, tools); err != nil {
					return err
				}
				prompt.Messages = append(prompt.Messages, r.messages...)
				b.offer, prompt.Tools, prompt.System = r.offer, r.offer.tools, r.system
			}
			for _, call := range unknown {
				a.notice(b, parts, fmt.Sprintf("the model called the function %q, which was not offered", call.Name))
				prompt.Messages = append(prompt.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID,
					Content: fmt.Sprintf("There is no function %s.", call.Name)})
			}
			if r.over || len(tools) > 0 && len(tools)+len(unknown) < len(calls) { // a function of the engine's was called as well
				return s.say(r.message)
			}
		}
	}
}

func (a *answer) notice(b brief, parts chan<- part, message string) {
	a.tell(parts, part{notice: Problem{Service: ToolUse, Provider: b.models[0].Provider, Agent: b.agent, At: time.Now(), Message: message}})
}

// use has the session run tools, once the turn is over, and waits for what
// comes of them. Meanwhile it says what it is told to.
func (a *answer) use(b brief, parts chan<- part, s script, calls []dialogue.ToolCall) (results, error) {
	select {
	case <-a.committed:
	case <-a.ctx.Done():
		return results{}, a.ctx.Err()
	}
	r := &round{answer: a, agent: b.agent, calls: calls, done: make(chan results, 1)}
	a.tell(parts, part{round: r})
	filled := false
	for {
		select {
		case came := <-r.done:
			if filled {
				return came, s.breathe()
			}
			return came, nil
		case line := <-a.filler:
			filled = true
			if err := s.say(line); err != nil {
				return results{}, err
			}
		case <-a.ctx.Done():
			return results{}, a.ctx.Err()
		}
	}
}

// sort tells the tools that a model called from functions that were not
// offered. Those of the engine are neither: they are for the session, after the
// answer.
func (o offer) sort(calls []dialogue.ToolCall) (tools, unknown []dialogue.ToolCall) {
	for _, call := range calls {
		if call.Arguments == nil {
			call.Arguments = json.RawMessage("{}")
		}
		if call.ID == "" {
			call.ID = "call_" + rand.Text() // an answer needs something to refer to
		}
		if _, ours := o.routes[call.Name]; ours {
			continue
		}
		if _, tool := o.uses[call.Name]; tool {
			tools = append(tools, call)
		} else {
			unknown = append(unknown, call)
		}
	}
	return tools, unknown
}
