package voice

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// lastUser is the caller's last words in a prompt.
func lastUser(p dialogue.Prompt) string {
	for i := len(p.Messages) - 1; i >= 0; i-- {
		if p.Messages[i].Role == dialogue.RoleUser {
			return p.Messages[i].Content
		}
	}
	return ""
}

// question begins a call and asks something.
func (s *scenario) question(text string) {
	s.wait(2 * time.Second) // the greeting
	s.say(text, 1000*ms)
	s.wait(1000 * ms)
}

// replying sets what the model answers to every prompt.
func replying(steps ...step) func(*scenario) {
	return func(s *scenario) { s.model.reply = func(dialogue.Prompt) []step { return steps } }
}

func TestEndpointing(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		endOfTurn  bool
		lag        time.Duration
		model      time.Duration // to the first token
		want       Turn
	}{
		{"complete", "when do you open", true, 20 * ms, 10 * ms,
			Turn{Endpointing: 300 * ms, STT: 220 * ms, LLM: 10 * ms, TTS: 80 * ms, VoiceToVoice: 310 * ms}},
		{"default", "when do you open", false, 100 * ms, 10 * ms,
			Turn{Endpointing: 600 * ms, STT: 300 * ms, LLM: 10 * ms, TTS: 80 * ms, VoiceToVoice: 600 * ms}},
		{"unfinished", "I wanted to", false, 100 * ms, 10 * ms,
			Turn{Endpointing: 1200 * ms, STT: 300 * ms, LLM: 10 * ms, TTS: 80 * ms, VoiceToVoice: 1200 * ms}},
		{"digits", "my number is five five", false, 100 * ms, 10 * ms,
			Turn{Endpointing: 1200 * ms, STT: 300 * ms, LLM: 10 * ms, TTS: 80 * ms, VoiceToVoice: 1200 * ms}},
		{"slow recogniser", "when do you open", false, 700 * ms, 10 * ms,
			Turn{Endpointing: 900 * ms, STT: 900 * ms, LLM: 10 * ms, TTS: 80 * ms, VoiceToVoice: 990 * ms}},
		{"slow model", "when do you open", false, 100 * ms, 900 * ms,
			Turn{Endpointing: 600 * ms, STT: 300 * ms, LLM: 900 * ms, TTS: 80 * ms, VoiceToVoice: 1280 * ms}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			perform(t, func(s *scenario) {
				s.recognizer.endOfTurn, s.recognizer.lag = tc.endOfTurn, tc.lag
				replying(step{after: tc.model, text: "At nine."})(s)
			}, func(s *scenario) {
				s.question(tc.text)
				s.wait(5 * time.Second)
			}, func(s *scenario) {
				tc.want.Agent = "anna"
				s.wantTurns(tc.want)
				s.wantLines("assistant: Hello there.", "user: "+tc.text, "assistant: At nine.")
				if n := len(s.model.asked()); n != 1 {
					s.Errorf("asked the model %d times, want once", n)
				}
			})
		})
	}
}

func TestDraftThrownAway(t *testing.T) {
	perform(t, func(s *scenario) {
		s.model.reply = func(p dialogue.Prompt) []step { return []step{{after: 10 * ms, text: "To: " + lastUser(p) + "."}} }
	}, func(s *scenario) {
		s.question("I want")
		s.wait(450 * ms) // drafted 300 ms after the last sound, not committed
		s.say("two tickets", 600*ms)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: I want two tickets", "assistant: To: I want two tickets.")
		var asked []string
		for _, p := range s.model.asked() {
			asked = append(asked, lastUser(p))
		}
		if diff := cmp.Diff([]string{"I want", "I want two tickets"}, asked); diff != "" {
			s.Errorf("prompts (-want +got):\n%s", diff)
		}
		if len(s.journal.turns) != 1 {
			s.Errorf("%d turns, want 1", len(s.journal.turns))
		}
	})
}

// Only the first piece of a draft is synthesised before the turn is over.
func TestDraftSpeaksOnlyItsFirstSentence(t *testing.T) {
	perform(t, replying(step{after: 10 * ms, text: "First. Second. Third."}), func(s *scenario) {
		s.question("tell me")
		s.wait(500 * ms)
		s.synthesizer.mu.Lock()
		said := strings.Join(s.synthesizer.said, "|")
		s.synthesizer.mu.Unlock()
		if said != "Hello there.|First." {
			s.Errorf("before the turn was over the voice received %s", said)
		}
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: tell me", "assistant: First. Second. Third.")
	})
}

// A stable interim transcript starts the answer; the final one, that differs
// in form only, takes it over.
func TestInterimDraft(t *testing.T) {
	perform(t, func(s *scenario) {
		s.recognizer.lag = 500 * ms
		replying(step{after: 400 * ms, text: "At nine."})(s)
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("When do you open?", 1000*ms)
		s.wait(900 * ms)
		s.recognizer.hear(dialogue.Transcript{Text: "when do you open"})
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: When do you open?", "assistant: At nine.")
		// Drafted 300 ms after the last sound, not at the final transcript's 700.
		s.wantTurns(Turn{Agent: "anna", Endpointing: 700 * ms, STT: 700 * ms, LLM: 400 * ms, TTS: 80 * ms, VoiceToVoice: 780 * ms})
		if n := len(s.model.asked()); n != 1 {
			s.Errorf("asked the model %d times, want once", n)
		}
	})
}

// An interim transcript that came while the caller spoke is not worth a draft
// where the final one comes quickly.
func TestInterimIsNotDraftedTwice(t *testing.T) {
	perform(t, func(s *scenario) {
		s.recognizer.lag = 50 * ms
		replying(step{after: 400 * ms, text: "At nine."})(s)
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("When do you open?", 1000*ms)
		s.wait(700 * ms)
		s.recognizer.hear(dialogue.Transcript{Text: "when do you"})
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: When do you open?", "assistant: At nine.")
		if n := len(s.model.asked()); n != 1 {
			s.Errorf("asked the model %d times, want once", n)
		}
	})
}

// What language models read and wrote counts, also where no turn has it.
func TestTokens(t *testing.T) {
	usage := func(n int) *dialogue.Usage { return &dialogue.Usage{InputTokens: 10 * n, OutputTokens: n} }
	perform(t, with(sales, func(s *scenario) {
		s.options.Plan.Agents["anna"] = config("")
		anna := s.options.Plan.Agents["anna"]
		anna.Handoffs = []agent.Handoff{{TargetAgent: "bert"}}
		s.options.Plan.Agents["anna"] = anna
		bert := s.options.Plan.Agents["bert"]
		bert.Prompt.Greeting = ""
		s.options.Plan.Agents["bert"] = bert
		s.model.reply = func(p dialogue.Prompt) []step {
			switch said := lastUser(p); {
			case p.System == "You sell.":
				return []step{{text: "Bert here."}, {usage: usage(5)}}
			case said == "":
				return []step{{text: "Hello there."}, {usage: usage(1)}}
			case said == "I want":
				return []step{{text: "What?"}, {usage: usage(2)}, {after: time.Minute}} // a draft
			default:
				return []step{{text: "One moment."}, {call: "handoff_to_bert"}, {usage: usage(3)}}
			}
		}
	}), func(s *scenario) {
		s.question("I want")
		s.wait(450 * ms)
		s.say("a car", 600*ms)
		s.wait(6 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: I want a car", "assistant: One moment.", "anna calls handoff_to_bert", "assistant: Bert here.")
		if len(s.journal.turns) != 1 || s.journal.turns[0].Usage != *usage(3) {
			s.Errorf("turns are %+v", s.journal.turns)
		}
		if diff := cmp.Diff(map[string]dialogue.Usage{"anna": *usage(3), "bert": *usage(5)}, s.journal.spent); diff != "" {
			s.Errorf("in no turn (-want +got):\n%s", diff)
		}
	})
}

const long = "One two three four five six seven eight nine ten."

func TestInterruption(t *testing.T) {
	for _, tc := range []struct {
		name        string
		model       time.Duration
		synthesizer time.Duration
		after       time.Duration // from the question's last sound to the interruption
		timed       bool
		heard       string        // of the first answer
		silent      time.Duration // from the interruption to the last frame, at most
	}{
		{"before the first token", 3 * time.Second, 80 * ms, 900 * ms, false, "", 0},
		{"during synthesis", 100 * ms, 3 * time.Second, 900 * ms, false, "", 0},
		// Heard from 600 ms on; the interruption pauses 160 ms after its onset,
		// in the sixth word. Without word times, the share of the text counts.
		{"while it is heard", 100 * ms, 80 * ms, 1550 * ms, true, "assistant: One two three four five", 180 * ms},
		{"while it is heard, no word times", 100 * ms, 80 * ms, 1550 * ms, false, "assistant: One two three four five six", 180 * ms},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var begun time.Time
			perform(t, func(s *scenario) {
				s.synthesizer.timed = tc.timed
				s.model.reply = func(p dialogue.Prompt) []step {
					if lastUser(p) == "stop" {
						return []step{{after: 10 * ms, text: "Yes?"}}
					}
					return []step{{after: tc.model, text: long}}
				}
			}, func(s *scenario) {
				s.wait(2 * time.Second)
				s.synthesizer.mu.Lock()
				s.synthesizer.delay = tc.synthesizer
				s.synthesizer.mu.Unlock()
				s.say("count", 1000*ms)
				s.wait(1000*ms + tc.after)
				begun = time.Now()
				s.say("stop", 700*ms)
				s.wait(10 * time.Second)
			}, func(s *scenario) {
				want := []string{"assistant: Hello there.", "user: count"}
				if tc.heard != "" {
					want = append(want, tc.heard)
				}
				s.wantLines(append(want, "user: stop", "assistant: Yes?")...)
				if len(s.journal.turns) != 2 || !s.journal.turns[0].Interrupted || s.journal.turns[1].Interrupted {
					s.Fatalf("turns are %+v", s.journal.turns)
				}
				if tc.heard == "" && s.journal.turns[0].VoiceToVoice != 0 {
					s.Errorf("nothing was heard after %v", s.journal.turns[0].VoiceToVoice)
				}
				var last time.Time
				for _, f := range s.line.heard() {
					if f.at.Before(begun.Add(600 * ms)) {
						last = f.at
					}
				}
				if late := last.Sub(begun); late > tc.silent {
					s.Errorf("silent %v after the interruption began, want at most %v", late, tc.silent)
				}
				history := s.model.asked()[len(s.model.asked())-1].Messages
				if got := history[len(history)-2].Content; tc.heard != "" && "assistant: "+got != tc.heard {
					s.Errorf("the model's history has %q", got)
				}
			})
		})
	}
}

// A cough and an "mm-hm" pause the answer, which goes on where it stopped.
func TestPauseAndResume(t *testing.T) {
	for _, said := range []string{"", "mm-hm", "okay"} {
		t.Run("said "+said, func(t *testing.T) {
			perform(t, func(s *scenario) { s.recognizer.lag = 50 * ms; replying(step{after: 10 * ms, text: long})(s) }, func(s *scenario) {
				s.question("count")
				s.wait(1600 * ms)
				s.say(said, 300*ms)
				s.wait(8 * time.Second)
			}, func(s *scenario) {
				want := []string{"assistant: Hello there.", "user: count", "assistant: " + long}
				least := 400 * ms
				if said != "" { // the answer goes on as soon as it is recognised
					want, least = append(want, "user: "+said), 300*ms
				}
				s.wantLines(want...)
				played := s.line.heard()[2*10:]
				var gaps []time.Duration
				for i, f := range played {
					if want := int16(i/10 + 1); f.value != want {
						s.Fatalf("frame %d holds word %d, want %d", i, f.value, want)
					}
					if i > 0 && f.at.Sub(played[i-1].at) != 20*ms {
						gaps = append(gaps, f.at.Sub(played[i-1].at))
					}
				}
				if len(played) != 100 || len(gaps) != 1 || gaps[0] < least || gaps[0] > least+300*ms {
					s.Errorf("played %d frames with gaps %v", len(played), gaps)
				}
				if len(s.journal.turns) != 1 || s.journal.turns[0].Interrupted {
					s.Errorf("turns are %+v", s.journal.turns)
				}
			})
		})
	}
}

// An interruption in which there was no word, or one that the recogniser took
// back: the answer goes on where it stopped.
func TestNoiseInterrupts(t *testing.T) {
	for _, word := range []string{"", "uh", "stop"} {
		t.Run("heard as "+word, func(t *testing.T) {
			perform(t, func(s *scenario) {
				s.model.reply = func(p dialogue.Prompt) []step {
					if p.Messages[len(p.Messages)-1].Role == dialogue.RoleSystem {
						return []step{{after: 10 * ms, text: "As I said."}}
					}
					return []step{{after: 10 * ms, text: long}}
				}
			}, func(s *scenario) {
				s.question("count")
				s.wait(1550 * ms)
				s.say("", 800*ms)
				if word != "" {
					s.wait(700 * ms)
					s.recognizer.hear(dialogue.Transcript{Text: word})
				}
				s.wait(8 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: count", "assistant: "+long)
				if n := len(s.model.asked()); word == "" && n != 1 {
					s.Errorf("asked the model %d times, want once", n)
				}
				if len(s.journal.turns) != 1 || s.journal.turns[0].Interrupted {
					s.Errorf("turns are %+v", s.journal.turns)
				}
			})
		})
	}
}

// A microphone that is muted in the middle of a word sends nothing more.
func TestMutedMidWord(t *testing.T) {
	perform(t, nil, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("when do you open", time.Hour)
		s.wait(1000 * ms)
		s.line.mu.Lock()
		s.line.muted = true
		s.line.mu.Unlock()
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		if got := s.journal.turns[0].Endpointing; got != 600*ms {
			s.Errorf("endpointing took %v, want 600ms", got)
		}
	})
}

func TestEndCall(t *testing.T) {
	goodbye := replying(step{after: 10 * ms, text: "Goodbye and thank you."}, step{call: "end_call"})
	t.Run("after the goodbye was heard", func(t *testing.T) {
		perform(t, goodbye, func(s *scenario) {
			s.question("goodbye")
			s.waitEnd(AgentEnded)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: goodbye", "assistant: Goodbye and thank you.", "anna calls end_call")
			if got, want := len(s.line.heard()), (2+4)*10; got != want {
				s.Errorf("played %d frames, want %d", got, want)
			}
		})
	})
	t.Run("interrupted", func(t *testing.T) {
		perform(t, func(s *scenario) {
			s.model.reply = func(p dialogue.Prompt) []step {
				if lastUser(p) == "goodbye" {
					return []step{{after: 10 * ms, text: "Goodbye and thank you."}, {call: "end_call"}}
				}
				return []step{{after: 10 * ms, text: "At nine."}}
			}
		}, func(s *scenario) {
			s.question("goodbye")
			s.wait(900 * ms)
			s.say("wait when do you open", 1000*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: goodbye", "assistant: Goodbye and", "user: wait when do you open", "assistant: At nine.")
			if !errors.Is(s.err, errHungUp) {
				s.Errorf("the call ended with %q, %v", s.end, s.err)
			}
		})
	})
}

func TestSilence(t *testing.T) {
	var begun, over time.Time
	perform(t, func(s *scenario) { s.options.SilenceTimeout = 20 * time.Second }, func(s *scenario) {
		s.wait(10 * time.Second)
		s.say("", 300*ms) // somebody is there
		begun = time.Now()
		s.waitEnd(Silence)
		over = time.Now()
	}, func(s *scenario) {
		if took := over.Sub(begun); took < 20*time.Second || took > 21*time.Second {
			s.Errorf("ended after %v, want 20s after the last sound", took)
		}
	})
}

func TestHangUpMidAnswer(t *testing.T) {
	perform(t, func(s *scenario) { s.synthesizer.timed = true; replying(step{after: 10 * ms, text: long})(s) }, func(s *scenario) {
		s.question("count")
		s.wait(590*ms + 3*wordLength + 50*ms)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: count", "assistant: One two three")
		if len(s.journal.turns) != 1 {
			s.Errorf("turns are %+v", s.journal.turns)
		}
	})
}

// What a caller said and nobody answered is in the transcript too.
func TestHangUpBeforeAnswer(t *testing.T) {
	perform(t, nil, func(s *scenario) {
		s.question("never mind")
		s.wait(400 * ms)
	}, func(s *scenario) { s.wantLines("assistant: Hello there.", "user: never mind") })
}

func TestGreeting(t *testing.T) {
	for _, tc := range []struct {
		name, greeting string
		user           map[string]any
		want           string
		problems       int
	}{
		{"the agent's", "Hello {{user.name}}.", map[string]any{"name": "Ada"}, "assistant: Hello Ada.", 0},
		{"the call's own goes first, as it is", "Hello {{user.name}}.", map[string]any{"name": "Ada", "greeting": "Dear {{user.name}}."}, "assistant: Dear {{user.name}}.", 0},
		{"an empty one does not", "Hello.", map[string]any{"greeting": " "}, "assistant: Hello.", 0},
		{"a missing path is empty and reported", "Hello {{user.name}}there {{user.name}}.", nil, "assistant: Hello there .", 1},
		{"none: the model greets", "", nil, "assistant: We open at nine.", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			perform(t, func(s *scenario) {
				s.options.UserContext = tc.user
				s.options.Plan.Agents = map[string]agent.Config{"anna": config(tc.greeting)}
			}, func(s *scenario) { s.wait(3 * time.Second) }, func(s *scenario) {
				s.wantLines(tc.want)
				if len(s.journal.problems) != tc.problems {
					s.Errorf("problems are %+v, want %d", s.journal.problems, tc.problems)
				}
			})
		})
	}
}

// After an interruption whose words are already known the answer is prepared
// at once, not when the turn is over.
func TestLateTranscriptInterrupts(t *testing.T) {
	var interrupted time.Time
	perform(t, func(s *scenario) {
		s.recognizer.lag = 10 * ms
		s.model.reply = func(p dialogue.Prompt) []step {
			if lastUser(p) == "no" {
				return []step{{after: 200 * ms, text: "Sorry."}}
			}
			return []step{{after: 10 * ms, text: long}}
		}
	}, func(s *scenario) {
		s.question("count")
		s.wait(1600 * ms)
		s.say("no", 120*ms) // too short to pause
		interrupted = time.Now()
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		last := s.journal.turns[len(s.journal.turns)-1]
		if last.Endpointing != 600*ms || last.VoiceToVoice != 600*ms {
			s.Errorf("the turn took %+v: no draft was ready", last)
		}
		if interrupted.IsZero() || len(s.journal.turns) != 2 {
			s.Errorf("turns are %+v", s.journal.turns)
		}
	})
}

// Another worker goes on with a call that has a past.
func TestTakenOver(t *testing.T) {
	perform(t, func(s *scenario) {
		s.options.History = []dialogue.Message{{Role: dialogue.RoleUser, Content: "when do you open"}}
	}, func(s *scenario) { s.wait(3 * time.Second) }, func(s *scenario) {
		s.wantLines("assistant: We open at nine.")
		if got := s.model.asked()[0].Messages; len(got) != 2 || got[0].Content != "when do you open" || got[1].Role != dialogue.RoleSystem {
			s.Errorf("the model received %+v", got)
		}
	})
}
