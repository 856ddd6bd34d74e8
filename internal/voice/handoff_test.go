package voice

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
)

// sales adds an agent with another voice and another pace to the plan.
func sales(s *scenario) {
	first := s.options.Plan.Agents["anna"]
	first.Handoffs = []agent.Handoff{{TargetAgent: "bert"}}
	second := config("Bert here.")
	second.Prompt.System = "You sell."
	second.TTS.VoiceID = "bert"
	second.Turn = []byte(`{"endpoint_default_ms": 900}`)
	s.options.Plan.Agents = map[string]agent.Config{"anna": first, "bert": second}
	s.model.reply = func(p dialogue.Prompt) []step {
		if p.System == "You sell." {
			return []step{{after: 10 * ms, text: "Sold."}}
		}
		return []step{{after: 10 * ms, text: "One moment."}, {call: "handoff_to_bert"}}
	}
}

func TestHandoff(t *testing.T) {
	t.Run("the new agent greets", func(t *testing.T) {
		perform(t, sales, func(s *scenario) {
			s.question("I want to buy")
			s.wait(4 * time.Second)
			s.say("a car", 500*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: I want to buy", "assistant: One moment.", "anna calls handoff_to_bert",
				"assistant: Bert here.", "user: a car", "assistant: Sold.")
			if diff := cmp.Diff([]string{"anna → bert"}, s.journal.changes); diff != "" {
				s.Error(diff)
			}
			var voices []string
			for _, o := range s.synthesizer.opened {
				voices = append(voices, o.VoiceID)
			}
			if diff := cmp.Diff([]string{"anna", "bert"}, voices); diff != "" {
				s.Error(diff)
			}
			if s.recognizer.opened != 1 {
				s.Errorf("the recogniser, which stays the same, was opened %d times", s.recognizer.opened)
			}
			if turns := s.journal.turns; len(turns) != 2 || turns[1].Agent != "bert" || turns[1].Endpointing != 900*ms {
				s.Errorf("turns are %+v", turns)
			}
		})
	})
	t.Run("its providers cannot be used", func(t *testing.T) {
		perform(t, func(s *scenario) {
			sales(s)
			bert := s.options.Plan.Agents["bert"]
			bert.TTS.Provider = "gone"
			s.options.Plan.Agents["bert"] = bert
			s.missing["gone"] = true
		}, func(s *scenario) {
			s.question("I want to buy")
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			if p := s.journal.problems; len(p) != 1 || p[0].Service != TTS || p[0].Agent != "bert" || !strings.Contains(p[0].Message, "no key") {
				s.Errorf("problems are %+v", p)
			}
		})
	})
}

// Agents that send callers to each other stop when the caller says nothing, and
// may do so again when they do.
func TestHandoffsToAndFro(t *testing.T) {
	tools := map[string]tool.Definition{"pass_on": does(tool.Action{Type: tool.Handoff, TargetAgent: "anna"})}
	perform(t, func(s *scenario) {
		sales(s)
		equip(tools, nil, nil)(s)
		bert := s.options.Plan.Agents["bert"]
		bert.Prompt.Greeting, bert.Handoffs = "", []agent.Handoff{{TargetAgent: "anna"}}
		anna := s.options.Plan.Agents["anna"]
		anna.Prompt.Greeting, anna.Tools = "", nil
		s.options.Plan.Agents = map[string]agent.Config{"anna": anna, "bert": bert}
		s.model.reply = func(p dialogue.Prompt) []step {
			last := p.Messages[len(p.Messages)-1]
			for _, f := range p.Tools {
				if strings.HasPrefix(f.Name, "handoff_to_") {
					return []step{{after: 10 * ms, call: f.Name}}
				}
				if last.Role != dialogue.RoleTool && f.Name == "pass_on" {
					return []step{{after: 10 * ms, call: f.Name}}
				}
			}
			return []step{{after: 10 * ms, text: "I stay: " + last.Content}}
		}
	}, func(s *scenario) {
		s.wait(5 * time.Second)
		s.say("hello", 500*ms)
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		if n := len(s.journal.changes); n != 2*routing.MaxHandoffs {
			s.Errorf("handed over %d times: %v", n, s.journal.changes)
		}
		const warning = "warning workflow the call was handed over 5 times without a word of the caller; no agent can hand it over until they speak"
		s.wantProblems(warning, "warning tool tool pass_on: a handoff to anna is not possible here", warning)
		for _, line := range []string{"assistant: I stay: Done. a handoff to anna is not possible here", "user: hello"} {
			if !slices.Contains(s.journal.lines, line) {
				s.Errorf("transcript lacks %q: %q", line, s.journal.lines)
			}
		}
	})
}

// The providers of the next agent may take their time: the call is heard
// meanwhile.
func TestSlowHandoff(t *testing.T) {
	slow := func(d time.Duration) func(*scenario) {
		return func(s *scenario) { sales(s); s.synthesizer.slow = d }
	}
	t.Run("the caller speaks meanwhile", func(t *testing.T) {
		perform(t, slow(4*time.Second), func(s *scenario) {
			s.question("I want to buy")
			s.wait(2 * time.Second)
			s.say("a car", 500*ms)
			s.wait(10 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: I want to buy", "assistant: One moment.", "anna calls handoff_to_bert",
				"user: a car", "assistant: Sold.")
		})
	})
	for name, tc := range map[string]struct {
		said string
		want []string
	}{
		"the caller coughs as they come": {"", []string{"assistant: Bert here."}},
		"the caller begins as they come": {"a car", []string{"user: a car", "assistant: Sold."}},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, slow(4*time.Second), func(s *scenario) {
				s.question("I want to buy")
				s.wait(4800 * ms) // they come 200 ms later
				s.say(tc.said, 500*ms)
				s.wait(5 * time.Second)
			}, func(s *scenario) {
				s.wantLines(append([]string{"assistant: Hello there.", "user: I want to buy", "assistant: One moment.", "anna calls handoff_to_bert"}, tc.want...)...)
			})
		})
	}
	t.Run("the caller hangs up meanwhile", func(t *testing.T) {
		perform(t, slow(4*time.Second), func(s *scenario) {
			s.question("I want to buy")
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			if len(s.journal.changes) != 1 || len(s.journal.problems) != 0 {
				s.Errorf("changes %v, problems %v", s.journal.changes, s.journal.problems)
			}
		})
	})
	t.Run("the recogniser breaks meanwhile", func(t *testing.T) {
		perform(t, slow(4*time.Second), func(s *scenario) {
			s.question("I want to buy")
			s.wait(3 * time.Second)
			s.recognizer.snap(dialogue.NewError("connection reset"))
			s.wait(5 * time.Second)
			s.say("a car", 500*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantProblems("warning stt recognizer: connection reset")
			s.wantLines("assistant: Hello there.", "user: I want to buy", "assistant: One moment.", "anna calls handoff_to_bert",
				"assistant: Bert here.", "user: a car", "assistant: Sold.")
		})
	})
	t.Run("the recogniser fails meanwhile", func(t *testing.T) {
		perform(t, slow(4*time.Second), func(s *scenario) {
			s.question("I want to buy")
			s.wait(3 * time.Second)
			s.recognizer.snap(errKey)
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: I want to buy", "assistant: One moment.", "anna calls handoff_to_bert", "assistant: "+apology)
			s.wantProblems("error stt recognizer: " + errKey.Error())
		})
	})
	t.Run("they hang", func(t *testing.T) {
		perform(t, slow(time.Hour), func(s *scenario) {
			s.question("I want to buy")
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			if p := s.journal.problems; len(p) != 1 || p[0].Service != TTS || !strings.Contains(p[0].Message, providers.TimeoutError(providers.StallTimeout(false)).Error()) {
				s.Errorf("problems are %+v", p)
			}
		})
	})
}
