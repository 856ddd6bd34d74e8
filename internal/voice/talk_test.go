package voice

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/tool"
)

// wantTalk checks what was measured. Times may differ by a frame for each beginning and end of speech.
func (s *scenario) wantTalk(want dialogue.Talk) {
	s.Helper()
	near := cmp.Comparer(func(a, b time.Duration) bool { return (a - b).Abs() <= 100*ms })
	if diff := cmp.Diff(want, s.journal.talk, near); diff != "" {
		s.Errorf("talk (-want +got):\n%s", diff)
	}
}

// The fake voice speaks a word in 200 ms, and the turn is over 600 ms after the caller's last sound.
func TestTalk(t *testing.T) {
	answer := replying(step{after: 10 * ms, text: "At nine. Is that all right?"})
	t.Run("two turns", func(t *testing.T) {
		perform(t, answer, func(s *scenario) {
			s.wait(2 * time.Second)
			s.say("When do you open?", 2000*ms)
			s.wait(5 * time.Second)
			s.say("When do you open then?", 1000*ms)
			s.wait(2800 * ms)
		}, func(s *scenario) {
			s.wantTalk(dialogue.Talk{Measured: 9800 * ms, Silent: 4000 * ms, CallerSpeech: 3000 * ms, AgentSpeech: 2800 * ms, CallerWords: 9, AgentWords: 14,
				Waits: 2, LongestWait: 600 * ms, CallerRepeats: 1, AgentRepeats: 1, CallerTurns: 2, PunctuatedTurns: 2})
		})
	})
	t.Run("an interruption", func(t *testing.T) {
		perform(t, replying(step{after: 10 * ms, text: long}), func(s *scenario) {
			s.question("count")
			s.wait(1300 * ms) // the answer has begun 700 ms ago
			s.say("stop that now", 1000*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			got := s.journal.talk
			if got.Interruptions != 1 || got.Waits != 2 || got.CallerSpeech < 1900*ms || got.CallerSpeech > 2100*ms || got.CallerTurns != 2 || got.PunctuatedTurns != 0 {
				s.Errorf("talk %+v", got)
			}
			if union := got.Measured - got.Silent; union >= got.CallerSpeech+got.AgentSpeech {
				s.Errorf("both spoke at the same time: %+v", got)
			}
		})
	})
	t.Run("a hold", func(t *testing.T) {
		perform(t, with(withKeysOn, answer), func(s *scenario) {
			s.question("When do you open?")
			s.wait(300 * ms)
			s.hold(true)
			s.wait(time.Minute)
			s.hold(false)
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			if got := s.journal.talk; got.Measured < 6200*ms || got.Measured > 6400*ms || got.Waits != 0 {
				s.Errorf("the hold counts: %+v", got)
			}
		})
	})
	t.Run("a caller who waits in vain", func(t *testing.T) {
		perform(t, replying(step{after: time.Minute, text: "At nine."}), func(s *scenario) {
			s.question("When do you open?")
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantTalk(dialogue.Talk{Measured: 8 * time.Second, Silent: 6600 * ms, CallerSpeech: 1000 * ms, AgentSpeech: 400 * ms, CallerWords: 4, AgentWords: 2,
				Waits: 1, LongestWait: 5 * time.Second, CallerTurns: 1, PunctuatedTurns: 1})
		})
	})
	t.Run("a caller without a microphone", func(t *testing.T) {
		perform(t, with(answer, func(s *scenario) { s.line.muted, s.line.typed = true, make(chan string) }), func(s *scenario) {
			s.wait(2 * time.Second)
			s.typeTexts("When do you open?", 1, 3*time.Second)
		}, func(s *scenario) {
			got := s.journal.talk
			if got.Measured != 0 || got.CallerWords != 0 || got.CallerTurns != 1 || got.Waits != 1 || got.SilenceRatio() != nil || got.CallerWordsPerMinute() != nil {
				s.Errorf("talk %+v", got)
			}
		})
	})
	t.Run("tools that fail", func(t *testing.T) {
		perform(t, equip(map[string]tool.Definition{"works": does(respond("done")), "fails": does(tool.Action{Type: tool.SendDTMF, Digits: "none"}), "panics": does(respond("never"))},
			nil, map[string][]step{"Do it.": calls("works", "fails", "panics")}), func(s *scenario) {
			s.options.Phone = nil
			s.question("Do it.")
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			if got := s.journal.talk; got.FailedTools != 1 { // tones are refused, not failed, where there is no phone
				s.Errorf("talk %+v", got)
			}
		})
	})
	t.Run("another worker goes on", func(t *testing.T) {
		perform(t, with(answer, func(s *scenario) {
			s.options.History = []dialogue.Message{{Role: dialogue.RoleUser, Content: "When do you open?"}, {Role: dialogue.RoleAssistant, Content: "At nine. Is that all right?"}}
		}), func(s *scenario) {
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			if got := s.journal.talk; got.AgentRepeats != 1 || got.CallerRepeats != 0 {
				s.Errorf("talk %+v", got)
			}
		})
	})
	t.Run("silence prompts", func(t *testing.T) {
		perform(t, with(stillThere, turned(`{"silence_prompt_after_ms": 3000}`)), func(s *scenario) {
			s.wait(20 * time.Second)
		}, func(s *scenario) {
			if n := len(s.journal.lines); n < 3 || s.journal.talk.AgentRepeats != 0 {
				s.Errorf("%q: talk %+v", s.journal.lines, s.journal.talk)
			}
		})
	})
}

func TestRepeatedQuestions(t *testing.T) {
	for _, tc := range []struct {
		name  string
		texts []string
		want  int
	}{
		{"the same", []string{"What is your name?", "what is your name?"}, 1},
		{"in one text", []string{"Sorry. What is your name, please? I said: what is your name please?"}, 0},
		{"one word in five", []string{"What time suits you best?", "What day suits you best?"}, 1},
		{"two words in five", []string{"What time suits you best?", "What day suits him best?"}, 0},
		{"one word in four", []string{"What is your name?", "What is your number?"}, 0},
		{"one word more", []string{"Can you tell me your number?", "So can you tell me your number?"}, 1},
		{"three times", []string{"What is your name?", "What is your name?", "What is your name?"}, 2},
		{"no question", []string{"Tell me your name.", "Tell me your name."}, 0},
		{"one word", []string{"Sorry?", "Sorry?"}, 0},
		{"another number", []string{"Do you really mean 3.50 euros?", "Do you really mean 3.60 euros?"}, 0},
		{"the same number", []string{"Do you really mean 3.50 euros?", "Do you mean 3.50 euros?"}, 1},
		{"Spanish", []string{"¿Cómo se llama usted?", "Y ¿cómo se llama usted?"}, 1},
		{"Japanese", []string{"お電話番号は何ですか？", "はい。お電話番号は何ですか？"}, 1},
		{"Arabic", []string{"ما هو اسمك؟", "ما هو اسمك؟"}, 1},
		{"not UTF-8", []string{"What is your name?\xff", "What is your name?\xff"}, 1},
		{"cut off", []string{"What is your", "What is your name?"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var questions asked
			got := 0
			for _, text := range tc.texts {
				got += questions.add(text)
			}
			if got != tc.want {
				t.Errorf("%d repeated, want %d", got, tc.want)
			}
		})
	}
	var many asked
	for range 10 * maxAsked {
		many.add("What is your name?")
	}
	if n := len(many.questions); n != maxAsked {
		t.Errorf("%d questions are kept, want %d", n, maxAsked)
	}
}

func TestCountWords(t *testing.T) {
	for text, want := range map[string][]string{
		"I don't know, 12 or so.": {"i", "don't", "know", "12", "or", "so"},
		"予約は10時":                  {"予", "約", "は", "10", "時"},
		"":                        nil,
	} {
		if got := splitWords(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if _, complete := countWords("สวัสดีครับ"); complete {
		t.Error("Thai words are counted")
	}
	if n, complete := countWords("guten Tag"); n != 2 || !complete {
		t.Errorf("%d words, %v", n, complete)
	}
}
