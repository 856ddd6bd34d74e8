package voice

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
)

var (
	errFiltered = dialogue.ErrorOf(dialogue.ErrDeclined, "the filter stopped the answer")
	errRejected = dialogue.ErrorOf(dialogue.ErrPromptDeclined, "the filter rejected the prompt")
)

// failingOn has the model fail at prompts that contain a word.
func failingOn(word string, failure ...step) func(*scenario) {
	return func(s *scenario) {
		s.model.reply = func(p dialogue.Prompt) []step {
			for _, m := range p.Messages {
				if strings.Contains(m.Content, word) {
					return failure
				}
			}
			return []step{{after: 10 * ms, text: "At nine."}}
		}
	}
}

// A filter that stops one answer does not end the call.
func TestDeclinedTurn(t *testing.T) {
	t.Run("the answer", func(t *testing.T) {
		perform(t, func(s *scenario) {
			s.model.reply = func(p dialogue.Prompt) []step {
				if lastUser(p) == "something bad" {
					return []step{{after: 10 * ms, err: errFiltered}}
				}
				return []step{{after: 10 * ms, text: "At nine."}}
			}
		}, func(s *scenario) {
			s.question("something bad")
			s.wait(6 * time.Second)
			s.say("when do you open", 1000*ms)
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: something bad", "assistant: "+declined, "user: when do you open", "assistant: At nine.")
			s.wantProblems("warning llm model: the filter stopped the answer")
			s.wantAsked(3, 0)
		})
	})
	t.Run("in the midst of it", func(t *testing.T) {
		perform(t, replying(step{after: 10 * ms, text: "We open at nine. And"}, step{err: errFiltered}), func(s *scenario) {
			s.question("when do you open")
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine. "+declined)
		})
	})
	t.Run("the prompt, and all that have the words", func(t *testing.T) {
		perform(t, failingOn("bad", step{after: 10 * ms, err: errRejected}), func(s *scenario) {
			s.question("something bad")
			s.wait(6 * time.Second)
			s.say("when do you open", 1000*ms)
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: something bad", "assistant: "+declined, "user: when do you open", "assistant: At nine.")
			s.wantAsked(2, 0)
		})
	})
	t.Run("the prompt because of what came before", func(t *testing.T) {
		perform(t, with(failingOn("poison", step{after: 10 * ms, err: errRejected}), func(s *scenario) {
			s.options.UserContext = map[string]any{"greeting": "Here is poison."}
		}), func(s *scenario) {
			s.question("when do you open")
			s.wait(6 * time.Second)
			for _, words := range []string{"and now", "and then"} {
				s.say(words, 1000*ms)
				s.wait(6 * time.Second)
			}
		}, func(s *scenario) {
			s.wantLines("assistant: Here is poison.", "user: when do you open", "assistant: "+declined, "user: and now", "assistant: "+declined, "user: and then", "assistant: At nine.")
		})
	})
	t.Run("and the fallback answers it, for this turn", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) {
			s.model.reply = func(p dialogue.Prompt) []step {
				if lastUser(p) == "something bad" {
					return []step{{after: 10 * ms, err: errFiltered}}
				}
				return []step{{after: 10 * ms, text: "At nine."}}
			}
		}), func(s *scenario) {
			s.question("something bad")
			s.wait(6 * time.Second)
			s.say("when do you open", 1000*ms)
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: something bad", "assistant: The other one says ten.", "user: when do you open", "assistant: At nine.")
			s.wantProblems("warning llm model: the filter stopped the answer")
			s.wantAsked(3, 1)
		})
	})
	t.Run("in the caller's language", func(t *testing.T) {
		perform(t, with(replying(step{err: errRejected}), func(s *scenario) {
			anna := s.options.Plan.Agents["anna"]
			anna.DefaultLanguage = "de-AT"
			s.options.Plan.Agents["anna"] = anna
		}), func(s *scenario) {
			s.question("etwas Böses")
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: etwas Böses", "assistant: "+declinedText.defaults["de"])
		})
	})
}

// A model that refuses a request in mid-call, without saying why, is given two more turns.
func TestRefusedRequests(t *testing.T) {
	bad := step{after: 10 * ms, err: dialogue.ErrRequestRefused}
	perform(t, func(s *scenario) {
		s.model.reply = func(p dialogue.Prompt) []step {
			if lastUser(p) == "hello" {
				return []step{{after: 10 * ms, text: "Hello."}}
			}
			return []step{bad}
		}
	}, func(s *scenario) {
		s.question("hello")
		s.wait(3 * time.Second)
		for n := range 3 {
			s.say(fmt.Sprintf("question %d", n), 1000*ms)
			s.wait(6 * time.Second)
		}
		s.waitEnd(ProviderError)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: hello", "assistant: Hello.", "user: question 0", "assistant: "+declined,
			"user: question 1", "assistant: "+declined, "user: question 2", "assistant: "+apology)
	})
}

// A prompt that is too long for the model is sent again without the oldest turns, and so are later ones.
func TestPromptTooLong(t *testing.T) {
	long := strings.Repeat("a long story ", 20)
	perform(t, func(s *scenario) {
		s.line.typed = make(chan string)
		s.model.reply = func(p dialogue.Prompt) []step {
			if promptSize(p) > 1000 {
				return []step{{err: dialogue.ErrPromptTooLong}}
			}
			return []step{{text: "At nine."}}
		}
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.typeTexts(long, 6, 3*time.Second)
	}, func(s *scenario) {
		turns := 0
		for _, line := range s.journal.lines {
			if line == "assistant: At nine." {
				turns++
			}
		}
		if turns != 6 || s.end != "" {
			s.Errorf("%d of 6 turns were answered; the call ended with %q", turns, s.end)
		}
		refused := 0
		for _, p := range s.model.asked() {
			if promptSize(p) > 1000 {
				refused++
			}
		}
		if refused != 1 {
			s.Errorf("%d prompts were too long", refused)
		}
		if p := s.journal.problems; len(p) == 0 || p[0].Critical || !strings.Contains(p[0].Message, "too long for the model") {
			s.Errorf("problems are %v", p)
		}
	})
}

// Servers that never mark the end of an answer, or close the connection after it, have answered all the same.
func TestAnswersWithoutEnd(t *testing.T) {
	unfinished := step{err: dialogue.ErrorOf(dialogue.ErrUnfinished, "the answer broke off")}
	for name, tc := range map[string]struct {
		text, want string
	}{
		"whole sentences":                {"We open at nine. Do come.", "We open at nine. Do come."},
		"less than a sentence":           {"At nine", "At nine"},
		"a sentence and less than one":   {"We open at nine. Do", "We open at nine. Do"},
		"the same, to the end of a line": {"We open at nine.\n", "We open at nine."},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, replying(step{after: 10 * ms, text: tc.text}, unfinished), func(s *scenario) {
				s.question("when do you open")
				s.wait(6 * time.Second)
				s.say("really", 500*ms)
				s.wait(6 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+tc.want, "user: really", "assistant: "+tc.want)
			})
		})
	}
}

// A voice that refuses one sentence speaks the others, and one that refuses all of an answer the pardon.
func TestVoiceRefusesOneText(t *testing.T) {
	const refused = "Das war ein langer Satz."
	for name, tc := range map[string]struct {
		answer, want string
	}{
		"of several": {"We open at nine. " + refused + " Do come soon, please.", "We open at nine. Do come soon, please."},
		"alone":      {refused, pardon},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, with(replying(step{after: 10 * ms, text: tc.answer}), func(s *scenario) {
				s.synthesizer.refuse, s.synthesizer.err = refused, dialogue.ErrRequestRefused
			}), func(s *scenario) {
				s.question("when do you open")
				s.wait(6 * time.Second)
				s.say("really", 500*ms)
				s.wait(6 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+tc.want, "user: really", "assistant: "+tc.want)
				s.wantProblems("warning tts synthesizer: "+dialogue.Summary(dialogue.ErrRequestRefused), "warning tts synthesizer: "+dialogue.Summary(dialogue.ErrRequestRefused))
			})
		})
	}
	t.Run("and it has spoken nothing yet", func(t *testing.T) {
		perform(t, func(s *scenario) {
			s.synthesizer.refuse, s.synthesizer.err = "Hello there.", dialogue.ErrRequestRefused
		}, func(s *scenario) {
			s.waitEnd(ProviderError)
		}, func(s *scenario) { s.wantLines() })
	})
}

// A model that stalls within an answer is replaced soon, and nothing is said twice.
func TestModelStalls(t *testing.T) {
	perform(t, with(fallbacks, replying(step{after: 10 * ms, text: "We open at nine. And"}, step{after: time.Hour}), func(s *scenario) {
		s.brain2.reply = func(p dialogue.Prompt) []step {
			if p.Messages[len(p.Messages)-1].Content != generation.CutOffInstruction {
				s.Error("the fallback's prompt lacks what was spoken")
			}
			return []step{{after: 10 * ms, text: "We open at nine. And we close at five."}}
		}
	}), func(s *scenario) {
		s.question("when do you open")
		s.wait(6 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine. And we close at five.")
		s.wantProblems("warning llm model: no answer for 1.5s; the fallback takes its place")
	})
}

// A voice whose audio is data of another format never reaches the caller: its fallback speaks.
func TestNoiseIsNotPlayed(t *testing.T) {
	perform(t, with(fallbacks, func(s *scenario) { s.synthesizer.noise = true }), func(s *scenario) {
		s.question("when do you open")
		s.wait(6 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		s.wantProblems("warning tts synthesizer: the audio is noise: it is not the PCM that was asked for; the fallback takes its place")
		for _, frame := range s.line.heard() {
			if frame.value > 1000 || frame.value < -1000 {
				s.Fatalf("the caller heard %d", frame.value)
			}
		}
	})
}
