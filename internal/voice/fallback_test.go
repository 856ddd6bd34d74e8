package voice

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/voice/generation"
	"parley/internal/voice/providers"
)

// fallbacks gives the agent a second provider of each kind.
func fallbacks(s *scenario) {
	c := s.options.Plan.Agents["anna"]
	c.STT.Fallback = &agent.STTFallback{Provider: "ear2", Model: "e2"}
	c.TTS.Fallback = &agent.TTSFallback{Provider: "mouth2", VoiceID: "anna2"}
	c.Turn = []byte(`{"budget_ms": 0}`)
	c.LLM.Fallback = &agent.LLMFallback{Provider: "brain2", Model: "b2"}
	s.options.Plan.Agents["anna"] = c
}

// with prepares a scenario in several steps.
func with(steps ...func(*scenario)) func(*scenario) {
	return func(s *scenario) {
		for _, step := range steps {
			step(s)
		}
	}
}

var errKey = dialogue.Errorf("401: invalid key: %w", dialogue.ErrRefused)

// voicesOfPrompts says which models were asked.
func (s *scenario) wantAsked(one, other int) {
	s.Helper()
	if got, want := [2]int{len(s.model.asked()), len(s.brain2.asked())}, [2]int{one, other}; got != want {
		s.Errorf("the models were asked %v times, want %v", got, want)
	}
}

func TestModelFallsBack(t *testing.T) {
	failing := func(err error) func(*scenario) { return replying(step{after: 10 * ms, err: err}) }
	const warning = "warning llm model: overloaded; the fallback takes its place"
	t.Run("after another attempt, for the rest of the call", func(t *testing.T) {
		perform(t, with(fallbacks, failing(dialogue.NewError("overloaded"))), func(s *scenario) {
			s.question("when do you open")
			s.wait(6 * time.Second)
			s.say("really", 500*ms)
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: The other one says ten.", "user: really", "assistant: The other one says ten.")
			s.wantProblems(warning)
			s.wantAsked(2, 2)
			if p := s.brain2.asked()[0]; p.Model != "b2" {
				s.Errorf("the fallback was asked for the model %s", p.Model)
			}
			if turns := s.journal.turns; len(turns) != 2 || turns[1].Providers != (ProviderNames{"recognizer", "brain2", "synthesizer"}) {
				s.Errorf("turns are %+v", turns)
			}
		})
	})
	t.Run("at once when it is refused", func(t *testing.T) {
		perform(t, with(fallbacks, failing(errKey)), func(s *scenario) {
			s.question("when do you open")
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: The other one says ten.")
			s.wantProblems("warning llm model: " + errKey.Error() + "; the fallback takes its place")
			s.wantAsked(1, 1)
			if v := s.journal.turns[0].VoiceToVoice; v > time.Second {
				s.Errorf("answered after %v", v)
			}
		})
	})
	t.Run("soon when it hangs", func(t *testing.T) {
		perform(t, with(fallbacks, replying(step{after: time.Hour})), func(s *scenario) {
			s.question("when do you open")
			s.wait(9 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: The other one says ten.")
			s.wantProblems("warning llm model: no answer for 5s; the fallback takes its place")
			s.wantAsked(1, 1)
		})
	})
	t.Run("in the middle of an answer", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) {
			s.model.reply = func(p dialogue.Prompt) []step {
				if p.Messages[len(p.Messages)-1].Content == generation.CutOffInstruction {
					return []step{{err: errKey}}
				}
				return []step{{after: 10 * ms, text: "We open at nine. And we cl"}, {after: 10 * ms, err: dialogue.NewError("reset")}}
			}
			s.brain2.reply = func(p dialogue.Prompt) []step { return []step{{after: 10 * ms, text: "And we close at five."}} }
		}), func(s *scenario) {
			s.question("when do you open")
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine. And we close at five.")
			s.wantAsked(2, 1)
			messages := s.brain2.asked()[0].Messages
			if got := messages[len(messages)-2:]; got[0].Content != "We open at nine." || got[1].Content != generation.CutOffInstruction {
				s.Errorf("the fallback received %+v", got)
			}
		})
	})
	t.Run("and fails too", func(t *testing.T) {
		perform(t, with(fallbacks, failing(dialogue.NewError("overloaded")), func(s *scenario) {
			s.brain2.reply = func(dialogue.Prompt) []step { return []step{{err: errKey}} }
		}), func(s *scenario) {
			s.question("when do you open")
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+apology)
			s.wantProblems(warning, "error llm brain2: "+errKey.Error())
		})
	})
	t.Run("a function that was called is not called again", func(t *testing.T) {
		perform(t, with(fallbacks, replying(step{after: 10 * ms, text: "Goodbye."}, step{call: "end_call"}, step{err: dialogue.NewError("reset")})), func(s *scenario) {
			s.question("goodbye")
			s.waitEnd(AgentEnded)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: goodbye", "assistant: Goodbye.", "anna calls end_call")
			s.wantAsked(1, 0)
			s.wantProblems()
		})
	})
	t.Run("when the call begins", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) { s.missing["model"] = true }), func(s *scenario) {
			s.question("when do you open")
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: The other one says ten.")
			s.wantProblems("warning llm model: there is no key for it; the fallback takes its place")
		})
	})
}

func TestRecogniserFallsBack(t *testing.T) {
	reset := dialogue.NewError("connection reset")
	t.Run("when the call begins", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) {
			s.recognizer.fail, s.recognizer.err = 1, errKey
			s.ear2.texts = []string{"when do you open"}
		}), func(s *scenario) {
			s.question("")
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
			s.wantProblems("warning stt recognizer: " + errKey.Error() + "; the fallback takes its place")
			if s.recognizer.opened != 1 || s.ear2.asked[0].Model != "e2" {
				s.Errorf("opened %d times, then %+v", s.recognizer.opened, s.ear2.asked)
			}
		})
	})
	t.Run("in the middle of an utterance, all of which it hears", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) { s.ear2.texts = []string{"when do you open on Sunday"} }), func(s *scenario) {
			s.wait(2 * time.Second)
			s.recognizer.mu.Lock()
			s.recognizer.fail = 1000
			s.recognizer.mu.Unlock()
			s.say("", 2000*ms)
			s.wait(1000 * ms)
			s.recognizer.hear(dialogue.Transcript{Text: "when do"})
			s.wait(200 * ms)
			s.recognizer.snap(reset) // two attempts take 2.1 s: the caller is silent by then
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open on Sunday", "assistant: We open at nine.")
			s.wantProblems("warning stt recognizer: connection reset", "warning stt recognizer: recognizer refused; the fallback takes its place")
			if got := s.ear2.voice(); got < 1400*ms {
				s.Errorf("the fallback heard %v of the caller's voice", got)
			}
			if turns := s.journal.turns; len(turns) != 1 || turns[0].Providers.STT != "ear2" {
				s.Errorf("turns are %+v", turns)
			}
		})
	})
	t.Run("while the caller is silent: nothing is heard twice", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) { s.ear2.texts = []string{"thank you"} }), func(s *scenario) {
			s.question("when do you open")
			s.wait(4 * time.Second)
			s.recognizer.snap(errKey)
			s.wait(1 * time.Second)
			if got := s.ear2.voice(); got != 0 {
				s.Errorf("the fallback heard %v of the caller's voice again", got)
			}
			s.say("", 500*ms)
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.", "user: thank you", "assistant: We open at nine.")
			s.wantProblems("warning stt recognizer: " + errKey.Error() + "; the fallback takes its place")
		})
	})
	t.Run("what is said while none is there is heard", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) { s.ear2.texts = []string{"when do you open"} }), func(s *scenario) {
			s.wait(2 * time.Second)
			s.recognizer.mu.Lock()
			s.recognizer.fail, s.recognizer.hang = 1000, true
			s.recognizer.mu.Unlock()
			s.recognizer.snap(reset)
			s.wait(100 * ms)
			s.say("", 1000*ms)
			s.wait(9 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
			if got := s.ear2.voice(); got < 700*ms {
				s.Errorf("the fallback heard %v of the caller's voice", got)
			}
		})
	})
	t.Run("and turn-taking goes on as before", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) {
			s.ear2.silent = true
			s.model.reply = func(p dialogue.Prompt) []step {
				if p.Messages[len(p.Messages)-1].Role == dialogue.RoleSystem {
					return []step{{after: 10 * ms, text: "As I said."}}
				}
				return []step{{after: 10 * ms, text: long}}
			}
		}), func(s *scenario) {
			s.question("count")
			s.wait(1000 * ms)
			s.recognizer.snap(errKey)
			s.wait(500 * ms)
			s.say("", 800*ms) // noise, of which no transcript comes
			s.wait(8 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: count", "assistant: "+long)
		})
	})
	t.Run("when it breaks over and over", func(t *testing.T) {
		perform(t, fallbacks, func(s *scenario) {
			s.wait(2 * time.Second)
			for range providers.MaxBreaks + 1 {
				s.recognizer.snap(reset)
				s.wait(time.Second)
			}
			s.ear2.mu.Lock()
			s.ear2.texts = []string{"hello"}
			s.ear2.mu.Unlock()
			s.say("", 500*ms)
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: hello", "assistant: We open at nine.")
			if s.ear2.opened != 1 || len(s.journal.problems) != providers.MaxBreaks+1 {
				s.Errorf("opened %d times, problems %v", s.ear2.opened, s.journal.problems)
			}
		})
	})
	t.Run("and fails too", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) { s.ear2.fail = 1000 }), func(s *scenario) {
			s.wait(2 * time.Second)
			s.recognizer.snap(errKey)
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "assistant: "+apology)
			s.wantProblems("warning stt recognizer: "+errKey.Error()+"; the fallback takes its place", "error stt ear2: recognizer refused")
		})
	})
}

func TestVoiceFallsBack(t *testing.T) {
	const answer = "One two three four. Five six seven eight. Nine ten."
	counting := replying(step{after: 10 * ms, text: answer})
	spoken := func(s *scenario) (words []int16) { // the numbers of the words that were heard, each voice counting its own
		for i, f := range s.line.heard() {
			if i%10 == 0 {
				words = append(words, f.value)
			}
		}
		return words
	}
	t.Run("when the call begins", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) { s.synthesizer.shut, s.synthesizer.err = 1, errKey }), func(s *scenario) {
			s.wait(2 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.")
			s.wantProblems("warning tts synthesizer: " + errKey.Error() + "; the fallback takes its place")
			if len(s.mouth2.opened) != 1 || s.mouth2.opened[0].VoiceID != "anna2" {
				s.Errorf("opened %+v", s.mouth2.opened)
			}
		})
	})
	t.Run("before it is heard", func(t *testing.T) {
		perform(t, with(fallbacks, counting), func(s *scenario) {
			s.question("count")
			s.synthesizer.mu.Lock()
			s.synthesizer.fail = 1000
			s.synthesizer.mu.Unlock()
			s.wait(8 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: count", "assistant: "+answer)
			s.wantProblems("warning tts synthesizer: voice lost; the fallback takes its place")
			if diff := cmp.Diff([]int16{1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, spoken(s)); diff != "" {
				s.Errorf("heard (-want +got):\n%s", diff)
			}
		})
	})
	for _, timed := range []bool{true, false} {
		t.Run(fmt.Sprintf("while it is heard, word times %v", timed), func(t *testing.T) {
			perform(t, with(fallbacks, counting, func(s *scenario) { s.synthesizer.timed, s.mouth2.timed = timed, timed }), func(s *scenario) {
				s.question("count")
				s.synthesizer.mu.Lock()
				s.synthesizer.breaks, s.synthesizer.after, s.synthesizer.err = 1, 6, errKey // in the second sentence, not heard yet
				s.synthesizer.mu.Unlock()
				s.wait(8 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: count", "assistant: "+answer)
				s.wantProblems("warning tts synthesizer: " + errKey.Error() + "; the fallback takes its place")
				if diff := cmp.Diff([]int16{1, 2, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6}, spoken(s)); diff != "" {
					s.Errorf("heard (-want +got):\n%s", diff)
				}
			})
		})
	}
	t.Run("in the middle of a sentence that is heard, and comes back", func(t *testing.T) {
		perform(t, with(replying(step{after: 10 * ms, text: long}), func(s *scenario) { s.synthesizer.timed = true }), func(s *scenario) {
			s.question("count")
			s.synthesizer.mu.Lock()
			s.synthesizer.breaks, s.synthesizer.after = 2, 4 // the first time as a draft, the second while it is heard
			s.synthesizer.mu.Unlock()
			s.wait(10 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: count", "assistant: "+long)
			s.wantProblems()
			heard := spoken(s)
			if len(heard) != 12 {
				s.Errorf("heard %v", heard)
			}
		})
	})
	t.Run("when no audio comes of the text", func(t *testing.T) {
		perform(t, with(fallbacks, counting), func(s *scenario) {
			s.question("count")
			s.synthesizer.mu.Lock()
			s.synthesizer.empty = 1000
			s.synthesizer.mu.Unlock()
			s.wait(8 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: count", "assistant: "+answer)
			s.wantProblems("warning tts synthesizer: the audio ended before the text; the fallback takes its place")
		})
	})
	t.Run("and is interrupted meanwhile", func(t *testing.T) {
		perform(t, with(fallbacks, func(s *scenario) {
			s.model.reply = func(p dialogue.Prompt) []step {
				if lastUser(p) == "stop" {
					return []step{{after: 10 * ms, text: "Yes?"}}
				}
				return []step{{after: 10 * ms, text: answer}}
			}
		}), func(s *scenario) {
			s.question("count")
			s.synthesizer.mu.Lock()
			s.synthesizer.breaks, s.synthesizer.after = 1000, 2
			s.synthesizer.mu.Unlock()
			s.wait(1500 * ms)
			s.say("stop", 700*ms)
			s.wait(8 * time.Second)
		}, func(s *scenario) {
			if lines := s.journal.lines; lines[len(lines)-2] != "user: stop" || lines[len(lines)-1] != "assistant: Yes?" {
				s.Errorf("transcript %q", lines)
			}
		})
	})
	t.Run("and fails too", func(t *testing.T) {
		perform(t, with(fallbacks, counting, func(s *scenario) { s.mouth2.fail, s.mouth2.err = 1000, errKey }), func(s *scenario) {
			s.question("count")
			s.synthesizer.mu.Lock()
			s.synthesizer.fail = 1000
			s.synthesizer.mu.Unlock()
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: count")
			s.wantProblems("warning tts synthesizer: voice lost; the fallback takes its place", "error tts mouth2: "+errKey.Error())
		})
	})
	t.Run("in the apology, and cannot be opened", func(t *testing.T) {
		var failed, over time.Time
		perform(t, with(fallbacks, replying(step{err: errKey}), func(s *scenario) {
			s.brain2.reply = func(dialogue.Prompt) []step { return []step{{err: errKey}} }
			s.mouth2.shut = 1000
		}), func(s *scenario) {
			s.question("count")
			s.synthesizer.mu.Lock()
			s.synthesizer.breaks, s.synthesizer.after = 1000, 4
			s.synthesizer.mu.Unlock()
			failed = time.Now()
			s.waitEnd(ProviderError)
			over = time.Now()
		}, func(s *scenario) {
			if took := over.Sub(failed); took > 5*time.Second {
				s.Errorf("ended after %v", took)
			}
			if lines := s.journal.lines; len(lines) != 3 || !strings.HasPrefix(lines[2], "assistant: I am sorry,") {
				s.Errorf("transcript %q", lines)
			}
		})
	})
	t.Run("and cannot be opened", func(t *testing.T) {
		perform(t, with(fallbacks, counting, func(s *scenario) { s.mouth2.shut = 1000 }), func(s *scenario) {
			s.question("count")
			s.synthesizer.mu.Lock()
			s.synthesizer.fail = 1000
			s.synthesizer.mu.Unlock()
			s.waitEnd(ProviderError)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: count")
			s.wantProblems("warning tts synthesizer: voice lost; the fallback takes its place", "error tts mouth2: voice refused")
		})
	})
}
