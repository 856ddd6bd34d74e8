package voice

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/transfer"
)

// hiding has an agent keep values from models, with a fallback.
func hiding(s *scenario) {
	for name, c := range s.options.Plan.Agents {
		c.Redaction.BeforeModel = true
		c.LLM.Fallback = &agent.LLMFallback{Provider: "brain2", Model: "b2"}
		s.options.Plan.Agents[name] = c
	}
}

// wantHidden checks that no prompt has one of the values.
func (s *scenario) wantHidden(values ...string) {
	s.Helper()
	for n, p := range append(s.model.asked(), s.brain2.asked()...) {
		encoded, _ := json.Marshal(p)
		for _, value := range values {
			if strings.Contains(string(encoded), value) {
				s.Errorf("prompt %d has %s: %s", n, value, encoded)
			}
		}
	}
}

// Models get placeholders; tools and the voice get what they stand for. That holds for an answer generated before the turn is over, for
// retries, the fallback, results of tools, and after an interruption.
func TestBeforeModel(t *testing.T) {
	pay := map[string]tool.Definition{"pay": does(respond("paid with {{params.v}}"))}
	perform(t, with(equip(pay, map[string]time.Duration{"pay": 300 * ms}, nil), hiding, func(s *scenario) {
		failed := false
		s.model.reply = func(p dialogue.Prompt) []step {
			switch last := p.Messages[len(p.Messages)-1]; {
			case last.Content == "paid with [card_1]":
				return []step{{after: 100 * ms, text: "Your card [card_1] is charged. That was all that there is to say about the charge of it."}}
			case strings.Contains(last.Content, "[card_1]") && !failed:
				failed = true
				return []step{{after: 100 * ms, err: dialogue.NewError("overloaded")}}
			case strings.Contains(last.Content, "[card_1]"):
				return []step{{after: 100 * ms, call: "pay", args: `{"v":"[card_1]"}`}}
			case strings.Contains(last.Content, "[phone_1]"):
				return []step{{after: 100 * ms, err: errKey}}
			}
			return says("Yes?")
		}
		s.brain2.reply = func(p dialogue.Prompt) []step { return says("I call " + lastUser(p)[len("call "):] + ".") }
	}), func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("", 2*time.Second)
		s.wait(time.Second)
		s.recognizer.hear(dialogue.Transcript{Text: "my card is 4242 4242", Final: true})
		s.wait(500 * ms)
		s.recognizer.hear(dialogue.Transcript{Text: "4242 4242", Final: true, EndOfTurn: true})
		s.wait(5 * time.Second)
		s.say("call 030 1234567", 1500*ms) // interrupts
		s.wait(8 * time.Second)
	}, func(s *scenario) {
		s.wantHidden("4242", "1234567")
		spoken := strings.Join(s.synthesizer.said, " ")
		for _, want := range []string{"Your card 4242 4242 4242 4242 is charged.", "I call 030 1234567."} {
			if !strings.Contains(spoken, want) {
				s.Errorf("the voice has not said %q: %q", want, s.synthesizer.said)
			}
		}
		lines := strings.Join(s.journal.lines, "\n")
		for _, want := range []string{"Your card [card_1]", "user: my card is 4242 4242 4242 4242", "assistant: I call [phone_1]."} {
			if !strings.Contains(lines, want) {
				s.Errorf("no %q in the transcript:\n%s", want, lines)
			}
		}
	})
}

// Words that may be the beginning of a value are not sent before the turn is over.
func TestBeforeModelAwaitsTheTurn(t *testing.T) {
	for words, want := range map[string]int{"write to john at example": 1, "I want": 2} {
		perform(t, with(hiding, replying(step{after: 100 * ms, text: "I do."})), func(s *scenario) {
			s.question(words)
			s.wait(450 * ms)
			s.say("dot com", 600*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantHidden("john")
			if n := len(s.model.asked()); n != want {
				s.Errorf("%s: the model was asked %d times, want %d", words, n, want)
			}
		})
	}
}

// A number that was said in two turns is not sent once it is whole; another agent, and the worker that takes the call over, keep the values.
func TestBeforeModelHoldsOn(t *testing.T) {
	var kept json.RawMessage
	pay := map[string]tool.Definition{"pay": does(respond("paid with {{params.v}}"))}
	script := func(s *scenario) {
		s.model.reply = func(p dialogue.Prompt) []step {
			if last := lastUser(p); strings.HasPrefix(last, "pay") {
				if p.Messages[len(p.Messages)-1].Role == dialogue.RoleTool {
					return says("Done.")
				}
				return []step{{after: 100 * ms, call: "pay", args: `{"v":"[card_1]"}`}}
			}
			return says("Go on.")
		}
	}
	perform(t, with(two, hiding, equip(pay, nil, nil), script, func(s *scenario) {
		bert := s.options.Plan.Agents["bert"]
		bert.Redaction = agent.Redaction{}
		s.options.Plan.Agents["bert"] = bert
		s.options.SaveSnapshot = func(snapshot json.RawMessage) <-chan struct{} { kept = snapshot; return saved }
	}), func(s *scenario) {
		s.question("5555 5555")
		s.wait(3 * time.Second)
		s.say("5555 4444", 1500*ms)
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		s.wantHidden("4444")
		asked := s.model.asked()
		if got := fmt.Sprint(messages(asked[len(asked)-1])); !strings.Contains(got, "user: [card_1]") || strings.Contains(got, "5555") {
			s.Errorf("the last prompt is %s", got)
		}
	})
	perform(t, with(two, hiding, equip(pay, nil, nil), script, func(s *scenario) {
		bert := s.options.Plan.Agents["bert"]
		bert.Redaction = agent.Redaction{}
		s.options.Plan.Agents["bert"] = bert
		s.options.History = []dialogue.Message{{Role: dialogue.RoleUser, Content: "[card]"}} // as it was stored
		s.options.ResumeAgent, s.options.Snapshot = "bert", kept
	}), func(s *scenario) {
		s.wait(3 * time.Second)
		s.say("pay, and call 030 1234567", 1500*ms)
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		s.wantHidden("5555", "1234567")
		if len(s.tools.log) == 0 {
			s.Error("no tool ran")
		}
		for _, e := range s.journal.entries {
			if e.Tool != nil && e.Answer != "paid with 5555 5555 5555 4444" {
				s.Errorf("the tool has answered %q", e.Answer)
			}
		}
	})
}

// The summary for a person is made without the values, and has them.
func TestBeforeModelInSummaries(t *testing.T) {
	ten := 10
	persons := &fakePersons{answers: []personAnswer{{after: time.Second, talks: 700 * ms}}}
	perform(t, with(handingOver(persons, tool.Connection{Mode: transfer.Consult, AcceptSeconds: &ten}), hiding, func(s *scenario) {
		reply := s.model.reply
		s.model.reply = func(p dialogue.Prompt) []step {
			if strings.Contains(p.System, "A colleague takes over") {
				return says("Ada's number is " + p.Messages[0].Content[len("call "):] + ".")
			}
			return reply(p)
		}
		s.options.Plan.Agents["anna"] = func() agent.Config { c := s.options.Plan.Agents["anna"]; c.Prompt.Greeting = ""; return c }()
		s.options.GreetingWaits = true
	}), func(s *scenario) {
		s.say("call 030 1234567", 1500*ms)
		s.wait(4 * time.Second)
		s.say("a person", 1000*ms)
		s.wait(15 * time.Second)
	}, func(s *scenario) {
		s.wantHidden("1234567")
		if last := s.journal.transfers[len(s.journal.transfers)-1]; last.Summary != "" && last.Summary != "Ada's number is 030 1234567." {
			s.Errorf("the summary is %q", last.Summary)
		}
		if spoken := strings.Join(s.synthesizer.said, " "); !strings.Contains(spoken, "Ada's number is 030 1234567.") {
			s.Errorf("the person has heard %q", spoken)
		}
	})
}
