package voice

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/transfer"
)

// fakePersons answers dials as a script says.
type fakePersons struct {
	answers []personAnswer // of the dials in turn

	mu      sync.Mutex
	dialled []string
	events  []string // hold, resume, and what happened to persons
	persons []*fakePerson
}

// personAnswer is what a dialled phone does.
type personAnswer struct {
	after   time.Duration
	failure *transfer.Failure // nil for an answer
	talks   time.Duration     // how long the person speaks when they have answered
}

func (p *fakePersons) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.events = append(p.events, fmt.Sprintf(format, args...))
}

func (p *fakePersons) Hold(_, sound string) { p.note("%s", strings.TrimSpace("hold "+sound)) }
func (p *fakePersons) Resume()              { p.note("resume") }

func (p *fakePersons) Dial(ctx context.Context, c PersonCall) (Person, error) {
	p.mu.Lock()
	n := len(p.dialled)
	p.dialled = append(p.dialled, c.Target)
	p.mu.Unlock()
	answer := p.answers[n]
	select {
	case <-time.After(answer.after):
	case <-ctx.Done():
		p.note("cancelled")
		return nil, ctx.Err()
	}
	if answer.failure != nil {
		return nil, answer.failure
	}
	person := &fakePerson{of: p, pressed: make(chan byte, 4), gone: make(chan struct{}), over: make(chan struct{})}
	person.line = &fakeLine{frames: make(chan []int16), until: time.Now().Add(answer.talks)}
	go person.line.run(person.over)
	p.mu.Lock()
	p.persons = append(p.persons, person)
	p.mu.Unlock()
	return person, nil
}

// Admit has an operator join after the time of the next answer, or not at all if that is a failure.
func (p *fakePersons) Admit(_ context.Context, id string) (Operator, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer := p.answers[len(p.persons)]
	person := &fakePerson{of: p, gone: make(chan struct{}), over: make(chan struct{}), joined: make(chan struct{})}
	person.line = &fakeLine{frames: make(chan []int16)}
	go person.line.run(person.over)
	if answer.failure == nil {
		time.AfterFunc(answer.after, func() { close(person.joined) })
	}
	p.events, p.persons = append(p.events, "admit "+id), append(p.persons, person)
	return person, nil
}

func (p *fakePersons) happened() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.events)
}

func (p *fakePersons) person() *fakePerson {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.persons[len(p.persons)-1]
}

// fakePerson is a person on a line of their own.
type fakePerson struct {
	line    *fakeLine
	of      *fakePersons
	pressed chan byte
	joined  chan struct{} // of an operator
	gone    chan struct{}
	over    chan struct{} // closed by HangUp
	once    sync.Once
	at      time.Time // when they were connected
}

func (p *fakePerson) Frames() <-chan []int16  { return p.line.frames }
func (p *fakePerson) Keys() <-chan byte       { return p.pressed }
func (p *fakePerson) Left() <-chan struct{}   { return p.gone }
func (p *fakePerson) Joined() <-chan struct{} { return p.joined }
func (p *fakePerson) Play(pcm []int16) error  { return p.line.Play(pcm) }
func (p *fakePerson) Connect()                { p.at = time.Now(); p.of.note("connect") }
func (p *fakePerson) HangUp() {
	p.once.Do(func() {
		p.of.note("hang up")
		close(p.over)
	})
}

const colleagueNumber, second = "+4930123456", "+4930123457"

// handingOver gives the agent a tool that hands the caller over, and a model that calls it.
func handingOver(persons *fakePersons, connection tool.Connection) func(*scenario) {
	connection.To = []string{colleagueNumber, second}[:len(persons.answers)]
	tools := map[string]tool.Definition{"connect": does(tool.Action{Type: tool.TransferCall, Connection: connection, Message: "I connect you."})}
	return func(s *scenario) {
		equip(tools, nil, nil)(s)
		s.model.reply = func(p dialogue.Prompt) []step {
			last := p.Messages[len(p.Messages)-1]
			switch {
			case strings.Contains(p.System, "A colleague takes over"):
				return says("Ada wants a refund.")
			case strings.Contains(last.Content, "The transfer has failed"):
				_, rest, _ := strings.Cut(last.Content, `"reason":"`)
				reason, _, _ := strings.Cut(rest, `"`)
				return says("Sorry: " + reason + ".")
			case last.Content == "a person":
				return calls("connect")
			}
			return says("Are you there?")
		}
		s.options.Persons = persons
	}
}

// steps returns the recorded steps of a transfer.
func (s *scenario) steps() (steps []string) {
	for _, t := range s.journal.transfers {
		step := fmt.Sprintf("%s %d/%d", t.Phase, t.Attempt, t.Attempts)
		if t.Failure.Reason != "" {
			step += " " + string(t.Failure.Reason)
		}
		steps = append(steps, step)
	}
	return steps
}

func (s *scenario) wantSteps(want ...string) {
	s.Helper()
	if got := s.steps(); !slices.Equal(got, want) {
		s.Errorf("steps %q, want %q", got, want)
	}
}

func (s *scenario) wantDone(p *fakePersons, want ...string) {
	s.Helper()
	if got := p.happened(); !slices.Equal(got, want) {
		s.Errorf("happened: %q, want %q", got, want)
	}
}

// A person who answers is connected; their hang-up ends the call.
func TestTransferByBridge(t *testing.T) {
	persons := &fakePersons{answers: []personAnswer{{after: 3 * time.Second, talks: 700 * ms}}}
	perform(t, handingOver(persons, tool.Connection{Mode: transfer.Bridge}), func(s *scenario) {
		s.question("a person")
		s.wait(3500 * ms)
		s.say("hello", 600*ms) // on hold nobody answers
		s.wait(6 * time.Second)
		close(persons.person().gone)
		s.waitEnd(Transferred)
	}, func(s *scenario) {
		s.wantSteps("started 1/1", "answered 1/1", "completed 1/1")
		s.wantDone(persons, "hold", "connect", "hang up")
		s.wantLines("assistant: Hello there.", "user: a person", "anna calls connect", "assistant: I connect you.")
	})
}

// With a page, a summary is made without anybody hearing it, also for a person who is connected at once; each person's page has it.
func TestTransferWithAPage(t *testing.T) {
	busy := &transfer.Failure{Reason: transfer.Busy, SIPStatus: 486, Detail: "The line is busy (SIP 486)."}
	persons := &fakePersons{answers: []personAnswer{{after: 3 * time.Second, failure: busy}, {after: 3 * time.Second, talks: 700 * ms}}}
	perform(t, with(sales, handingOver(persons, tool.Connection{Mode: transfer.Bridge, Page: true}), func(s *scenario) {
		connect := s.options.Plan.Tools["connect"]
		connect.Config.Actions[0].To = []string{colleagueNumber, "agent:nobody", second}
	}), func(s *scenario) {
		s.question("a person")
		s.wait(14 * time.Second)
		close(persons.person().gone)
		s.waitEnd(Transferred)
	}, func(s *scenario) {
		s.wantSteps("started 1/3", "summarised 1/3", "failed 1/3 busy", "started 2/3", "failed 2/3 rejected", "started 3/3", "answered 3/3", "completed 3/3")
		for n, t := range s.journal.transfers {
			if wantPage := t.Attempt != 2; t.Page != wantPage {
				s.Errorf("step %d has a page: %v", n, t.Page)
			}
			want := ""
			if t.Phase == TransferSummarised || t.Phase == TransferStarted && t.Attempt == 3 {
				want = "Ada wants a refund."
			}
			if t.Summary != want {
				s.Errorf("step %d has the summary %q, want %q", n, t.Summary, want)
			}
		}
		s.wantLines("assistant: Hello there.", "user: a person", "anna calls connect", "assistant: I connect you.")
	})
}

// What went wrong is data for the model, and the agent goes on at once; the second target is dialled before.
func TestTransferThatFails(t *testing.T) {
	busy := &transfer.Failure{Reason: transfer.Busy, SIPStatus: 486, Detail: "The line is busy (SIP 486)."}
	persons := &fakePersons{answers: []personAnswer{{after: time.Second, failure: busy}, {after: time.Second, failure: &transfer.Failure{Reason: transfer.NoAnswer, Detail: "Nobody."}}}}
	perform(t, handingOver(persons, tool.Connection{Mode: transfer.Bridge}), func(s *scenario) {
		s.question("a person")
		s.wait(8 * time.Second)
	}, func(s *scenario) {
		s.wantSteps("started 1/2", "failed 1/2 busy", "started 2/2", "failed 2/2 no_answer")
		s.wantDone(persons, "hold", "resume")
		s.wantLines("assistant: Hello there.", "user: a person", "anna calls connect", "assistant: I connect you.", "assistant: Sorry: no_answer.")
		s.wantProblems("warning tool the caller could not be transferred (no_answer): Nobody.")
		if f := s.journal.transfers[1].Failure; f.SIPStatus != 486 {
			s.Errorf("the first failure is %+v", f)
		}
	})
}

// The target after the last person is an agent, who takes the caller; one that is not there gives way to the next target.
func TestTransferToAnAgent(t *testing.T) {
	persons := &fakePersons{answers: []personAnswer{{after: time.Second, failure: &transfer.Failure{Reason: transfer.NoAnswer, Detail: "Nobody."}}}}
	perform(t, with(sales, handingOver(persons, tool.Connection{Mode: transfer.Consult}), func(s *scenario) {
		connect := s.options.Plan.Tools["connect"]
		connect.Config.Actions[0].To = []string{colleagueNumber, "agent:nobody", "agent:bert"}
	}), func(s *scenario) {
		s.question("a person")
		s.wait(8 * time.Second)
	}, func(s *scenario) {
		s.wantSteps("started 1/3", "failed 1/3 no_answer", "started 2/3", "failed 2/3 rejected", "started 3/3", "completed 3/3")
		s.wantDone(persons, "hold", "resume")
		s.wantLines("assistant: Hello there.", "user: a person", "anna calls connect", "assistant: I connect you.", "assistant: Bert here.")
		if !slices.Equal(s.journal.changes, []string{"anna → bert"}) {
			s.Errorf("agents changed %q", s.journal.changes)
		}
		s.wantProblems()
	})
}

// The person alone hears the summary, and is connected when they press 1.
func TestConsultation(t *testing.T) {
	for name, c := range map[string]struct {
		reply func(s *scenario, p *fakePerson)
		steps []string
		then  []string
	}{
		"key 1": {func(_ *scenario, p *fakePerson) { p.pressed <- transfer.AcceptKey }, []string{"started 1/1", "answered 1/1", "completed 1/1"}, []string{"hold", "connect", "hang up"}},
		"key 2": {func(_ *scenario, p *fakePerson) { p.pressed <- transfer.DeclineKey }, []string{"started 1/1", "answered 1/1", "failed 1/1 declined"}, []string{"hold", "hang up", "resume"}},
		"yes": {func(s *scenario, _ *fakePerson) {
			s.recognizer.hear(dialogue.Transcript{Text: "yes please", Final: true})
		},
			[]string{"started 1/1", "answered 1/1", "completed 1/1"}, []string{"hold", "connect", "hang up"}},
		"no":       {func(s *scenario, _ *fakePerson) { s.recognizer.hear(dialogue.Transcript{Text: "not now", Final: true}) }, []string{"started 1/1", "answered 1/1", "failed 1/1 declined"}, []string{"hold", "hang up", "resume"}},
		"nothing":  {func(*scenario, *fakePerson) {}, []string{"started 1/1", "answered 1/1", "failed 1/1 timeout"}, []string{"hold", "hang up", "resume"}},
		"hangs up": {func(_ *scenario, p *fakePerson) { close(p.gone) }, []string{"started 1/1", "answered 1/1", "failed 1/1 leg_lost"}, []string{"hold", "hang up", "resume"}},
	} {
		t.Run(name, func(t *testing.T) {
			ten := 10
			persons := &fakePersons{answers: []personAnswer{{after: time.Second, talks: 700 * ms}}}
			var replied time.Time
			perform(t, handingOver(persons, tool.Connection{Mode: transfer.Consult, AcceptSeconds: &ten}), func(s *scenario) {
				s.question("a person")
				s.wait(14 * time.Second)
				heard := len(s.line.heard())
				if n := len(persons.person().line.heard()); n < 50 {
					s.Errorf("the person has heard %d frames", n)
				}
				replied = time.Now()
				c.reply(s, persons.person())
				s.wait(100 * ms)
				if c.then[1] == "connect" {
					if len(s.line.heard()) != heard {
						s.Error("the caller hears the agent")
					}
					if took := persons.person().at.Sub(replied); took > 50*ms {
						s.Errorf("they were connected after %v", took)
					}
				}
				s.wait(14 * time.Second)
			}, func(s *scenario) {
				s.wantSteps(c.steps...)
				s.wantDone(persons, c.then...)
				for _, caption := range s.line.captions {
					if strings.Contains(caption.Text, "refund") {
						s.Errorf("the caller reads %q", caption.Text)
					}
				}
				if last := s.journal.transfers[len(s.journal.transfers)-1]; c.then[1] == "connect" && last.Summary != "Ada wants a refund." {
					s.Errorf("the summary is %q", last.Summary)
				}
			})
		})
	}
}

// A mailbox is not a person.
func TestTransferToAMailbox(t *testing.T) {
	persons := &fakePersons{answers: []personAnswer{{after: time.Second, talks: 3 * time.Second}}}
	perform(t, handingOver(persons, tool.Connection{Mode: transfer.Announce, Summary: "Ada is calling."}), func(s *scenario) {
		s.question("a person")
		s.wait(4 * time.Second)
		s.recognizer.hear(dialogue.Transcript{Text: "please leave a message after the tone", Final: true})
		s.wait(6 * time.Second)
	}, func(s *scenario) {
		s.wantSteps("started 1/1", "answered 1/1", "failed 1/1 voicemail")
		if n := len(persons.person().line.heard()); n != 0 {
			s.Errorf("the mailbox has heard %d frames", n)
		}
	})
}

// A caller who hangs up while the phone rings: it rings no longer. One who waits long is spoken to.
func TestCallerLeavesDuringTransfer(t *testing.T) {
	persons := &fakePersons{answers: []personAnswer{{after: time.Hour}}}
	perform(t, handingOver(persons, tool.Connection{Mode: transfer.Bridge}), func(s *scenario) {
		s.question("a person")
		s.wait(40 * time.Second)
		s.cancel(errHungUp)
		<-s.ended
	}, func(s *scenario) {
		s.wantSteps("started 1/1", "failed 1/1 caller_left")
		s.wantDone(persons, "hold", "cancelled")
		s.wantLines("assistant: Hello there.", "user: a person", "anna calls connect", "assistant: I connect you.",
			"assistant: Thank you for waiting. I am still trying to reach somebody for you.")
	})
}

// A person to whom the call is announced hears the summary, and is connected then.
func TestTransferByAnnouncement(t *testing.T) {
	persons := &fakePersons{answers: []personAnswer{{after: time.Second, talks: 700 * ms}}}
	perform(t, handingOver(persons, tool.Connection{Mode: transfer.Announce, Summary: "Ada is calling."}), func(s *scenario) {
		s.question("a person")
		s.wait(12 * time.Second)
		person := persons.person()
		heard := person.line.heard()
		if len(heard) == 0 || person.at.IsZero() || heard[len(heard)-1].at.After(person.at) {
			s.Errorf("the person has heard %d frames, and was connected at %v", len(heard), person.at)
		}
		s.cancel(errHungUp)
		<-s.ended
	}, func(s *scenario) {
		s.wantSteps("started 1/1", "answered 1/1", "completed 1/1")
		s.wantDone(persons, "hold", "connect", "hang up")
	})
}

// An agent whose voice fails while the caller is on hold apologises to the caller, and nobody's phone rings on.
func TestVoiceFailsInTransfer(t *testing.T) {
	persons := &fakePersons{answers: []personAnswer{{after: time.Second, talks: 700 * ms}}}
	perform(t, handingOver(persons, tool.Connection{Mode: transfer.Announce, Summary: "Ada is calling."}), func(s *scenario) {
		s.question("a person")
		s.wait(2 * time.Second)
		s.synthesizer.mu.Lock()
		s.synthesizer.fail = 100
		s.synthesizer.mu.Unlock()
		s.waitEnd(ProviderError)
	}, func(s *scenario) {
		if done := persons.happened(); !slices.Contains(done, "hang up") || slices.Contains(done, "connect") {
			s.Errorf("happened: %q", done)
		}
	})
}
