package voice

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/control"
	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/transfer"
)

// control sends a control, whose ID is its kind.
func (s *scenario) control(r control.Request) { s.controls <- Control{string(r.Kind), r} }

func (s *scenario) wantControls(want ...string) {
	s.Helper()
	if diff := cmp.Diff(want, s.journal.controls); diff != "" {
		s.Errorf("controls (-want +got):\n%s", diff)
	}
}

// controlled gives a scenario a way to control the conversation.
func controlled(s *scenario) {
	s.controls = make(chan Control)
	s.options.Controls = s.controls
}

func TestControlSays(t *testing.T) {
	for name, test := range map[string]struct {
		interrupt bool
		want      []string
	}{
		"after the agent":          {false, []string{"assistant: Hello there.", "user: when do you open", "assistant: We open at nine.", "assistant: The line is free."}},
		"in place of what it says": {true, []string{"assistant: Hello there.", "user: when do you open", "assistant: We", "assistant: The line is free."}},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, controlled, func(s *scenario) {
				s.question("when do you open")
				s.wait(900 * ms)
				s.control(control.Request{Kind: control.Say, Text: "The line is free.", Interrupt: test.interrupt})
				s.wait(4 * time.Second)
			}, func(s *scenario) {
				s.wantLines(test.want...)
				s.wantControls("say")
			})
		})
	}
}

// A fact reaches the model with the next question, or at once where the agent is to respond.
func TestControlMessages(t *testing.T) {
	perform(t, with(controlled, func(s *scenario) {
		s.model.reply = func(p dialogue.Prompt) []step {
			last := p.Messages[len(p.Messages)-1]
			if last.Role == dialogue.RoleSystem && last.Content == "The caller has paid." {
				return []step{{text: "Thank you for paying."}}
			}
			for _, m := range p.Messages {
				if strings.Contains(m.Content, "closed today") {
					return []step{{text: "We are closed today."}}
				}
			}
			return []step{{text: "We open at nine."}}
		}
	}), func(s *scenario) {
		s.wait(2 * time.Second)
		s.control(control.Request{Kind: control.Message, Text: "The shop is closed today."})
		s.question("when do you open")
		s.wait(3 * time.Second)
		s.control(control.Request{Kind: control.Message, Text: "The caller has paid.", Respond: true})
		s.wait(3 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We are closed today.", "assistant: Thank you for paying.")
		s.wantControls("message", "message")
	})
}

// Templates see what was merged into the context, and so does a session that takes over. A value of it is masked from then on.
func TestControlChangesContext(t *testing.T) {
	var saved []byte
	prepare := func(s *scenario) {
		controlled(s)
		s.options.UserContext = map[string]any{"name": "Ada", "plan": "basic"}
		anna := config("Hello {{user.name}}.")
		anna.Prompt.System = "{{user.name}} has {{user.plan | \"no plan\"}} {{user.order.id}}."
		s.options.Plan.Agents["anna"] = anna
		s.options.SaveSnapshot = func(snapshot json.RawMessage) (_ <-chan struct{}) {
			saved = snapshot
			done := make(chan struct{})
			close(done)
			return done
		}
	}
	perform(t, prepare, func(s *scenario) {
		s.wait(2 * time.Second)
		s.control(control.Request{Kind: control.Context, UserContext: map[string]any{"plan": nil, "order": map[string]any{"id": "order-4711"}}})
		s.question("when do you open")
		s.wait(3 * time.Second)
	}, func(s *scenario) {
		s.wantControls("context")
		if got, want := s.model.prompts[len(s.model.prompts)-1].System, "Ada has no plan order-4711."; !strings.Contains(got, want) {
			s.Errorf("the prompt is %q", got)
		}
	})
	perform(t, func(s *scenario) {
		prepare(s)
		s.options.Snapshot, s.options.ResumeAgent = saved, "anna"
		s.options.History = []dialogue.Message{{Role: dialogue.RoleAssistant, Content: "Hello Ada."}}
	}, func(s *scenario) { s.wait(3 * time.Second) }, func(s *scenario) {
		if got, want := s.model.prompts[0].System, "Ada has no plan order-4711."; !strings.Contains(got, want) {
			s.Errorf("after a take-over the prompt is %q", got)
		}
	})
}

// A muted agent writes down what the caller says, and answers again when it is not muted any more. It still says what it is told to say.
func TestControlMutes(t *testing.T) {
	perform(t, controlled, func(s *scenario) {
		s.wait(2 * time.Second)
		s.control(control.Request{Kind: control.Mute, Muted: true})
		s.say("when do you open", 1000*ms)
		s.wait(4 * time.Second)
		s.control(control.Request{Kind: control.Say, Text: "One moment."})
		s.wait(3 * time.Second)
		s.control(control.Request{Kind: control.Mute, Muted: false})
		s.say("are you there", 1000*ms)
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: One moment.", "user: are you there", "assistant: We open at nine.")
		s.wantControls("mute", "say", "mute")
		s.wantProblems()
	})
}

func TestControlTransfers(t *testing.T) {
	persons := &fakePersons{answers: []personAnswer{{after: time.Second, talks: 600 * ms}}}
	next := &tool.Next{Action: tool.TransferCall, Number: colleagueNumber, Message: "I connect you.", Transfer: &tool.Transfer{Mode: transfer.Bridge, Targets: []string{colleagueNumber}, Ring: 20 * time.Second}}
	perform(t, with(controlled, func(s *scenario) { s.options.Persons = persons }), func(s *scenario) {
		s.wait(2 * time.Second)
		s.control(control.Request{Kind: control.Transfer, Next: next})
		s.wait(3 * time.Second)
		s.control(control.Request{Kind: control.Say, Text: "Too late."})
		s.wait(8 * time.Second)
		persons.person().gone <- struct{}{}
		s.wait(time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "assistant: I connect you.")
		s.wantControls("transfer", "say "+refusedTransfer)
		if got := persons.happened(); !strings.HasPrefix(strings.Join(got, ", "), "hold, connect") {
			s.Errorf("the persons' events are %v", got)
		}
	})
}

func TestControlsThatAreRefused(t *testing.T) {
	perform(t, controlled, func(s *scenario) {
		s.wait(2 * time.Second)
		s.control(control.Request{Kind: control.Transfer, Next: &tool.Next{Action: tool.TransferCall, Number: colleagueNumber}})
		s.control(control.Request{Kind: control.Transfer, Next: &tool.Next{Action: tool.TransferCall, Number: colleagueNumber, Transfer: &tool.Transfer{Mode: transfer.Bridge, Targets: []string{colleagueNumber}}}})
		s.control(control.Request{Kind: control.Context, UserContext: map[string]any{"big": strings.Repeat("x", 2<<20)}})
		s.wait(time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.")
		s.wantControls("transfer "+refusedNoPhone, "transfer "+refusedNoDialling, "context the user context would have more than 1024 KiB")
	})
}

// Muting the agent stops neither what was requested of it nor what it says to a person: the transfer goes on.
func TestControlMutesDuringATransfer(t *testing.T) {
	for name, after := range map[string]time.Duration{"while it announces the transfer": 400 * ms, "while it briefs the person": 5500 * ms} {
		t.Run(name, func(t *testing.T) {
			persons := &fakePersons{answers: []personAnswer{{after: time.Second, talks: 600 * ms}}}
			next := &tool.Next{Action: tool.TransferCall, Number: colleagueNumber, Message: "I connect you with a colleague now.",
				Transfer: &tool.Transfer{Mode: transfer.Announce, Targets: []string{colleagueNumber}, Ring: 20 * time.Second, Summary: "Ada has asked for her money back, and the order has not come yet."}}
			perform(t, with(controlled, func(s *scenario) { s.options.Persons = persons }), func(s *scenario) {
				s.wait(2 * time.Second)
				s.control(control.Request{Kind: control.Transfer, Next: next})
				s.wait(after)
				s.control(control.Request{Kind: control.Mute, Muted: true})
				s.wait(20 * time.Second)
			}, func(s *scenario) {
				s.wantControls("transfer", "mute")
				s.wantSteps("started 1/1", "answered 1/1", "completed 1/1")
			})
		})
	}
}

// A speech-to-speech model receives facts, says what is requested, and does not answer while it is muted.
func TestControlOfASpeechToSpeechModel(t *testing.T) {
	converses(t, verbatim(duplexReply{text: "We open at nine."}), controlled, func(s *scenario) {
		s.wait(2 * time.Second)
		s.control(control.Request{Kind: control.Message, Text: "The shop is closed today."})
		s.control(control.Request{Kind: control.Mute, Muted: true})
		s.say("when do you open", 1000*ms)
		s.wait(4 * time.Second)
		s.control(control.Request{Kind: control.Say, Text: "One moment."})
		s.wait(3 * time.Second)
		s.control(control.Request{Kind: control.Mute, Muted: false})
		s.say("are you there", 1000*ms)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: One moment.", "user: are you there", "assistant: We open at nine.")
		s.wantControls("message", "mute", "say", "mute")
		if events := strings.Join(s.duplex.events, "\n"); !strings.Contains(events, "system: The shop is closed today.") || !strings.Contains(events, "system: "+mutedNote) {
			s.Errorf("the model received\n%s", events)
		}
	})
}

// It is not known whether a mailbox hears the agent: there is nothing to control but what the model knows.
func TestControlBeforeAnyoneHasAnswered(t *testing.T) {
	perform(t, with(controlled, dialled(nil)), func(s *scenario) {
		s.wait(500 * ms)
		s.control(control.Request{Kind: control.Mute, Muted: true})
		s.control(control.Request{Kind: control.Say, Text: "Hello."})
		s.control(control.Request{Kind: control.Message, Text: "A fact."})
		s.wait(time.Second)
	}, func(s *scenario) { s.wantControls("mute "+refusedUnanswered, "say "+refusedUnanswered, "message") })
}
