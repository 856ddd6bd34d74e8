package voice

import (
	"slices"
	"testing"
	"time"
)

// On hold the agent says nothing, music is no speech, and silence ends nothing. Afterwards the conversation continues.
func TestHold(t *testing.T) {
	phone := with(withKeysOn, stillThere, turned(`{"silence_prompt_after_ms": 10000}`))
	t.Run("between turns", func(t *testing.T) {
		perform(t, phone, func(s *scenario) {
			s.wait(2 * time.Second)
			s.hold(true)
			s.say("music", 20*time.Second)
			s.wait(5 * time.Minute)
			s.hold(false)
			s.wait(time.Second)
			s.say("when do you open", time.Second)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantProblems()
			if lines := s.journal.lines; len(lines) != 3 || lines[0] != "assistant: Hello there." || lines[2] != "assistant: At nine." {
				s.Errorf("transcript %q", lines)
			}
			if !slices.Equal(s.journal.holds, []bool{true, false}) {
				s.Errorf("holds %v", s.journal.holds)
			}
		})
	})
	t.Run("while the agent speaks", func(t *testing.T) {
		var begun, resumed time.Time
		perform(t, phone, func(s *scenario) {
			s.wait(200 * ms) // the greeting has begun
			s.hold(true)
			begun = time.Now()
			s.wait(3 * time.Minute)
			s.hold(false)
			resumed = time.Now()
			s.wait(2 * time.Second)
		}, func(s *scenario) {
			s.wantProblems()
			s.wantLines("assistant: Hello there.")
			for _, frame := range s.line.heard() {
				if frame.at.After(begun.Add(20*ms)) && frame.at.Before(resumed) {
					s.Fatalf("a frame is played %v after the hold began", frame.at.Sub(begun))
				}
			}
			if last := s.line.heard(); !last[len(last)-1].at.After(resumed) {
				s.Error("the agent does not continue")
			}
		})
	})
	t.Run("while the answer is generated", func(t *testing.T) {
		perform(t, phone, func(s *scenario) {
			s.question("when do you open")
			s.wait(650 * ms)
			s.hold(true)
			s.wait(time.Minute)
			s.hold(false)
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantProblems()
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: At nine.")
			if turns := s.journal.turns; len(turns) != 1 || turns[0].VoiceToVoice > 5*time.Second {
				s.Errorf("turns %+v: the hold counts as latency", turns)
			}
		})
	})
	t.Run("and the caller leaves on hold", func(t *testing.T) {
		perform(t, phone, func(s *scenario) {
			s.question("when do you open")
			s.wait(650 * ms)
			s.hold(true)
			s.wait(time.Minute)
		}, func(s *scenario) {
			s.wantProblems()
			s.wantLines("assistant: Hello there.", "user: when do you open")
		})
	})
	t.Run("silence after it counts from its end", func(t *testing.T) {
		perform(t, phone, func(s *scenario) {
			s.wait(2 * time.Second)
			s.hold(true)
			s.wait(10 * time.Minute)
			s.hold(false)
			s.wait(9 * time.Second)
			s.hold(false) // said twice
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "assistant: Still there?")
		})
	})
}

// A call that was on hold when its worker was lost is on hold in the next session, which reports its end.
func TestHoldIsTakenOver(t *testing.T) {
	for _, resumes := range []bool{false, true} {
		perform(t, with(withKeysOn, stillThere, turned(`{"silence_prompt_after_ms": 10000}`), func(s *scenario) {
			s.options.ResumeAgent, s.options.Held = "anna", true
		}), func(s *scenario) {
			s.hold(true) // the room says so again
			s.say("music", 20*time.Second)
			s.wait(time.Minute)
			if len(s.line.heard()) > 0 {
				s.Error("the agent speaks on hold")
			}
			if resumes {
				s.hold(false)
				s.wait(12 * time.Second)
			}
		}, func(s *scenario) {
			s.wantProblems()
			if !resumes {
				s.wantLines()
			} else if len(s.journal.lines) == 0 {
				s.Error("after the hold the agent says nothing")
			}
			if resumes != slices.Equal(s.journal.holds, []bool{false}) {
				s.Errorf("holds %v", s.journal.holds)
			}
		})
	}
}

// withKeysOn gives the caller a phone.
func withKeysOn(s *scenario) { s.line.signals = make(chan Signal, 16) }

// hold puts the call on hold, or resumes it.
func (s *scenario) hold(held bool) {
	signal := Signal{Kind: CallResumed}
	if held {
		signal.Kind = CallHeld
	}
	s.line.signals <- signal
}
