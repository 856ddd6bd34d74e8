package voice

import (
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
)

// An answer of ten minutes is synthesised as it is played, not all at once.
func TestHugeAnswer(t *testing.T) {
	sentence := "And so we go on and on and on and."
	huge := strings.TrimSpace(strings.Repeat(sentence+" ", 300)) // 10 words, 2 s each
	most := 0
	perform(t, with(replying(step{after: 100 * ms, text: huge}), func(s *scenario) { s.options.SilenceTimeout = 0 }), func(s *scenario) {
		s.question("tell me everything")
		for range 60 {
			s.wait(10 * time.Second)
			s.synthesizer.mu.Lock()
			said := len(s.synthesizer.said) - 1 // the greeting
			s.synthesizer.mu.Unlock()
			most = max(most, said-(len(s.line.heard())-20)/100)
		}
		s.wait(10 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: tell me everything", "assistant: "+huge)
		if most > 12 {
			s.Errorf("up to %d sentences were synthesised ahead of what was heard", most)
		}
		var gaps int
		played := s.line.heard()[20:]
		for i := 1; i < len(played); i++ {
			if played[i].at.Sub(played[i-1].at) > 20*ms {
				gaps++
			}
		}
		if gaps > 0 {
			s.Errorf("the audio has %d gaps", gaps)
		}
	})
}

// Text without a mark or a space, and text of marks alone, are spoken, or not,
// and end the turn.
func TestOddAnswers(t *testing.T) {
	for name, tc := range map[string]struct{ text, heard string }{
		"one long word":      {strings.Repeat("a", 3000), strings.TrimSpace(strings.Repeat(strings.Repeat("a", 400)+" ", 7) + strings.Repeat("a", 200))},
		"marks alone":        {"... !", "... !"},
		"a line of nothing":  {"At nine.\n\n\n", "At nine."},
		"words of two bytes": {strings.Repeat("é", 500), strings.Repeat("é", 200) + " " + strings.Repeat("é", 200) + " " + strings.Repeat("é", 100)},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, replying(step{after: 10 * ms, text: tc.text}), func(s *scenario) {
				s.question("say it")
				s.wait(6 * time.Second)
				s.say("thank you", 500*ms)
				s.wait(6 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: say it", "assistant: "+tc.heard, "user: thank you", "assistant: "+tc.heard)
				s.wantProblems()
			})
		})
	}
}

// Transcripts that come late or twice make no turn of their own.
func TestTranscriptsOutOfOrder(t *testing.T) {
	t.Run("an interim one after its final", func(t *testing.T) {
		perform(t, nil, func(s *scenario) {
			s.question("when do you open")
			s.wait(310 * ms)
			s.recognizer.hear(dialogue.Transcript{Text: "when do you"})
			s.wait(20 * ms)
			s.recognizer.hear(dialogue.Transcript{Text: "when do you open"})
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
			s.wantTurns(Turn{Agent: "anna", Endpointing: 600 * ms, STT: 300 * ms, LLM: 150 * ms, TTS: 80 * ms, VoiceToVoice: 600 * ms})
		})
	})
	t.Run("an empty final while the agent speaks", func(t *testing.T) {
		perform(t, nil, func(s *scenario) {
			s.question("when do you open")
			s.wait(700 * ms)
			s.recognizer.hear(dialogue.Transcript{Final: true})
			s.recognizer.hear(dialogue.Transcript{Final: true, EndOfTurn: true})
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		})
	})
}

// Frames without samples, and speech without audio, are nothing.
func TestNothingToHear(t *testing.T) {
	perform(t, nil, func(s *scenario) {
		s.wait(time.Second)
		for range 5 {
			s.line.frames <- nil
			s.line.frames <- []int16{}
		}
		s.question("when do you open")
		s.wait(3 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
	})
}
