package voice

import (
	"errors"
	"slices"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/tool"
)

// What happens in the phases besides conversing: a recogniser that breaks is
// replaced in each of them, and one that cannot be replaced ends the call.
func TestPhases(t *testing.T) {
	errReset := dialogue.NewError("connection reset")
	slowHandoff := func(s *scenario) { sales(s); s.synthesizer.slow = 4 * time.Second }
	introduced := []string{"assistant: Hello there.", "user: I want to buy", "assistant: One moment.", "anna calls handoff_to_bert"}
	// introducing brings the call to an agent that waits for the caller, who speaks.
	introducing := func(s *scenario) {
		s.question("I want to buy")
		s.wait(4800 * ms) // the next agent's providers are open 200 ms later
		s.say("", 500*ms)
		s.wait(300 * ms)
	}
	t.Run("introducing: the recogniser breaks", func(t *testing.T) {
		perform(t, slowHandoff, func(s *scenario) {
			introducing(s)
			s.recognizer.snap(errReset)
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantProblems("warning stt recognizer: connection reset")
			s.wantLines(append(slices.Clone(introduced), "assistant: Bert here.")...)
		})
	})
	t.Run("introducing: the recogniser fails", func(t *testing.T) {
		perform(t, slowHandoff, func(s *scenario) {
			introducing(s)
			s.recognizer.snap(errKey)
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantProblems("error stt recognizer: " + errKey.Error())
			s.wantLines(append(slices.Clone(introduced), "assistant: "+apology)...)
		})
	})
	t.Run("introducing: the caller goes on after a preemptive answer", func(t *testing.T) {
		perform(t, slowHandoff, func(s *scenario) {
			s.question("I want to buy")
			s.wait(4800 * ms)
			s.say("a car", 500*ms)
			s.wait(900 * ms)
			s.say("a red one", 600*ms)
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			s.wantProblems()
			s.wantLines(append(slices.Clone(introduced), "user: a car a red one", "assistant: Sold.")...)
		})
	})

	tools := map[string]tool.Definition{"connect": does(tool.Action{Type: tool.TransferCall, PhoneNumber: "+4930123456", Message: "I connect you."})}
	transfer := func(err error) func(*scenario) {
		return func(s *scenario) {
			equip(tools, nil, map[string][]step{"a person": calls("connect"), "system": says("It did not work."), "assistant": says("It did not work.")})(s)
			s.options.Phone = &fakePhone{err: err}
		}
	}
	transferring := func(s *scenario) {
		s.question("a person")
		s.wait(1500 * ms)
	}
	transferred := []string{"assistant: Hello there.", "user: a person", "anna calls connect", "assistant: I connect you."}
	t.Run("transferring: the recogniser breaks", func(t *testing.T) {
		perform(t, transfer(errors.New("603 declined")), func(s *scenario) {
			transferring(s)
			s.recognizer.snap(errReset)
			s.wait(8 * time.Second)
			s.say("pity", 500*ms)
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			s.wantProblems("warning stt recognizer: connection reset", "error tool the call could not be transferred: 603 declined")
			s.wantLines(append(slices.Clone(transferred), "assistant: It did not work.", "user: pity", "assistant: Unscripted: pity")...)
		})
	})
	t.Run("transferring: the recogniser fails, and the call is transferred", func(t *testing.T) {
		perform(t, transfer(nil), func(s *scenario) {
			transferring(s)
			s.recognizer.snap(errKey)
			s.waitEnd(Transferred)
		}, func(s *scenario) {
			s.wantProblems("error stt recognizer: " + errKey.Error())
			s.wantLines(append(slices.Clone(transferred), "assistant: I am sorry, I have a technical problem.")...)
		})
	})
	t.Run("transferring: the recogniser and the transfer fail", func(t *testing.T) {
		perform(t, transfer(errors.New("603 declined")), func(s *scenario) {
			transferring(s)
			s.recognizer.snap(errKey)
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantProblems("error stt recognizer: "+errKey.Error(), "error tool the call could not be transferred: 603 declined")
			s.wantLines(append(slices.Clone(transferred), "assistant: I am sorry, I have a technical problem.", "assistant: It did not work.")...)
		})
	})

	for name, tc := range map[string]struct {
		err     error
		problem string
	}{
		"breaks": {errReset, "warning stt recognizer: connection reset"},
		"fails":  {errKey, "error stt recognizer: " + errKey.Error()},
	} {
		t.Run("closing: the recogniser "+name, func(t *testing.T) {
			perform(t, replying(step{after: 10 * ms, text: "Goodbye."}, step{call: "end_call"}), func(s *scenario) {
				s.question("goodbye")
				for !slices.Contains(s.journal.read(), "anna calls end_call") {
					s.wait(10 * ms)
				}
				s.recognizer.snap(tc.err)
				s.waitEnd(AgentEnded)
			}, func(s *scenario) {
				s.wantProblems(tc.problem)
				s.wantLines("assistant: Hello there.", "user: goodbye", "assistant: Goodbye.", "anna calls end_call")
			})
		})
	}
}

// read is the transcript so far.
func (j *fakeJournal) read() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.lines)
}
