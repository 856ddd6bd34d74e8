package voice

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/control"
	"parley/internal/dialogue"
	"parley/internal/transfer"
)

// operatedBy gives a scenario operators, who join as the answers say.
func operatedBy(persons *fakePersons) func(*scenario) {
	return with(controlled, func(s *scenario) {
		s.options.Persons = persons
		s.model.reply = func(p dialogue.Prompt) []step {
			switch last := p.Messages[len(p.Messages)-1].Content; {
			case last == operatorNote:
				return says("I am back.")
			case strings.Contains(last, "when do you open"):
				return says("We open at nine.")
			}
			return says("Pardon?")
		}
	})
}

func (s *scenario) wantOperators(persons *fakePersons, want ...string) {
	s.Helper()
	if got := persons.happened(); !slices.Equal(got, want) {
		s.Errorf("the persons' events are %q, want %q", got, want)
	}
}

// An operator takes the call over when their microphone is heard: until then the agent answers. It writes down what the caller says, and goes on
// when the operator has left.
func TestOperatorTakesTheCallOver(t *testing.T) {
	persons := &fakePersons{answers: []personAnswer{{after: 6 * time.Second}}}
	perform(t, operatedBy(persons), func(s *scenario) {
		s.wait(2 * time.Second)
		s.control(control.Request{Kind: control.TakeOver})
		s.question("when do you open")
		s.wait(5 * time.Second)
		s.say("I want my money back", 1000*ms)
		s.wait(3 * time.Second)
		s.control(control.Request{Kind: control.Say, Text: "Too late."})
		s.control(control.Request{Kind: control.TakeOver})
		s.wait(30 * time.Minute) // nobody is too silent for an operator
		close(persons.person().gone)
		s.wait(1500 * ms)
		if got := persons.happened(); !slices.Equal(got, []string{"admit take_over", "connect", "hang up"}) {
			s.Errorf("the persons' events are %q", got)
		}
		s.question("when do you open")
		s.wait(3 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.", "user: I want my money back", "assistant: I am back.",
			"user: when do you open", "assistant: We open at nine.")
		s.wantControls("take_over", "say "+refusedOperated, "take_over "+refusedOperated)
		if !slices.Equal(s.journal.operators, []bool{true, false}) {
			s.Errorf("the journal has %v", s.journal.operators)
		}
		s.wantProblems()
	})
}

// The agent stops in the middle of its words for an operator, and says nothing when it was muted before and the operator leaves.
func TestOperatorInterruptsTheAgent(t *testing.T) {
	persons := &fakePersons{answers: []personAnswer{{after: 300 * ms}}}
	perform(t, operatedBy(persons), func(s *scenario) {
		s.question("when do you open")
		s.wait(900 * ms)
		s.control(control.Request{Kind: control.TakeOver})
		s.wait(3 * time.Second)
		s.control(control.Request{Kind: control.Mute, Muted: true})
		close(persons.person().gone)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at")
		s.wantControls("take_over", "mute")
	})
}

// One who does not join is not waited for; a further request takes their place.
func TestOperatorWhoDoesNotJoin(t *testing.T) {
	never := &transfer.Failure{}
	persons := &fakePersons{answers: []personAnswer{{failure: never}, {failure: never}, {failure: never}}}
	perform(t, operatedBy(persons), func(s *scenario) {
		s.wait(2 * time.Second)
		s.control(control.Request{Kind: control.TakeOver})
		s.wait(5 * time.Second)
		s.control(control.Request{Kind: control.TakeOver})
		s.wait(operatorWait + time.Second)
		s.wantOperators(persons, "admit take_over", "hang up", "admit take_over", "hang up")
		s.question("when do you open")
		s.wait(3 * time.Second)
		s.control(control.Request{Kind: control.TakeOver})
		s.wait(time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "assistant: Pardon?", "assistant: Pardon?", "user: when do you open", "assistant: We open at nine.")
		s.wantOperators(persons, "admit take_over", "hang up", "admit take_over", "hang up", "admit take_over", "hang up") // by the end of the call
		if s.journal.operators != nil {
			s.Errorf("the journal has %v", s.journal.operators)
		}
	})
}

// Where nobody can join, the request is refused.
func TestOperatorIsRefused(t *testing.T) {
	perform(t, controlled, func(s *scenario) {
		s.wait(2 * time.Second)
		s.control(control.Request{Kind: control.TakeOver})
		s.wait(time.Second)
	}, func(s *scenario) { s.wantControls("take_over " + refusedNoRoom) })
}
