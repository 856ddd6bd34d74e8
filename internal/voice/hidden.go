package voice

import (
	"encoding/json"
	"slices"

	"parley/internal/dialogue"
	"parley/internal/redact"
	"parley/internal/voice/providers"
)

// hiddenValues are what the caller has said and language models do not get (config.redaction.before_model): placeholders are in its place.
// Tools and the voice get the values.
type hiddenValues struct {
	on     bool // for the rest of the call, once an agent with the setting had it
	values *redact.Placeholders
	saved  int // how many of them are in a snapshot
}

// placeholderNote explains placeholders to a model.
const placeholderNote = "Numbers and addresses that the caller says are replaced by placeholders such as [phone_1]. Pass a placeholder to a " +
	"function as it is: the function receives the value. Write a placeholder where the value is to be said to the caller. Never ask for " +
	"a value of which you have the placeholder."

// mask returns a function that replaces values in a prompt, for any goroutine; nil if none are replaced. All of what the caller said is
// searched; prompts, the agent's words and answers of tools only for values that the caller has said.
func (h *hiddenValues) mask() func(dialogue.Prompt) dialogue.Prompt {
	if !h.on {
		return nil
	}
	values := h.values
	return func(p dialogue.Prompt) dialogue.Prompt {
		p.Messages = slices.Clone(p.Messages)
		var said []string
		for _, m := range p.Messages {
			if m.Role == dialogue.RoleUser {
				said = append(said, m.Content)
			}
		}
		said = values.Replace(said)
		for n := range p.Messages {
			m := &p.Messages[n]
			if m.Role == dialogue.RoleUser {
				m.Content, said = said[0], said[1:]
			} else {
				m.Content, m.ToolCalls = values.ReplaceKnown(m.Content), replaceKnownCalls(values, m.ToolCalls)
			}
		}
		p.System = values.ReplaceKnown(p.System) + "\n\n" + placeholderNote
		return p
	}
}

// replaceKnownCalls replaces known values in the arguments of calls.
func replaceKnownCalls(values *redact.Placeholders, calls []dialogue.ToolCall) []dialogue.ToolCall {
	calls = slices.Clone(calls)
	for n := range calls {
		arguments := json.RawMessage(values.ReplaceKnown(string(calls[n].Arguments)))
		if !json.Valid(arguments) && json.Valid(calls[n].Arguments) { // a value was a number
			arguments = json.RawMessage("{}")
		}
		calls[n].Arguments = arguments
	}
	return calls
}

// hideSaid gives the values of the caller's last words their placeholders, and saves them with the next snapshot.
func (s *Session) hideSaid() {
	if !s.hidden.on {
		return
	}
	s.hidden.mask()(dialogue.Prompt{Messages: s.history.Messages()})
	if len(s.hidden.values.List()) > s.hidden.saved {
		s.saveSnapshot()
	}
}

// speaker returns the voice in use.
func (s *Session) speaker() providers.Speaker {
	speaker := s.providers.Speaker(s.router.Config())
	if s.hidden.on {
		speaker.Placeholders = s.hidden.values
	}
	return speaker
}
