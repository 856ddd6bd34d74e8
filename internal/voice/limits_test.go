package voice

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/voice/generation"
	"parley/internal/voice/turn"
)

// promptSize counts the characters of a prompt's messages.
func promptSize(p dialogue.Prompt) (n int) {
	for _, m := range p.Messages {
		n += utf8.RuneCountInString(m.Content)
	}
	return n
}

// named reports whether a warning or error of the call names a limit; each limit is named once.
func (s *scenario) named(limit string) bool {
	s.Helper()
	n := 0
	for _, p := range s.journal.problems {
		if strings.Contains(p.Message, "(limit "+limit+")") {
			n++
		}
	}
	if n > 1 {
		s.Errorf("the error log names %s %d times", limit, n)
	}
	return n == 1
}

// typeTexts sends texts of the caller at an interval.
func (s *scenario) typeTexts(text string, n int, every time.Duration) {
	for range n {
		select {
		case s.line.typed <- text:
		case <-s.ended:
			return
		}
		s.wait(every)
	}
}

// A caller who writes 20 texts of 8 kB a second has the model asked at the rate of the limits, with short prompts, and the call goes on.
func TestTextsAreLimited(t *testing.T) {
	perform(t, func(s *scenario) { s.line.typed = make(chan string) }, func(s *scenario) {
		s.wait(2 * time.Second)
		s.typeTexts(strings.Repeat("spend it", 1000), 20*60, 50*ms)
		s.wait(5 * time.Second)
		s.typeTexts("are you there", 1, 5*time.Second)
	}, func(s *scenario) {
		asked := s.model.asked()
		total, longest := 0, 0
		for _, p := range asked {
			total, longest = total+promptSize(p), max(longest, promptSize(p))
		}
		s.Logf("%d requests, %d characters, the longest prompt %d", len(asked), total, longest)
		if len(asked) > 2*(10+30+1) {
			s.Errorf("the model was asked %d times in a minute", len(asked))
		}
		if longest > DefaultLimits.HistoryCharacters+turn.MaxText+1000 {
			s.Errorf("a prompt has %d characters", longest)
		}
		if !s.named("texts_per_minute") || !s.named("text_characters") || !s.named("history_characters") {
			s.Errorf("the error log: %v", s.journal.problems)
		}
		if last := s.journal.lines[len(s.journal.lines)-2:]; last[0] != "user: are you there" || !strings.HasPrefix(last[1], "assistant: ") {
			s.Errorf("the call does not go on: %v", last)
		}
	})
}

// Texts that arrive in one turn are joined up to the limit of a turn.
func TestTurnIsLimited(t *testing.T) {
	perform(t, func(s *scenario) { s.line.typed = make(chan string) }, func(s *scenario) {
		s.wait(2 * time.Second)
		s.typeTexts(strings.Repeat("word ", 700), 5, 20*ms)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		for _, e := range s.journal.entries {
			if n := utf8.RuneCountInString(e.Text); n > turn.MaxText {
				s.Errorf("a turn has %d characters", n)
			}
		}
		if !s.named("turn_characters") {
			s.Errorf("the error log: %v", s.journal.problems)
		}
	})
}

// A caller who murmurs forever, with pauses that end no turn, has few answers generated that are never spoken.
func TestPreemptiveAnswersAreLimited(t *testing.T) {
	perform(t, nil, func(s *scenario) {
		s.wait(2 * time.Second)
		for n := range 60 {
			s.say(fmt.Sprintf("and number %d and", n), 400*ms) // looks unfinished
			s.wait(1100 * ms)
		}
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		if n := len(s.model.asked()); n < 2 || n > DefaultLimits.Preemptive+1 {
			s.Errorf("the model was asked %d times in one turn, want %d at most", n, DefaultLimits.Preemptive+1)
		}
		if n := len(s.journal.turns); n != 1 {
			s.Errorf("%d turns, want 1", n)
		}
		if last := s.journal.lines[len(s.journal.lines)-1]; last != "assistant: We open at nine." {
			s.Errorf("the turn was not answered: %s", last)
		}
	})
}

// A conversation over the limit is sent to the model without its oldest turns; the system prompt and the newest turns stay.
func TestHistoryIsLimited(t *testing.T) {
	most := 2000
	perform(t, func(s *scenario) {
		s.line.typed = make(chan string)
		c := config("Hello there.")
		c.LLM.HistoryCharacters = &most
		s.options.Plan.Agents["anna"] = c
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		for n := range 20 {
			s.typeTexts(fmt.Sprintf("turn %d: %s", n, strings.Repeat("blah ", 50)), 1, 4*time.Second)
		}
	}, func(s *scenario) {
		asked := s.model.asked()
		last := asked[len(asked)-1]
		if n := promptSize(last); n > most+500 { // with the caller's last words and the note
			s.Errorf("the last prompt has %d characters", n)
		}
		first := last.Messages[0]
		if last.System != "You are kind." || first.Role != dialogue.RoleSystem || !strings.Contains(first.Content, "left out") || last.Messages[1].Role != dialogue.RoleUser {
			s.Errorf("the last prompt begins with %q, %+v, %+v", last.System, first, last.Messages[1])
		}
		if !strings.HasPrefix(lastUser(last), "turn 19") || !s.named("history_characters") {
			s.Errorf("the last prompt is to %.20s; the error log: %v", lastUser(last), s.journal.problems)
		}
	})
}

// A call that has made all its requests to the model ends with an apology, and the error log names the limit.
func TestRequestsOfACallAreLimited(t *testing.T) {
	perform(t, func(s *scenario) {
		limits := DefaultLimits
		limits.Requests = 3
		s.options.Limits = &limits
		s.line.typed = make(chan string)
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.typeTexts("again", 5, 4*time.Second)
		s.waitEnd(ProviderError)
	}, func(s *scenario) {
		if n := len(s.model.asked()); n != 3 || !s.named("model_requests") {
			s.Errorf("the model was asked %d times; the error log: %v", n, s.journal.problems)
		}
		if last := s.journal.lines[len(s.journal.lines)-1]; last != "assistant: "+apology {
			s.Errorf("the last words: %s", last)
		}
	})
}

// Requests beyond the rate wait: answers come later, and none is lost.
func TestRequestsWaitForTheirRate(t *testing.T) {
	perform(t, func(s *scenario) {
		limits := DefaultLimits
		limits.RequestsPerMinute, limits.RequestsAtOnce = 6, 1
		s.options.Limits = &limits
		s.line.typed = make(chan string)
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.typeTexts("again", 3, 8*time.Second)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		if n := len(s.journal.turns); n != 3 || !s.named("model_requests_per_minute") {
			s.Errorf("%d of 3 turns are answered: %v; the error log: %v", n, s.journal.lines, s.journal.problems)
		}
	})
}

// A model that calls a hundred tools together, in every round, has a few of them run.
func TestToolCallsAreLimited(t *testing.T) {
	perform(t, func(s *scenario) {
		equip(map[string]tool.Definition{"look": does(respond("Seen."))}, nil, nil)(s)
		limits := DefaultLimits
		limits.ToolCalls = 20
		s.options.Limits = &limits
		many := make([]step, 100)
		for n := range many {
			many[n] = step{call: "look", args: fmt.Sprintf(`{"v":"%d"}`, n)}
		}
		s.model.reply = func(p dialogue.Prompt) []step { return many }
	}, func(s *scenario) {
		s.question("look it up")
		s.wait(30 * time.Second)
	}, func(s *scenario) {
		if s.tools.ran != 20 || !s.named("round_calls") || !s.named("tool_calls") {
			s.Errorf("%d tools ran; the error log: %v", s.tools.ran, s.journal.problems)
		}
	})
}

// Two agents that hand a caller, who speaks in between, to each other forever stop after the most handoffs of a call.
func TestHandoffsOfACallAreLimited(t *testing.T) {
	perform(t, func(s *scenario) {
		s.line.typed = make(chan string)
		s.options.Limits = &Limits{Limits: generation.Limits{}}
		anna, bert := config("Hello there."), config("I am Bert.")
		anna.Handoffs, bert.Handoffs = []agent.Handoff{{TargetAgent: "bert"}}, []agent.Handoff{{TargetAgent: "anna"}}
		s.options.Plan.Agents["anna"], s.options.Plan.Agents["bert"] = anna, bert
		s.model.reply = func(p dialogue.Prompt) []step {
			for _, function := range p.Tools {
				if strings.HasPrefix(function.Name, "handoff_to_") {
					return []step{{text: "Wait."}, {call: function.Name}}
				}
			}
			return []step{{text: "I stay."}}
		}
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.typeTexts("next", 110, 4*time.Second)
	}, func(s *scenario) {
		if n := len(s.journal.changes); n != 100 || !s.named("handoffs") {
			s.Errorf("%d handoffs; the error log: %v", n, s.journal.problems)
		}
		if last := s.journal.lines[len(s.journal.lines)-1]; last != "assistant: I stay." {
			s.Errorf("the last words: %s", last)
		}
	})
}
