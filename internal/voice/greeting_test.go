package voice

import (
	"strings"
	"testing"
	"time"

	"parley/internal/agent"
)

// A greeting that waits answers the caller's first words, by voice or typed; without a fixed text the model answers them.
func TestGreetingWaits(t *testing.T) {
	waits := func(s *scenario) {
		replying(step{after: 10 * ms, text: "We open at nine."})(s)
		s.options.GreetingWaits = true
	}
	t.Run("for words", func(t *testing.T) {
		perform(t, waits, func(s *scenario) {
			s.wait(4 * time.Second)
			if heard := len(s.line.heard()); heard != 0 {
				s.Errorf("the agent speaks before the caller: %d frames", heard)
			}
			s.say("hello", 600*ms)
			s.wait(5 * time.Second)
			s.say("when do you open", 1000*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantProblems()
			s.wantLines("user: hello", "assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
			if asked := s.model.asked(); len(asked) != 1 || lastUser(asked[0]) != "when do you open" {
				s.Errorf("asked the model %d times, want for the second turn only", len(asked))
			}
		})
	})
	t.Run("for typed words", func(t *testing.T) {
		perform(t, func(s *scenario) { waits(s); s.line.typed = make(chan string, 1) }, func(s *scenario) {
			s.wait(time.Second)
			s.line.typed <- "hello"
			s.wait(5 * time.Second)
		}, func(s *scenario) { s.wantLines("user: hello", "assistant: Hello there.") })
	})
	t.Run("not for ever", func(t *testing.T) {
		perform(t, waits, func(s *scenario) {
			s.wait(firstWordsWait - 200*ms)
			if heard := len(s.line.heard()); heard != 0 {
				s.Errorf("the agent speaks too early: %d frames", heard)
			}
			s.wait(4 * time.Second)
		}, func(s *scenario) { s.wantLines("assistant: Hello there.") })
	})
	t.Run("without a text", func(t *testing.T) {
		perform(t, func(s *scenario) {
			waits(s)
			config := s.options.Plan.Agents["anna"]
			config.Prompt.Greeting = ""
			s.options.Plan.Agents["anna"] = config
		}, func(s *scenario) {
			s.wait(time.Second)
			s.say("hello", 600*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) { s.wantLines("user: hello", "assistant: We open at nine.") })
	})
}

// The call's own greeting, a template, replaces that of the agent and of the user context.
func TestGreetingOfACall(t *testing.T) {
	perform(t, func(s *scenario) {
		s.options.UserContext = map[string]any{"name": "Ann", "greeting": "Good day."}
		s.options.Greeting = "Hello {{user.name}}, it is about {{user.matter | 'your order'}}."
	}, func(s *scenario) { s.wait(5 * time.Second) }, func(s *scenario) {
		s.wantLines("assistant: Hello Ann, it is about your order.")
	})
}

// A greeting that cannot be interrupted is played to its end. What the caller says meanwhile is not heard; what they type, and keys, are
// answered after it.
func TestGreetingThatCannotBeInterrupted(t *testing.T) {
	const long = "Hello there. This call is recorded, as the law of our country wants it, and as we always do."
	setUp := func(settings string) func(*scenario) {
		return func(s *scenario) {
			withKeys(agent.DTMF{})(s)
			withTurn(s, settings)
			replying(step{after: 10 * ms, text: "We open at nine."})(s)
			s.line.typed = make(chan string, 1)
			s.options.Greeting = long
		}
	}
	speak := func(s *scenario) { s.say("when do you open", 1000*ms) }
	for _, tc := range []struct {
		name, settings string
		act            func(*scenario)
		want           []string
	}{
		{"speech", `{"greeting_interruptible": false}`, speak, []string{"assistant: " + long}},
		{"keys", `{"greeting_interruptible": false}`, func(s *scenario) { s.press("12#") }, []string{"assistant: " + long, "user: 12", "assistant: We open at nine."}},
		{"typed", `{"greeting_interruptible": false}`, func(s *scenario) { s.line.typed <- "hours?" }, []string{"assistant: " + long, "user: hours?", "assistant: We open at nine."}},
		{"interruptible", `{"greeting_interruptible": true}`, speak, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			perform(t, setUp(tc.settings), func(s *scenario) {
				s.wait(400 * ms) // the greeting has begun
				tc.act(s)
				s.wait(9 * time.Second)
			}, func(s *scenario) {
				if tc.want != nil {
					s.wantLines(tc.want...)
					return
				}
				if lines := s.journal.lines; len(lines) < 3 || strings.Contains(lines[0], long) {
					s.Errorf("the greeting was not interrupted: %q", lines)
				}
			})
		})
	}
	t.Run("the next answer", func(t *testing.T) {
		perform(t, setUp(`{"greeting_interruptible": false}`), func(s *scenario) {
			s.wait(8 * time.Second)
			speak(s)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: "+long, "user: when do you open", "assistant: We open at nine.")
		})
	})
}
