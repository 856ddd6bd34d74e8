package voice

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/template"
	"parley/internal/tool"
)

// Bounds of what is remembered of tools for a worker that takes the call over.
const (
	maxKeptUses   = 20
	maxKeptAnswer = 1000 // bytes of each answer
	maxKeptInput  = 8000 // bytes of the arguments; of longer ones none are kept
)

// forgotten stands in the history for a result that is kept no longer.
const forgotten = "This result is no longer kept."

// forgetResults replaces the oldest results of tools in a history, so that those
// that stay have at most so many bytes, and reports whether it did. The last
// result always stays.
func forgetResults(history []dialogue.Message, most int) (did bool) {
	size := 0
	for n, m := range slices.Backward(history) {
		if m.Role != dialogue.RoleTool {
			continue
		}
		before := size
		if size += len(m.Content); size > most && before > 0 && len(m.Content) > len(forgotten) {
			history[n].Content, did = forgotten, true
		}
	}
	return did
}

// use is one call of a tool. It goes on when the answer that it is for is
// interrupted: what it came to is in the history then.
type use struct {
	round   *round
	call    dialogue.ToolCall
	tool    tool.Definition
	begun   time.Time // zero: not started
	outcome *tool.Outcome
	same    *use // was called before and has not ended: this one awaits its outcome
}

// ran is the news of a use's end.
type ran struct {
	use     *use
	outcome tool.Outcome
}

// keptUse is a tool that was run, so that it is not run again.
type keptUse struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Ended     bool            `json:"ended"`
	Answer    string          `json:"answer,omitempty"`
}

// uses are the calls of tools in a conversation.
type uses struct {
	rounds []*round // those that have not all ended
	ended  chan ran
	late   bool      // results have come that no answer waited for
	kept   []keptUse // for a session that takes the call over
	forgot bool      // old results have been forgotten
}

// running is an earlier call of the same tool with the same arguments that has
// not ended, or nil: of the same answer, or of one that was interrupted.
func (s *uses) running(call dialogue.ToolCall) *use {
	for _, r := range s.rounds {
		for _, u := range r.uses {
			if u.outcome == nil && u.same == nil && u.call.Name == call.Name && template.Same(u.call.Arguments, call.Arguments) {
				return u
			}
		}
	}
	return nil
}

// awaited reports whether another call waits for a use's outcome.
func (s *uses) awaited(u *use) bool {
	return slices.ContainsFunc(s.rounds, func(r *round) bool {
		return slices.ContainsFunc(r.uses, func(other *use) bool { return other.same == u })
	})
}

// of is the round of an answer, or nil.
func (s *uses) of(a *answer) *round {
	n := slices.IndexFunc(s.rounds, func(r *round) bool { return r.answer == a })
	if n < 0 {
		return nil
	}
	return s.rounds[n]
}

// unfinished are those that have begun and not ended.
func (s *uses) unfinished() (found []*use) {
	for _, r := range s.rounds {
		for _, u := range r.uses {
			if u.outcome == nil && !u.begun.IsZero() {
				found = append(found, u)
			}
		}
	}
	return found
}

// end gives a use its outcome, and those that awaited it.
func (s *uses) end(n ran) {
	n.use.outcome = &n.outcome
	for _, r := range s.rounds {
		for _, u := range r.uses {
			if u.same == n.use { // the effects are the other's; what is to follow is for who waits
				u.outcome = &tool.Outcome{Answer: n.outcome.Answer, Next: n.outcome.Next}
			}
		}
	}
	s.noteEnd(n.use.call, n.outcome.Answer)
}

// drop forgets a round that has ended.
func (s *uses) drop(r *round) {
	s.rounds = slices.DeleteFunc(s.rounds, func(other *round) bool { return other == r })
}

// note remembers a tool that begins, and noteEnd how it ended.
func (s *uses) note(call dialogue.ToolCall) {
	s.kept = append(s.kept[max(0, len(s.kept)-maxKeptUses+1):], keptUse{Name: call.Name, Arguments: keptInput(call)})
}

func keptInput(call dialogue.ToolCall) json.RawMessage {
	if len(call.Arguments) > maxKeptInput || !json.Valid(call.Arguments) {
		return json.RawMessage("{}")
	}
	return call.Arguments
}

func (s *uses) noteEnd(call dialogue.ToolCall, answer string) {
	for n, u := range slices.Backward(s.kept) {
		if u.Name == call.Name && !u.Ended && template.Same(u.Arguments, keptInput(call)) {
			if len(answer) > maxKeptAnswer {
				answer = strings.ToValidUTF8(answer[:maxKeptAnswer], "")
			}
			s.kept[n].Ended, s.kept[n].Answer = true, answer
			return
		}
	}
}
