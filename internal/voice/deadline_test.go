package voice

import (
	"testing"
	"time"
)

// longestSilence is the longest time after a moment in which the agent was not audible.
func (s *scenario) longestSilence(after time.Time) (longest time.Duration) {
	last := after
	for _, frame := range s.line.heard() {
		if frame.at.After(after) {
			longest = max(longest, frame.at.Sub(last))
			last = frame.at
		}
	}
	return longest
}

func TestAnswerDeadline(t *testing.T) {
	for name, tc := range map[string]struct {
		turn     string
		reply    []step
		want     string
		problems []string
	}{
		"a slow model":                   {`{}`, []step{{after: 8 * time.Second, text: "At nine."}}, wait + " At nine.", []string{late}},
		"a slower one":                   {`{"answer_deadline_ms": 2000}`, []step{{after: 8 * time.Second, text: "At nine."}}, wait + " " + longer + " At nine.", []string{late}},
		"in time":                        {`{"budget_ms": 0}`, []step{{after: 5 * time.Second, text: "At nine."}}, "At nine.", nil},
		"never":                          {`{"answer_deadline_ms": 0, "budget_ms": 0}`, []step{{after: 8 * time.Second, text: "At nine."}}, "At nine.", nil},
		"in the midst of it":             {`{"answer_deadline_ms": 2000}`, []step{{text: "We open. "}, {after: 3900 * ms, text: "At nine."}}, "We open. " + wait + " At nine.", nil},
		"and then the model has nothing": {`{"answer_deadline_ms": 2000}`, []step{{after: 4 * time.Second}}, wait + " " + longer + " " + pardon, []string{late, "warning llm model: answered with nothing"}},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, with(replying(tc.reply...), func(s *scenario) {
				anna := s.options.Plan.Agents["anna"]
				anna.Turn = []byte(tc.turn)
				s.options.Plan.Agents["anna"] = anna
			}), func(s *scenario) {
				s.question("when do you open")
				s.wait(14 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+tc.want)
				s.wantProblems(tc.problems...)
			})
		})
	}
}

// A voice that gives no audio cannot say anything meanwhile: the error log has the cause, and the text is not said later.
func TestAnswerDeadlineOfVoice(t *testing.T) {
	perform(t, func(s *scenario) {
		anna := s.options.Plan.Agents["anna"]
		anna.Turn = []byte(`{"answer_deadline_ms": 2000, "budget_ms": 0}`)
		s.options.Plan.Agents["anna"] = anna
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.synthesizer.mu.Lock()
		s.synthesizer.delay = 5 * time.Second
		s.synthesizer.mu.Unlock()
		s.say("when do you open", 1000*ms)
		s.wait(12 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		s.wantProblems("warning tts the caller has heard no answer by the answer deadline; text to speech had given no audio yet")
	})
}

// A model without a fallback that hangs: the caller hears something every few seconds until the call ends.
func TestHangingModelIsNoSilence(t *testing.T) {
	var asked time.Time
	perform(t, replying(step{after: time.Hour}), func(s *scenario) {
		s.wait(2 * time.Second)
		asked = time.Now().Add(1000 * ms)
		s.say("when do you open", 1000*ms)
		s.waitEnd(ProviderError)
	}, func(s *scenario) {
		if got := s.longestSilence(asked); got > 8*time.Second {
			s.Errorf("the caller heard nothing for %v", got)
		}
	})
}

// What a model sends while it forms a call of a function is no stall.
func TestFormingACallIsNoStall(t *testing.T) {
	steps := []step{{after: 10 * ms, text: "Goodbye."}}
	for range 5 {
		steps = append(steps, step{after: time.Second})
	}
	perform(t, with(fallbacks, replying(append(steps, step{call: "end_call"})...)), func(s *scenario) {
		s.question("goodbye")
		s.waitEnd(AgentEnded)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: goodbye", "assistant: Goodbye.", "anna calls end_call")
		s.wantProblems()
	})
}
