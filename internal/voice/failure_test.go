package voice

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/voice/generation"
	"parley/internal/voice/providers"
)

func TestModelFails(t *testing.T) {
	broken := step{after: 10 * ms, err: dialogue.NewError("overloaded")}
	t.Run("once", func(t *testing.T) {
		perform(t, func(s *scenario) {
			s.model.reply = func(dialogue.Prompt) []step {
				if len(s.model.prompts) == 1 {
					return []step{broken}
				}
				return []step{{after: 10 * ms, text: "At nine."}}
			}
		}, func(s *scenario) {
			s.question("when do you open")
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: At nine.")
			s.wantTurns(Turn{Agent: "anna", Endpointing: 600 * ms, STT: 300 * ms, LLM: 120 * ms, TTS: 80 * ms, VoiceToVoice: 600 * ms})
			if len(s.journal.problems) != 0 {
				s.Errorf("problems are %v", s.journal.problems)
			}
		})
	})
	t.Run("always", func(t *testing.T) {
		perform(t, replying(broken), func(s *scenario) {
			s.question("when do you open")
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+apology)
			s.wantAsked(3, 0)
			if p := s.journal.problems; len(p) != 1 || !p[0].Critical || p[0].Service != LLM || p[0].Provider != "model" || p[0].Agent != "anna" {
				s.Errorf("problems are %+v", p)
			}
		})
	})
	t.Run("by hanging", func(t *testing.T) {
		perform(t, replying(step{after: time.Hour}), func(s *scenario) {
			s.question("when do you open")
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+wait+" "+longer, "assistant: "+apology)
			s.wantAsked(2, 0)
			s.wantProblems("warning llm the caller has heard no answer by the answer deadline; the language model had said nothing yet", "error llm model: no answer for 10s")
		})
	})
	t.Run("and the caller speaks over the apology", func(t *testing.T) {
		perform(t, replying(broken), func(s *scenario) {
			s.question("when do you open")
			s.wait(3 * time.Second)
			s.say("hello are you there", 1000*ms)
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+apology, "user: hello are you there")
		})
	})
	t.Run("by panicking", func(t *testing.T) {
		perform(t, replying(step{panics: true}), func(s *scenario) {
			s.question("when do you open")
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+apology)
		})
	})
	t.Run("in the middle", func(t *testing.T) {
		perform(t, func(s *scenario) {
			s.model.reply = func(p dialogue.Prompt) []step {
				if last := p.Messages[len(p.Messages)-1]; last.Content == generation.CutOffInstruction {
					return []step{{after: 10 * ms, text: "And we close at five."}}
				}
				return []step{{after: 10 * ms, text: "We open at nine. And"}, broken}
			}
		}, func(s *scenario) {
			s.question("when do you open")
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine. And we close at five.")
			asked := s.model.asked()
			if len(asked) != 2 || asked[1].Messages[len(asked[1].Messages)-2].Content != "We open at nine." {
				s.Errorf("asked %+v", asked)
			}
			s.wantProblems()
		})
	})
	t.Run("in the middle, for good", func(t *testing.T) {
		perform(t, func(s *scenario) {
			s.model.reply = func(p dialogue.Prompt) []step {
				if last := p.Messages[len(p.Messages)-1]; last.Content == generation.CutOffInstruction {
					return []step{broken}
				}
				return []step{{after: 10 * ms, text: "We open at nine. And"}, broken}
			}
		}, func(s *scenario) {
			s.question("when do you open")
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.", "assistant: "+apology)
			s.wantProblems("error llm model: overloaded")
		})
	})
}

func TestVoiceFails(t *testing.T) {
	t.Run("once", func(t *testing.T) {
		perform(t, nil, func(s *scenario) {
			s.wait(2 * time.Second)
			s.synthesizer.mu.Lock()
			s.synthesizer.fail = 1
			s.synthesizer.mu.Unlock()
			s.say("when do you open", 1000*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		})
	})
	t.Run("always", func(t *testing.T) {
		perform(t, func(s *scenario) { s.synthesizer.fail = 1000 }, func(s *scenario) { s.waitEnd(ProviderError) }, func(s *scenario) {
			s.wantLines()
			if p := s.journal.problems; len(p) != 1 || !p[0].Critical || p[0].Service != TTS || p[0].Provider != "synthesizer" {
				s.Errorf("problems are %+v", p)
			}
		})
	})
	t.Run("by hanging", func(t *testing.T) {
		perform(t, func(s *scenario) { s.synthesizer.delay = time.Hour }, func(s *scenario) { s.waitEnd(ProviderError) }, func(s *scenario) { s.wantLines() })
	})
}

func TestRecogniserBreaks(t *testing.T) {
	t.Run("and is opened again", func(t *testing.T) {
		perform(t, nil, func(s *scenario) {
			s.wait(2 * time.Second)
			s.recognizer.mu.Lock()
			s.recognizer.fail = 1
			s.recognizer.mu.Unlock()
			s.recognizer.snap(dialogue.NewError("connection reset"))
			s.wait(time.Second)
			s.say("when do you open", 1000*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
			if s.recognizer.opened != 3 {
				s.Errorf("opened %d times, want 3", s.recognizer.opened)
			}
			if p := s.journal.problems; len(p) != 1 || p[0].Critical || p[0].Service != STT || !strings.Contains(p[0].Message, "connection reset") {
				s.Errorf("problems are %+v", p)
			}
		})
	})
	t.Run("in the middle of a turn", func(t *testing.T) {
		perform(t, nil, func(s *scenario) {
			s.wait(2 * time.Second)
			s.say("", 1000*ms)
			s.wait(800 * ms)
			s.recognizer.hear(dialogue.Transcript{Text: "when do you"})
			s.wait(100 * ms)
			s.recognizer.snap(dialogue.NewError("connection reset"))
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you", "assistant: We open at nine.")
		})
	})
	t.Run("for good", func(t *testing.T) {
		perform(t, nil, func(s *scenario) {
			s.wait(2 * time.Second)
			s.recognizer.mu.Lock()
			s.recognizer.fail = 1000
			s.recognizer.mu.Unlock()
			s.recognizer.snap(dialogue.NewError("connection reset"))
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "assistant: "+apology)
			if p := s.journal.problems; len(p) != 2 || p[0].Critical || !p[1].Critical {
				s.Errorf("problems are %+v", p)
			}
		})
	})
	t.Run("over and over", func(t *testing.T) {
		perform(t, nil, func(s *scenario) {
			s.wait(2 * time.Second)
			for range providers.MaxBreaks + 1 {
				s.recognizer.snap(nil)
				s.wait(time.Second)
			}
			s.waitEnd(ProviderError)
		}, func(s *scenario) { s.wantLines("assistant: Hello there.", "assistant: "+apology) })
	})
}

// A provider that cannot be opened fails Prepare, and leaves nothing open.
func TestPrepareFails(t *testing.T) {
	for provider, service := range map[string]Service{"recognizer": STT, "synthesizer": TTS, "model": LLM} {
		synctest.Test(t, func(t *testing.T) {
			s := &scenario{recognizer: &fakeRecognizer{}, synthesizer: &fakeSynthesizer{}, model: &fakeModel{}, missing: map[string]bool{provider: true}}
			session, err := New(Options{Line: &fakeLine{}, Providers: s, Journal: &fakeJournal{}, Plan: Plan{Agent: "anna",
				Agents: map[string]agent.Config{"anna": config("")}}})
			if err != nil {
				t.Fatal(err)
			}
			var problem Problem
			if err := session.Prepare(t.Context()); !errors.As(err, &problem) || problem.Service != service || problem.Provider != provider {
				t.Errorf("without %s Prepare returned %v", provider, err)
			}
			session.Close()
			if s.synthesizer.open != 0 || s.recognizer.recognition != nil && !s.recognizer.recognition.closed {
				t.Errorf("without %s something stays open", provider)
			}
		})
	}
}

func TestUnknownFunction(t *testing.T) {
	perform(t, func(s *scenario) {
		s.model.reply = func(p dialogue.Prompt) []step {
			if last := p.Messages[len(p.Messages)-1]; last.Role == dialogue.RoleTool {
				return []step{{after: 10 * ms, text: last.Content}}
			}
			return []step{{after: 10 * ms, call: "launch_rocket"}}
		}
	}, func(s *scenario) {
		s.question("launch")
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: launch", "assistant: There is no function launch_rocket.")
		if p := s.journal.problems; len(p) != 1 || p[0].Service != ToolUse || p[0].Critical {
			s.Errorf("problems are %+v", p)
		}
	})
}

func TestUnknownFunctionForever(t *testing.T) {
	perform(t, replying(step{call: "launch_rocket"}), func(s *scenario) {
		s.question("launch")
		s.waitEnd(ProviderError)
	}, func(s *scenario) {
		if n := len(s.model.asked()); n != generation.MaxToolRounds+2 { // once more for the error, and once for the answer
			s.Errorf("asked %d times, want %d", n, generation.MaxToolRounds+2)
		}
	})
}

// A model that answers with nothing must not leave the caller in silence.
func TestModelAnswersWithNothing(t *testing.T) {
	for name, nothing := range map[string][]step{"no delta": {}, "blanks": {{after: 10 * ms, text: " \n"}}, "usage": {{usage: &dialogue.Usage{InputTokens: 3}}}} {
		t.Run(name, func(t *testing.T) {
			perform(t, replying(nothing...), func(s *scenario) {
				s.question("when do you open")
				s.wait(8 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+pardon)
				if p := s.journal.problems; len(p) == 0 || p[0].Message != "llm provider model: answered with nothing" || p[0].Critical {
					s.Errorf("problems are %v", p)
				}
				if turns := s.journal.turns; len(turns) != 1 || turns[0].LLM < 100*ms || turns[0].LLM > 200*ms {
					s.Errorf("turns are %+v", turns)
				}
				s.wantAsked(2, 0)
			})
		})
	}
	t.Run("once", func(t *testing.T) {
		perform(t, func(s *scenario) {
			s.model.reply = func(dialogue.Prompt) []step {
				if len(s.model.prompts) == 1 {
					return nil
				}
				return []step{{text: "At nine."}}
			}
		}, func(s *scenario) {
			s.question("when do you open")
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: At nine.")
			s.wantProblems()
		})
	})
	t.Run("and another one knows", func(t *testing.T) {
		perform(t, with(fallbacks, replying()), func(s *scenario) {
			s.question("when do you open")
			s.wait(8 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: The other one says ten.")
			s.wantProblems("warning llm model: answered with nothing; the fallback takes its place")
		})
	})
}

// Nor does one end the call that has nothing to say where the caller said
// nothing either.
func TestModelHasNothingToSay(t *testing.T) {
	unasked := func(s *scenario) {
		s.model.reply = func(p dialogue.Prompt) []step {
			if p.Messages[len(p.Messages)-1].Role == dialogue.RoleSystem {
				return nil
			}
			return []step{{after: 10 * ms, text: "At nine."}}
		}
	}
	const warning = "warning llm model: answered with nothing"
	for name, tc := range map[string]struct {
		prepare  func(*scenario)
		before   time.Duration
		lines    []string
		problems []string
	}{
		"as a greeting": {func(s *scenario) { s.options.Plan.Agents["anna"] = config("") }, 4 * time.Second, nil, []string{warning}},
		"when it takes the call over": {func(s *scenario) {
			s.options.History = []dialogue.Message{{Role: dialogue.RoleUser, Content: "hello"}}
		}, 4 * time.Second, nil, []string{warning}},
		"to a silent caller": {func(*scenario) {}, 30 * time.Second, []string{"assistant: Hello there."}, []string{warning, warning}},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, with(unasked, tc.prepare), func(s *scenario) {
				s.wait(tc.before)
				s.say("when do you open", 1000*ms)
				s.wait(5 * time.Second)
			}, func(s *scenario) {
				s.wantLines(append(tc.lines, "user: when do you open", "assistant: At nine.")...)
				s.wantProblems(tc.problems...)
				if s.line.states[len(s.line.states)-1] != Listening || !errors.Is(s.err, errHungUp) {
					s.Errorf("states %v, ended by %v", s.line.states, s.err)
				}
			})
		})
	}
	t.Run("after a handoff", func(t *testing.T) {
		perform(t, with(sales, func(s *scenario) {
			bert := s.options.Plan.Agents["bert"]
			bert.Prompt.Greeting = ""
			s.options.Plan.Agents["bert"] = bert
			anna := s.model.reply
			s.model.reply = func(p dialogue.Prompt) []step {
				if p.System == "You sell." && p.Messages[len(p.Messages)-1].Role == dialogue.RoleSystem {
					return nil
				}
				return anna(p)
			}
		}), func(s *scenario) {
			s.question("I want to buy")
			s.wait(7 * time.Second)
			s.say("a car", 500*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: I want to buy", "assistant: One moment.", "anna calls handoff_to_bert", "user: a car", "assistant: Sold.")
			s.wantProblems(warning)
		})
	})
}

// What a vendor says of an error may repeat what it was sent: problems do not have it.
func TestProblemsDoNotRepeatVendors(t *testing.T) {
	echo := fmt.Errorf("400: do not understand %q: %w", "when do you open", dialogue.ErrRefused)
	told := dialogue.ErrRefused.Error()
	for name, tc := range map[string]struct {
		prepare func(*scenario)
		want    []string
	}{
		"of the model":      {replying(step{err: echo}), []string{"error llm model: " + told}},
		"of the voice":      {func(s *scenario) { s.synthesizer.fail, s.synthesizer.err = 1000, echo }, []string{"error tts synthesizer: " + told}},
		"of the recogniser": {func(s *scenario) { time.AfterFunc(2*time.Second, func() { s.recognizer.snap(echo) }) }, []string{"error stt recognizer: " + told}},
		"with fallbacks": {with(fallbacks, replying(step{err: echo}), func(s *scenario) {
			s.synthesizer.fail, s.synthesizer.err = 1000, echo
			s.brain2.reply = func(dialogue.Prompt) []step { return []step{{err: echo}} }
		}), []string{"warning tts synthesizer: " + told + "; the fallback takes its place", "warning llm model: " + told + "; the fallback takes its place", "error llm brain2: " + told}},
		"when the call begins": {func(s *scenario) { s.recognizer.fail, s.recognizer.err = 1000, echo }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, tc.prepare, func(s *scenario) {
				s.question("when do you open")
				s.waitEnd(ProviderError)
			}, func(s *scenario) {
				s.wantProblems(tc.want...)
				if tc.want == nil && (s.err == nil || s.err.Error() != "stt provider recognizer: "+told) {
					s.Errorf("Prepare returned %v", s.err)
				}
			})
		})
	}
}

// A key that is refused fails the call before it begins. What else goes wrong
// when it is checked shows, or not, when the model is asked.
func TestKeyIsCheckedWhenTheCallerJoins(t *testing.T) {
	t.Run("refused", func(t *testing.T) {
		perform(t, func(s *scenario) { s.model.check = errKey }, func(*scenario) {}, func(s *scenario) {
			var problem Problem
			if !errors.As(s.err, &problem) || !problem.Critical || problem.Message != "llm provider model: "+errKey.Error() {
				s.Errorf("Prepare returned %v", s.err)
			}
			s.wantLines()
		})
	})
	t.Run("refused, with a fallback", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) { s.model.check = errKey }), func(s *scenario) {
			s.question("when do you open")
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: The other one says ten.")
			s.wantProblems("warning llm model: " + errKey.Error() + "; the fallback takes its place")
			s.wantAsked(0, 1)
		})
	})
	t.Run("not to be had", func(t *testing.T) {
		perform(t, func(s *scenario) { s.model.check = dialogue.NewError("404") }, func(s *scenario) {
			s.question("when do you open")
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
			s.wantProblems()
			if s.model.checks != 1 {
				s.Errorf("checked %d times", s.model.checks)
			}
		})
	})
}
