package voice

import (
	"slices"
	"testing"
	"time"

	"parley/internal/control"
)

// A call that has cost as much as it may ends after what the agent is saying, and a sentence.
func TestACallThatHasCostEnough(t *testing.T) {
	end := budgetText.defaults["en"]
	spent := func(s *scenario) chan struct{} {
		c := make(chan struct{})
		s.options.Spent = c
		return c
	}
	var c chan struct{}
	t.Run("while nobody speaks", func(t *testing.T) {
		perform(t, func(s *scenario) { c = spent(s) }, func(s *scenario) {
			s.wait(5 * time.Second)
			close(c)
			s.waitEnd(Budget)
		}, func(s *scenario) { s.wantLines("assistant: Hello there.", "assistant: "+end) })
	})
	t.Run("while the agent speaks", func(t *testing.T) {
		perform(t, func(s *scenario) { c = spent(s) }, func(s *scenario) {
			s.wait(100 * ms)
			close(c)
			s.waitEnd(Budget)
		}, func(s *scenario) { s.wantLines("assistant: Hello there.", "assistant: "+end) })
	})
	t.Run("while the model hangs", func(t *testing.T) {
		perform(t, func(s *scenario) {
			c = spent(s)
			replying(step{after: time.Minute, text: "We open at nine."})(s)
			s.options.Plan.Agents["anna"] = config("Hello there.")
		}, func(s *scenario) {
			s.wait(3 * time.Second)
			s.say("when do you open", time.Second)
			s.wait(1200 * ms)
			close(c)
			s.waitEnd(Budget)
		}, func(s *scenario) {
			if !slices.Contains(s.journal.lines, "assistant: "+end) {
				s.Errorf("%v", s.journal.lines)
			}
		})
	})
	t.Run("while an operator has the call", func(t *testing.T) {
		persons := &fakePersons{answers: []personAnswer{{after: 300 * ms}}}
		perform(t, func(s *scenario) { operatedBy(persons)(s); c = spent(s) }, func(s *scenario) {
			s.wait(2 * time.Second)
			s.control(control.Request{Kind: control.TakeOver})
			s.wait(3 * time.Second)
			close(c)
			s.waitEnd(Budget)
		}, func(s *scenario) { s.wantLines("assistant: Hello there.") })
	})
	t.Run("on hold", func(t *testing.T) {
		perform(t, func(s *scenario) { c, s.options.Held = spent(s), true }, func(s *scenario) {
			s.wait(5 * time.Second)
			close(c)
			s.waitEnd(Budget)
		}, func(s *scenario) {
			if s.end != Budget {
				s.Errorf("ended with %q", s.end)
			}
		})
	})
}
