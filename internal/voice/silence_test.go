package voice

import (
	"testing"
	"time"

	"parley/internal/dialogue"
)

// turned sets the agent's config.turn.
func turned(settings string) func(*scenario) {
	return func(s *scenario) {
		c := s.options.Plan.Agents["anna"]
		c.Turn = []byte(settings)
		s.options.Plan.Agents["anna"] = c
	}
}

// stillThere answers what a silent caller is asked.
func stillThere(s *scenario) {
	s.model.reply = func(p dialogue.Prompt) []step {
		if p.Messages[len(p.Messages)-1].Content == silenceInstruction {
			return []step{{after: 100 * ms, text: "Still there?"}}
		}
		return []step{{after: 100 * ms, text: "At nine."}}
	}
}

func TestSilencePrompts(t *testing.T) {
	t.Run("ten minutes of silence", func(t *testing.T) {
		var begun, over time.Time
		perform(t, with(stillThere, func(s *scenario) { s.options.SilenceTimeout = 10 * time.Minute }), func(s *scenario) {
			begun = time.Now()
			s.waitEnd(Silence)
			over = time.Now()
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "assistant: Still there?", "assistant: Still there?")
			s.wantProblems()
			// The prompts are no sign of life: the timeout counts from the greeting's end.
			if took := over.Sub(begun); took < 10*time.Minute || took > 10*time.Minute+time.Second {
				s.Errorf("ended after %v", took)
			}
			if n := len(s.journal.turns); n != 0 {
				s.Errorf("%d turns", n)
			}
		})
	})
	t.Run("they come at their time", func(t *testing.T) {
		perform(t, with(stillThere, turned(`{"silence_prompt_after_ms": 4000, "silence_prompts": 3}`)), func(s *scenario) { s.wait(20 * time.Second) }, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "assistant: Still there?", "assistant: Still there?", "assistant: Still there?")
			// Two words of greeting, 4 s, 180 ms to the first audio, and so on.
			heard := s.line.heard()
			for i, want := range []time.Duration{4180 * ms, 4180 * ms, 4180 * ms} {
				if got := heard[20+20*i].at.Sub(heard[20+20*i-1].at); got < want || got > want+40*ms {
					s.Errorf("prompt %d came %v after the last frame, want %v", i, got, want)
				}
			}
		})
	})
	t.Run("words that are given", func(t *testing.T) {
		perform(t, with(turned(`{"silence_prompt": "{{user.name}}, are you there?"}`), func(s *scenario) { s.options.UserContext = map[string]any{"name": "Ada"} }), func(s *scenario) {
			s.wait(15 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "assistant: Ada, are you there?")
			s.wantAsked(0, 0)
		})
	})
	for name, settings := range map[string]string{"off": `{"silence_prompt_after_ms": 0}`, "none": `{"silence_prompts": 0}`} {
		t.Run(name, func(t *testing.T) {
			perform(t, with(stillThere, turned(settings)), func(s *scenario) { s.waitEnd(Silence) }, func(s *scenario) { s.wantLines("assistant: Hello there.") })
		})
	}
	t.Run("who answers is asked again the next time", func(t *testing.T) {
		perform(t, with(stillThere, turned(`{"silence_prompts": 1}`)), func(s *scenario) {
			s.wait(15 * time.Second)
			s.say("yes when do you open", 1000*ms)
			s.wait(15 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "assistant: Still there?", "user: yes when do you open", "assistant: At nine.", "assistant: Still there?")
		})
	})
	t.Run("a word that is taken back is none", func(t *testing.T) {
		perform(t, stillThere, func(s *scenario) {
			s.wait(3 * time.Second)
			s.recognizer.hear(dialogue.Transcript{Text: "well"})
			s.wait(300 * ms)
			s.recognizer.hear(dialogue.Transcript{Final: true})
			s.wait(10 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "assistant: Still there?")
			s.wantAsked(2, 0) // for the draft that was thrown away, too
		})
	})
	t.Run("not while the caller speaks or the agent answers", func(t *testing.T) {
		perform(t, with(turned(`{"silence_prompt_after_ms": 1000, "endpoint_default_ms": 3000, "answer_deadline_ms": 0}`), func(s *scenario) {
			s.model.reply = func(p dialogue.Prompt) []step {
				if p.Messages[len(p.Messages)-1].Content == silenceInstruction {
					return []step{{text: "Still there?"}}
				}
				return []step{{after: 6 * time.Second, text: "At nine."}}
			}
		}), func(s *scenario) {
			s.wait(600 * ms)
			s.say("when do you open", 3000*ms)
			s.wait(10 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: At nine.")
		})
	})
	t.Run("interrupted", func(t *testing.T) {
		perform(t, with(stillThere, turned(`{"silence_prompt": "One two three four five six?"}`), func(s *scenario) { s.synthesizer.timed = true }), func(s *scenario) {
			s.wait(11300 * ms)
			s.say("I am here", 1000*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "assistant: One two three four", "user: I am here", "assistant: At nine.")
		})
	})
	t.Run("the timeout lets a prompt end", func(t *testing.T) {
		perform(t, with(turned(`{"silence_prompt": "One two three four five six?"}`), func(s *scenario) { s.options.SilenceTimeout = 10500 * ms }), func(s *scenario) {
			s.waitEnd(Silence)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "assistant: One two three four five six?")
		})
	})
}

func TestBudget(t *testing.T) {
	for _, tc := range []struct {
		name, settings     string
		model, synthesizer time.Duration
		recognizer         time.Duration
		want               []string
	}{
		{name: "kept", settings: `{}`, model: 150 * ms, synthesizer: 80 * ms},
		{name: "the model is slow", settings: `{}`, model: 2700 * ms, synthesizer: 80 * ms,
			want: []string{"warning llm the caller waited 3080 ms for the answer, over the budget of 2500 ms; the slowest stage was the language model (2700 ms)"}},
		{name: "the voice is slow", settings: `{"budget_ms": 1500}`, model: 200 * ms, synthesizer: 1200 * ms,
			want: []string{"warning tts the caller waited 1700 ms for the answer, over the budget of 1500 ms; the slowest stage was text to speech (1200 ms)"}},
		{name: "the recogniser is slow", settings: `{"budget_ms": 1500}`, recognizer: 1400 * ms, model: 10 * ms, synthesizer: 80 * ms,
			want: []string{"warning stt the caller waited 1690 ms for the answer, over the budget of 1500 ms; the slowest stage was speech to text (1600 ms)"}},
		{name: "the turn ends late", settings: `{"budget_ms": 1500, "endpoint_default_ms": 2000}`, model: 10 * ms, synthesizer: 80 * ms,
			want: []string{"warning stt the caller waited 2000 ms for the answer, over the budget of 1500 ms; the slowest stage was waiting for the end of the turn (1700 ms)"}},
		{name: "off", settings: `{"budget_ms": 0}`, model: 4000 * ms, synthesizer: 80 * ms},
	} {
		t.Run(tc.name, func(t *testing.T) {
			perform(t, with(turned(tc.settings), replying(step{after: tc.model, text: "At nine."}), func(s *scenario) {
				if tc.recognizer > 0 {
					s.recognizer.lag = tc.recognizer
				}
			}), func(s *scenario) {
				s.wait(2 * time.Second)
				s.synthesizer.mu.Lock()
				s.synthesizer.delay = tc.synthesizer
				s.synthesizer.mu.Unlock()
				s.say("when do you open", 1000*ms)
				s.wait(8 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: At nine.")
				s.wantProblems(tc.want...)
			})
		})
	}
}
