package voice

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/control"
	"parley/internal/dialogue"
	"parley/internal/tool"
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

// speakAs has a person speak for a second.
func (s *scenario) speakAs(p *fakePerson, text string) {
	s.recognizer.mu.Lock()
	s.recognizer.texts = append(s.recognizer.texts, text)
	s.recognizer.mu.Unlock()
	p.line.mu.Lock()
	p.line.until, p.line.spoken = time.Now().Add(time.Second), 0
	p.line.mu.Unlock()
}

// The words of an operator are in the transcript, and the agent knows them; where their recogniser cannot be opened, those of the caller alone.
func TestOperatorIsTranscribed(t *testing.T) {
	for name, test := range map[string]struct {
		fail int
		want []string
	}{
		"recognised":           {0, []string{"assistant: Hello there.", "assistant: you get it back", "assistant: I am back."}},
		"without a recogniser": {100, []string{"assistant: Hello there.", "assistant: I am back."}},
	} {
		t.Run(name, func(t *testing.T) {
			persons := &fakePersons{answers: []personAnswer{{after: time.Second}}}
			perform(t, operatedBy(persons), func(s *scenario) {
				s.wait(2 * time.Second)
				s.recognizer.fail = test.fail
				s.control(control.Request{Kind: control.TakeOver})
				s.wait(2 * time.Second)
				s.speakAs(persons.person(), "you get it back")
				s.wait(4 * time.Second)
				close(persons.person().gone)
				s.wait(3 * time.Second)
			}, func(s *scenario) {
				s.wantLines(test.want...)
				if test.fail > 0 {
					s.wantProblems("warning stt what the person says is not transcribed: stt provider recognizer: recognizer refused")
					return
				}
				s.wantProblems()
				if last := s.model.prompts[len(s.model.prompts)-1]; !slices.ContainsFunc(last.Messages, func(m dialogue.Message) bool { return m.Content == "A colleague said to the caller: you get it back" }) {
					s.Errorf("the model has %+v", last.Messages)
				}
			})
		})
	}
}

// After a transfer with after: listen, both are transcribed until one of them hangs up, and the agent says nothing.
func TestTransferWithTheAgentListening(t *testing.T) {
	for _, after := range []string{tool.AfterLeave, tool.AfterListen} {
		t.Run(after, func(t *testing.T) {
			persons := &fakePersons{answers: []personAnswer{{after: time.Second, talks: 600 * ms}}}
			next := &tool.Next{Action: tool.TransferCall, Number: colleagueNumber, Message: "I connect you.",
				Transfer: &tool.Transfer{Mode: transfer.Bridge, Targets: []string{colleagueNumber}, Ring: 20 * time.Second, After: after}}
			perform(t, with(controlled, func(s *scenario) { s.options.Persons = persons }), func(s *scenario) {
				s.wait(2 * time.Second)
				s.control(control.Request{Kind: control.Transfer, Next: next})
				s.wait(12 * time.Second)
				s.speakAs(persons.person(), "how can I help")
				s.wait(3 * time.Second)
				s.say("I want my money back", 1000*ms)
				s.wait(4 * time.Second)
				persons.person().gone <- struct{}{}
				s.wait(time.Second)
			}, func(s *scenario) {
				want := []string{"assistant: Hello there.", "assistant: I connect you."}
				if after == tool.AfterListen {
					want = append(want, "assistant: how can I help", "user: I want my money back")
				}
				s.wantLines(want...)
				s.wantSteps("started 1/1", "answered 1/1", "completed 1/1")
			})
		})
	}
}
