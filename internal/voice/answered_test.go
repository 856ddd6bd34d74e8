package voice

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/answering"
	"parley/internal/audio"
	"parley/internal/dialogue"
)

// dialled has the agent call a phone, and find out who answers.
func dialled(actions map[string]agent.AnswerAction) func(*scenario) {
	return func(s *scenario) {
		s.options.DetectAnswer = true
		s.recognizer.lag = 50 * ms
		anna := s.options.Plan.Agents["anna"]
		anna.AnswerDetection = agent.AnswerDetection{Enabled: true, Actions: actions}
		s.options.Plan.Agents["anna"] = anna
	}
}

func detecting(change func(*agent.AnswerDetection)) func(*scenario) {
	return func(s *scenario) {
		anna := s.options.Plan.Agents["anna"]
		change(&anna.AnswerDetection)
		s.options.Plan.Agents["anna"] = anna
	}
}

// beep has a beep sound on the line.
func (s *scenario) beep(d time.Duration) {
	s.line.mu.Lock()
	s.line.sound = audio.Tone(1000, dialogue.ListenRate, d)
	s.line.mu.Unlock()
	s.wait(d)
}

func (s *scenario) wantAnswered(want ...answering.Class) {
	s.Helper()
	var got []answering.Class
	for _, v := range s.journal.answers {
		got = append(got, v.Class)
	}
	if !slices.Equal(got, want) {
		s.Errorf("answered by %q, want %q (%+v)", got, want, s.journal.answers)
	}
}

// firstHeard returns when the agent was first audible.
func (s *scenario) firstHeard() time.Time {
	s.Helper()
	played := s.line.heard()
	if len(played) == 0 {
		s.Fatal("nothing was audible")
	}
	return played[0].at
}

var leaveMessage = map[string]agent.AnswerAction{"voicemail": {Do: agent.AnswerLeaveMessage, Text: "Please call us back."}}

const mailboxGreeting = "You have reached Anna, leave a message after the tone"

// The opening is ready before the verdict, and a person hears it 250 ms after it at the latest.
func TestPersonHearsTheOpeningAtOnce(t *testing.T) {
	for name, prepare := range map[string]func(*scenario){
		"a greeting": func(*scenario) {},
		"of the model": func(s *scenario) {
			anna := s.options.Plan.Agents["anna"]
			anna.Prompt.Greeting = ""
			s.options.Plan.Agents["anna"] = anna
			opening := []step{{after: 900 * ms, text: "Hello there."}}
			s.model.reply = func(dialogue.Prompt) []step { return opening }
		},
	} {
		t.Run(name, func(t *testing.T) {
			var began time.Time
			perform(t, with(dialled(nil), prepare), func(s *scenario) {
				began = time.Now()
				s.wait(600 * ms)
				s.say("Hello?", 500*ms)
				s.wait(4 * time.Second)
				s.say("when do you open", 1000*ms)
				s.wait(4 * time.Second)
			}, func(s *scenario) {
				s.wantAnswered(answering.Human)
				v := s.journal.answers[0]
				if late := s.firstHeard().Sub(began.Add(v.After)); late < 0 || late > 250*ms {
					s.Errorf("the opening is audible %v after the verdict", late)
				}
				if v.After < 1700*ms || v.After > 1900*ms {
					s.Errorf("decided after %v", v.After)
				}
				if lines := s.journal.lines; len(lines) != 4 || lines[0] != "user: Hello?" || lines[1] != "assistant: Hello there." {
					s.Errorf("transcript %q", lines)
				}
				s.wantProblems()
			})
		})
	}
}

// Without answer_detection, and on calls that were not dialled, the agent speaks at once.
func TestAnswersAreDetectedOnDialledPhonesOnly(t *testing.T) {
	for name, prepare := range map[string]func(*scenario){
		"not enabled":       detecting(func(d *agent.AnswerDetection) { d.Enabled = false }),
		"not a dialled one": func(s *scenario) { s.options.DetectAnswer = false },
	} {
		t.Run(name, func(t *testing.T) {
			var began time.Time
			perform(t, with(dialled(leaveMessage), prepare), func(s *scenario) {
				began = time.Now()
				s.wait(2 * time.Second)
			}, func(s *scenario) {
				s.wantAnswered()
				if after := s.firstHeard().Sub(began); after > 200*ms {
					s.Errorf("the agent speaks after %v", after)
				}
			})
		})
	}
}

// A machine is spoken to once it is quiet: before, it would interrupt the opening.
func TestMachineIsSpokenToWhenItIsQuiet(t *testing.T) {
	var ended time.Time
	perform(t, dialled(nil), func(s *scenario) {
		s.say(mailboxGreeting, 3*time.Second)
		s.wait(time.Second)
		s.recognizer.hear(dialogue.Transcript{Text: mailboxGreeting})
		s.wait(2 * time.Second)
		ended = time.Now()
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		s.wantAnswered(answering.Voicemail)
		if after := s.firstHeard().Sub(ended); after < 600*ms || after > 1000*ms {
			s.Errorf("the opening begins %v after the greeting", after)
		}
		s.wantLines("user: "+mailboxGreeting, "assistant: Hello there.")
	})
}

func TestActionsEndTheCall(t *testing.T) {
	end := map[string]agent.AnswerAction{}
	for _, class := range answering.Classes {
		end[string(class)] = agent.AnswerAction{Do: agent.AnswerEnd}
	}
	for _, tc := range []struct {
		said  string
		class answering.Class
		want  End
	}{
		{"Hello?", answering.Human, AgentEnded},
		{mailboxGreeting, answering.Voicemail, Voicemail},
		{"This mailbox is full", answering.MailboxFull, Voicemail},
		{"Record your name and reason for calling", answering.Screening, ScreenedOut},
		{"For sales, press one", answering.Menu, MenuFailed},
		{"", answering.Silence, AgentEnded},
	} {
		t.Run(string(tc.class), func(t *testing.T) {
			perform(t, dialled(end), func(s *scenario) {
				if tc.said != "" {
					s.say(tc.said, 800*ms)
				}
				s.waitEnd(tc.want)
			}, func(s *scenario) {
				s.wantAnswered(tc.class)
				if n := len(s.line.heard()); n > 0 {
					s.Errorf("%d frames were audible", n)
				}
				var want []string
				if tc.said != "" {
					want = []string{"user: " + tc.said}
				}
				s.wantLines(want...)
			})
		})
	}
}

func TestMessageIsLeft(t *testing.T) {
	for _, tc := range []struct {
		name  string
		play  func(s *scenario)
		after time.Duration // of the message, since the end of the greeting
	}{
		{"after a beep", func(s *scenario) { s.wait(900 * ms); s.beep(300 * ms) }, 1500 * ms},
		{"after the last of several beeps", func(s *scenario) {
			s.wait(900 * ms)
			for range 3 {
				s.beep(160 * ms)
				s.wait(140 * ms)
			}
		}, 1960 * ms},
		{"where none comes, after a pause", func(*scenario) {}, 1800 * ms},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var greeted time.Time
			perform(t, dialled(leaveMessage), func(s *scenario) {
				s.say(mailboxGreeting, 3*time.Second)
				s.wait(3 * time.Second)
				greeted = time.Now()
				tc.play(s)
				s.waitEnd(VoicemailLeft)
			}, func(s *scenario) {
				s.wantAnswered(answering.Voicemail)
				s.wantLines("user: "+mailboxGreeting, "assistant: Please call us back.")
				if after := s.firstHeard().Sub(greeted); after < tc.after-100*ms || after > tc.after+200*ms {
					s.Errorf("the message began %v after the greeting, want %v", after, tc.after)
				}
				if got, want := len(s.line.heard()), 4*10; got != want {
					s.Errorf("%d frames of the message, want %d", got, want)
				}
				s.wantProblems()
			})
		})
	}
	t.Run("at the latest after max_wait_ms", func(t *testing.T) {
		actions := map[string]agent.AnswerAction{"voicemail": {Do: agent.AnswerLeaveMessage, Text: "Hello.", MaxWaitMS: new(4000)}}
		var began time.Time
		perform(t, dialled(actions), func(s *scenario) {
			s.say("", time.Minute)
			s.wait(time.Second)
			began = time.Now()
			s.recognizer.hear(dialogue.Transcript{Text: mailboxGreeting})
			s.waitEnd(VoicemailLeft)
		}, func(s *scenario) {
			if after := s.firstHeard().Sub(began); after < 3900*ms || after > 4200*ms {
				s.Errorf("the message began after %v", after)
			}
		})
	})
	t.Run("again after a late beep", func(t *testing.T) {
		actions := map[string]agent.AnswerAction{"voicemail": {Do: agent.AnswerLeaveMessage, Text: long}}
		perform(t, dialled(actions), func(s *scenario) {
			s.say(mailboxGreeting, 3*time.Second)
			s.wait(5200 * ms) // the message has begun
			s.beep(300 * ms)
			s.waitEnd(VoicemailLeft)
		}, func(s *scenario) {
			lines := s.journal.lines
			if len(lines) != 3 || lines[2] != "assistant: "+long || lines[1] == lines[2] {
				s.Errorf("transcript %q: the message does not begin again", lines)
			}
		})
	})
}

// A template without a value is a warning, and no message with a hole is left.
func TestMessageWithoutAValueIsNotLeft(t *testing.T) {
	actions := map[string]agent.AnswerAction{"voicemail": {Do: agent.AnswerLeaveMessage, Text: "Hello {{user.name}}, call us."}}
	perform(t, dialled(actions), func(s *scenario) {
		s.say(mailboxGreeting, 3*time.Second)
		s.waitEnd(Voicemail)
	}, func(s *scenario) {
		if n := len(s.line.heard()); n > 0 {
			s.Errorf("%d frames were audible", n)
		}
		if p := s.journal.problems; len(p) != 1 || !strings.Contains(p[0].Message, "{{user.name}}") || p[0].Critical {
			s.Errorf("problems %+v", p)
		}
	})
	perform(t, with(dialled(actions), func(s *scenario) { s.options.UserContext = map[string]any{"name": "Ada"} }), func(s *scenario) {
		s.say(mailboxGreeting, 3*time.Second)
		s.waitEnd(VoicemailLeft)
	}, func(s *scenario) { s.wantLines("user: "+mailboxGreeting, "assistant: Hello Ada, call us.") })
}

// A person who picks up stops the message, and gets the agent. A mailbox that speaks on does not.
func TestPersonPicksUpDuringTheMessage(t *testing.T) {
	text := strings.Repeat("This is a long message. ", 12)
	longMessage := map[string]agent.AnswerAction{"voicemail": {Do: agent.AnswerLeaveMessage, Text: text}}
	message := func(s *scenario) {
		s.say(mailboxGreeting, 3*time.Second)
		s.wait(3500 * ms)
		s.beep(300 * ms)
		s.wait(2 * time.Second)
	}
	t.Run("a person", func(t *testing.T) {
		var picked time.Time
		perform(t, dialled(longMessage), func(s *scenario) {
			message(s)
			picked = time.Now()
			s.say("Hello, I am here", 900*ms)
			s.wait(6 * time.Second)
			s.say("when do you open", 900*ms)
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			s.wantAnswered(answering.Voicemail, answering.Human)
			for _, f := range s.line.heard() {
				if late := f.at.Sub(picked); late > 550*ms && late < 1500*ms {
					s.Fatalf("the message goes on %v after the person spoke", late)
				}
			}
			lines := s.journal.lines
			if n := len(lines); n < 5 || !slices.Contains(lines, "assistant: Hello there.") || lines[n-1] != "assistant: We open at nine." {
				s.Errorf("transcript %q", lines)
			}
		})
	})
	t.Run("the mailbox", func(t *testing.T) {
		perform(t, dialled(longMessage), func(s *scenario) {
			message(s)
			s.say("To send your message, press one", 900*ms)
			s.waitEnd(VoicemailLeft)
		}, func(s *scenario) {
			if last := s.journal.lines[len(s.journal.lines)-1]; !strings.HasSuffix(last, "message.") && !strings.HasPrefix(last, "user: To send") {
				s.Errorf("transcript %q", s.journal.lines)
			}
		})
	})
}

var identify = map[string]agent.AnswerAction{
	"screening": {Do: agent.AnswerIdentify, Name: "Parley", Purpose: "your order"},
	"voicemail": {Do: agent.AnswerLeaveMessage, Text: "Please call us back."},
}

// An assistant hears who is calling, and then the person who takes the call the opening.
func TestScreening(t *testing.T) {
	const told = "Hello, this is Parley. I am calling about the following: your order."
	screened := func(s *scenario) {
		s.say("Hi, if you record your name and reason for calling", 3*time.Second)
		s.wait(3*time.Second + 9*time.Second) // the agent has told
	}
	t.Run("a person takes the call", func(t *testing.T) {
		var picked time.Time
		perform(t, dialled(identify), func(s *scenario) {
			screened(s)
			s.say("Thanks, please stay on the line", 1500*ms)
			s.wait(8 * time.Second)
			s.say("Hello?", 500*ms)
			picked = time.Now().Add(500 * ms)
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			s.wantAnswered(answering.Screening, answering.Human)
			s.wantLines("user: Hi, if you record your name and reason for calling", "assistant: "+told, "user: Thanks, please stay on the line", "user: Hello?", "assistant: Hello there.")
			heard := s.line.heard()
			if after := heard[len(heard)-20].at.Sub(picked); after < 600*ms || after > 1100*ms {
				s.Errorf("the opening begins %v after the person spoke", after)
			}
		})
	})
	t.Run("a mailbox", func(t *testing.T) {
		perform(t, dialled(identify), func(s *scenario) {
			screened(s)
			s.say("Anna is not available, leave a message after the tone", 3*time.Second)
			s.waitEnd(VoicemailLeft)
		}, func(s *scenario) { s.wantAnswered(answering.Screening, answering.Voicemail) })
	})
	t.Run("nobody", func(t *testing.T) {
		var began time.Time
		perform(t, dialled(identify), func(s *scenario) {
			began = time.Now()
			screened(s)
			s.waitEnd(ScreenedOut)
			if took := time.Since(began); took < time.Minute || took > 66*time.Second {
				s.Errorf("ended after %v", took)
			}
		}, func(s *scenario) { s.wantAnswered(answering.Screening) })
	})
	t.Run("a purpose without a value", func(t *testing.T) {
		actions := map[string]agent.AnswerAction{"screening": {Do: agent.AnswerIdentify, Name: "Parley", Purpose: "order {{user.order}}"}}
		perform(t, dialled(actions), func(s *scenario) {
			s.say("Hi, if you record your name and reason for calling", 3*time.Second)
			s.waitEnd(ScreenedOut)
		}, func(s *scenario) {
			if len(s.line.heard()) > 0 || len(s.journal.problems) != 1 {
				s.Errorf("%d frames, problems %+v", len(s.line.heard()), s.journal.problems)
			}
		})
	})
}

// A person to whom the agent identifies itself gets the opening after their reply.
func TestAgentIdentifiesItselfToAPerson(t *testing.T) {
	actions := map[string]agent.AnswerAction{"human": {Do: agent.AnswerIdentify, Name: "Parley", Purpose: "your order"}}
	perform(t, dialled(actions), func(s *scenario) {
		s.say("Hello?", 500*ms)
		s.wait(12 * time.Second)
		s.say("Yes, go ahead", 900*ms)
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		s.wantAnswered(answering.Human)
		s.wantLines("user: Hello?", "assistant: Hello, this is Parley. I am calling about the following: your order.", "user: Yes, go ahead", "assistant: Hello there.")
	})
}

// A person for whom a message is has it to its end.
func TestPersonGetsTheMessage(t *testing.T) {
	text := strings.Repeat("This is a long message. ", 8)
	perform(t, dialled(map[string]agent.AnswerAction{"human": {Do: agent.AnswerLeaveMessage, Text: text}}), func(s *scenario) {
		s.say("Hello?", 500*ms)
		s.wait(4 * time.Second)
		s.say("Yes, go ahead", 900*ms)
		s.waitEnd(VoicemailLeft)
	}, func(s *scenario) { s.wantAnswered(answering.Human) })
}

// A mailbox that began like a person is found out, and gets its message.
func TestMailboxThatBeginsLikeAPerson(t *testing.T) {
	perform(t, dialled(leaveMessage), func(s *scenario) {
		s.say("Hello?", 500*ms)
		s.wait(1300 * ms)
		s.say("I am not here, leave me a message after the beep", 3*time.Second)
		s.wait(3400 * ms)
		s.beep(300 * ms)
		s.waitEnd(VoicemailLeft)
	}, func(s *scenario) { s.wantAnswered(answering.Human, answering.Voicemail) })
}

// The language model is asked where the layers disagree, and only then.
func TestModelSaysWhoAnswered(t *testing.T) {
	said := "You have reached Smith and Sons, press one"
	withModel := detecting(func(d *agent.AnswerDetection) { d.LLM = true })
	end := map[string]agent.AnswerAction{"voicemail": {Do: agent.AnswerEnd}, "menu": {Do: agent.AnswerEnd}}
	for name, tc := range map[string]struct {
		prepare func(*scenario)
		want    End
		asked   int
	}{
		"its answer counts":     {with(dialled(end), withModel, func(s *scenario) { s.model.reply = replies("Voicemail.") }), Voicemail, 1},
		"it does not know":      {with(dialled(end), withModel, func(s *scenario) { s.model.reply = replies("Who knows?") }), MenuFailed, 1},
		"it fails":              {with(dialled(end), withModel, func(s *scenario) { s.model.reply = refuses }), MenuFailed, 1},
		"it is not to be asked": {dialled(end), MenuFailed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, tc.prepare, func(s *scenario) {
				s.say(said, 2*time.Second)
				s.waitEnd(tc.want)
			}, func(s *scenario) {
				if n := len(s.model.asked()); n != tc.asked {
					s.Errorf("asked %d times, want %d", n, tc.asked)
				}
			})
		})
	}
}

func replies(text string) func(dialogue.Prompt) []step {
	return func(dialogue.Prompt) []step { return []step{{after: 200 * ms, text: text}} }
}

func refuses(dialogue.Prompt) []step { return []step{{err: dialogue.NewError("broken")}} }

func TestMenu(t *testing.T) {
	navigate := map[string]agent.AnswerAction{
		"menu":      {Do: agent.AnswerNavigate, Goal: "accounting", MaxPresses: new(3), MaxS: new(60)},
		"voicemail": {Do: agent.AnswerLeaveMessage, Text: "Please call us back."},
	}
	inMenu := func(phone *fakePhone, script map[string]string) func(*scenario) {
		return with(dialled(navigate), func(s *scenario) {
			s.options.Phone = phone
			s.model.reply = func(p dialogue.Prompt) []step {
				said := lastUser(p)
				for _, line := range slices.Backward(strings.Split(said, "\n")) {
					if heard, ok := strings.CutPrefix(line, "Heard: "); ok {
						return []step{{after: 200 * ms, text: script[heard]}}
					}
				}
				return []step{{text: "WAIT"}}
			}
		})
	}
	const main, sub = "For sales, press one. For accounting, press two", "For invoices, say invoices"
	t.Run("keys and words lead to a person", func(t *testing.T) {
		phone := &fakePhone{}
		perform(t, inMenu(phone, map[string]string{main: "PRESS 2", sub: "SAY invoices", "(silence)": "WAIT", "Accounting, Miller": "PERSON"}), func(s *scenario) {
			s.say(main, 3*time.Second)
			s.wait(6 * time.Second)
			s.say(sub, 3*time.Second)
			s.wait(7 * time.Second)
			s.say("Accounting, Miller", 900*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantAnswered(answering.Menu, answering.Human)
			if !slices.Equal(phone.sent, []string{"2"}) {
				s.Errorf("pressed %q", phone.sent)
			}
			s.wantLines("user: "+main, "assistant: 2", "user: "+sub, "assistant: invoices", "user: Accounting, Miller", "assistant: Hello there.")
		})
	})
	t.Run("to another person", func(t *testing.T) {
		phone := &fakePhone{}
		forPeople := detecting(func(d *agent.AnswerDetection) { d.Actions = map[string]agent.AnswerAction{"human": navigate["menu"]} })
		perform(t, with(inMenu(phone, map[string]string{"Hello?": "PRESS 2", "Accounting, Miller": "PERSON"}), forPeople), func(s *scenario) {
			s.say("Hello?", 500*ms)
			s.wait(4 * time.Second)
			s.say("Accounting, Miller", 900*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantAnswered(answering.Human)
			s.wantLines("user: Hello?", "assistant: 2", "user: Accounting, Miller", "assistant: Hello there.")
		})
	})
	t.Run("a loop ends", func(t *testing.T) {
		phone := &fakePhone{}
		perform(t, inMenu(phone, map[string]string{main: "WAIT", main + " please": "WAIT"}), func(s *scenario) {
			for i := range 4 {
				s.say(main+[]string{"", " please"}[i%2], 3*time.Second)
				s.wait(6 * time.Second)
			}
			s.waitEnd(MenuFailed)
		}, func(s *scenario) {
			if n := len(s.model.asked()); n != 2 {
				s.Errorf("asked %d times, want 2: the third repetition ends the call", n)
			}
		})
	})
	t.Run("too many keys", func(t *testing.T) {
		phone := &fakePhone{}
		perform(t, inMenu(phone, map[string]string{main: "PRESS 1234"}), func(s *scenario) {
			s.say(main, 3*time.Second)
			s.waitEnd(MenuFailed)
		}, func(s *scenario) {
			if len(phone.sent) > 0 {
				s.Errorf("pressed %q", phone.sent)
			}
		})
	})
	t.Run("too long", func(t *testing.T) {
		var began time.Time
		perform(t, inMenu(&fakePhone{}, map[string]string{main: "WAIT", "(silence)": "WAIT"}), func(s *scenario) {
			began = time.Now()
			s.say(main, 3*time.Second)
			s.waitEnd(MenuFailed)
			if took := time.Since(began); took < time.Minute || took > 66*time.Second {
				s.Errorf("ended after %v, want max_s", took)
			}
		}, func(*scenario) {})
	})
	t.Run("a mailbox at its end", func(t *testing.T) {
		perform(t, inMenu(&fakePhone{}, map[string]string{main: "PRESS 2"}), func(s *scenario) {
			s.say(main, 3*time.Second)
			s.wait(6 * time.Second)
			s.say(mailboxGreeting, 3*time.Second)
			s.waitEnd(VoicemailLeft)
		}, func(s *scenario) { s.wantAnswered(answering.Menu, answering.Voicemail) })
	})
	t.Run("the model gives up", func(t *testing.T) {
		perform(t, inMenu(&fakePhone{}, map[string]string{main: "GIVE UP"}), func(s *scenario) {
			s.say(main, 3*time.Second)
			s.waitEnd(MenuFailed)
		}, func(*scenario) {})
	})
}

// Nothing is certain in time: the agent speaks.
func TestWindowIsOver(t *testing.T) {
	var began time.Time
	window := detecting(func(d *agent.AnswerDetection) { d.WindowMS = new(1500) })
	perform(t, with(dialled(nil), window), func(s *scenario) {
		began = time.Now()
		s.say("Well", 1300*ms)
		s.wait(2 * time.Second)
	}, func(s *scenario) {
		s.wantAnswered(answering.Human)
		if v := s.journal.answers[0]; v.Cause != answering.WindowOver || v.After > 1600*ms {
			s.Errorf("%+v", v)
		}
		if late := s.firstHeard().Sub(began); late > 1800*ms {
			s.Errorf("the agent speaks after %v", late)
		}
	})
}

// A line that sends nothing while it is silent leads to the same verdict.
func TestSilentLineSendsNothing(t *testing.T) {
	perform(t, dialled(map[string]agent.AnswerAction{"silence": {Do: agent.AnswerEnd}}), func(s *scenario) {
		s.line.mu.Lock()
		s.line.muted = true
		s.line.mu.Unlock()
		s.waitEnd(AgentEnded)
	}, func(s *scenario) { s.wantAnswered(answering.Silence) })
}
