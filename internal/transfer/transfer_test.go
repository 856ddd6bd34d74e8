package transfer

import (
	"fmt"
	"slices"
	"testing"
)

// at returns a transfer in a state.
func at(t *testing.T, mode Mode, targets int, state State) *Machine {
	t.Helper()
	ways := map[State][]Event{
		Requested: nil, Holding: {Begin}, Dialling: {Begin, CallerHeld}, Answered: {Begin, CallerHeld, PhoneAnswered},
		Briefing:  {Begin, CallerHeld, PhoneAnswered, PersonFound},
		Connected: {Begin, CallerHeld, PhoneAnswered, PersonFound, BriefingEnded, PersonAccepted},
		Passed:    {Begin, CallerHeld, AgentTakes},
		Returned:  {Begin, CallerHeld, DialFailed},
	}
	m := New(mode, targets)
	for _, e := range ways[state] {
		m.Handle(e, nil)
	}
	if m.State() != state {
		t.Fatalf("the transfer is %v, want %s", m, state)
	}
	return m
}

// Whoever hangs up, at whatever moment: no leg stays, and the caller is with the agent again or has left.
func TestHangUps(t *testing.T) {
	for _, c := range []struct {
		state  State
		event  Event
		to     State
		do     []Action
		reason Reason
	}{
		{Requested, CallerHungUp, Returned, nil, CallerLeft},
		{Requested, AgentLeft, Returned, nil, CallerLeft},
		{Requested, PersonHungUp, Requested, nil, ""},
		{Holding, CallerHungUp, Returned, nil, CallerLeft},
		{Holding, AgentLeft, Returned, nil, CallerLeft},
		{Holding, PersonHungUp, Holding, nil, ""},
		{Dialling, CallerHungUp, Returned, []Action{HangUp}, CallerLeft},
		{Dialling, AgentLeft, Returned, []Action{HangUp}, CallerLeft},
		{Dialling, PersonHungUp, Returned, []Action{HangUp, GoOn}, LegLost},
		{Answered, CallerHungUp, Returned, []Action{HangUp}, CallerLeft},
		{Answered, AgentLeft, Returned, []Action{HangUp}, CallerLeft},
		{Answered, PersonHungUp, Returned, []Action{HangUp, GoOn}, LegLost},
		{Briefing, CallerHungUp, Returned, []Action{HangUp}, CallerLeft},
		{Briefing, AgentLeft, Returned, []Action{HangUp}, CallerLeft},
		{Briefing, PersonHungUp, Returned, []Action{HangUp, GoOn}, LegLost},
		{Connected, CallerHungUp, Connected, []Action{HangUp}, ""},
		{Connected, AgentLeft, Connected, []Action{HangUp}, ""},
		{Connected, PersonHungUp, Connected, []Action{EndCall}, ""},
		{Passed, CallerHungUp, Passed, nil, ""},
		{Passed, AgentLeft, Passed, nil, ""},
		{Passed, PersonHungUp, Passed, nil, ""},
		{Returned, CallerHungUp, Returned, nil, ""},
		{Returned, AgentLeft, Returned, nil, ""},
		{Returned, PersonHungUp, Returned, nil, ""},
	} {
		t.Run(fmt.Sprintf("%s/%d", c.state, c.event), func(t *testing.T) {
			m := at(t, Consult, 1, c.state)
			if do := m.Handle(c.event, nil); !slices.Equal(do, c.do) || m.State() != c.to || m.Failure().Reason != c.reason {
				t.Errorf("it is %s for %q, and does %v; want %s for %q, %v", m.State(), m.Failure().Reason, do, c.to, c.reason, c.do)
			}
		})
	}
}

// The modes differ in what follows when a person is there.
func TestModes(t *testing.T) {
	for mode, want := range map[Mode][][]Action{
		Bridge:   {{Hold}, {Dial}, {FindPerson}, {Connect}},
		Announce: {{Hold}, {Dial}, {FindPerson}, {Brief}, {Connect}},
		Consult:  {{Hold}, {Dial}, {FindPerson}, {Brief}, {AwaitReply}, {Connect}},
	} {
		m := New(mode, 1)
		for n, e := range []Event{Begin, CallerHeld, PhoneAnswered, PersonFound, BriefingEnded, PersonAccepted}[:len(want)] {
			if do := m.Handle(e, nil); !slices.Equal(do, want[n]) {
				t.Errorf("%s: event %d does %v, want %v", mode, n, do, want[n])
			}
		}
		if m.State() != Connected {
			t.Errorf("%s: it is %v", mode, m)
		}
	}
}

// A target that is not reached, or does not accept, gives way to the next one; the last one's failure counts.
func TestTargetsInTurn(t *testing.T) {
	for e, reason := range map[Event]Reason{
		PersonDeclined: Declined, AcceptTimedOut: Timeout, MachineFound: Voicemail, PersonHungUp: LegLost,
	} {
		m := at(t, Consult, 2, Briefing)
		if do := m.Handle(e, nil); !slices.Equal(do, []Action{HangUp, Dial}) || m.State() != Dialling || m.Target() != 1 || m.Failure().Reason != reason {
			t.Errorf("after %d it is %v for %q, and does %v", e, m, m.Failure().Reason, do)
		}
		m.Handle(PhoneAnswered, nil)
		m.Handle(PersonFound, nil)
		if m.State() != Briefing {
			t.Errorf("the second person is not briefed: %v", m)
		}
	}
	m := at(t, Bridge, 2, Dialling)
	m.Handle(DialFailed, &Failure{Reason: NoAnswer})
	if do := m.Handle(DialFailed, &Failure{Reason: Busy, SIPStatus: 486}); !slices.Equal(do, []Action{GoOn}) || m.State() != Returned {
		t.Errorf("after the last one it is %v, and does %v", m, do)
	}
	if f := m.Failure(); f.Reason != Busy || f.SIPStatus != 486 {
		t.Errorf("it failed as %+v", f)
	}
}

// An agent among the targets takes the caller, and keeps the failure of the target before.
func TestAgentAmongTheTargets(t *testing.T) {
	m := at(t, Consult, 3, Dialling)
	m.Handle(DialFailed, &Failure{Reason: NoAnswer})
	if do := m.Handle(AgentTakes, nil); !slices.Equal(do, []Action{PassOn}) || m.State() != Passed || !m.State().Ended() || m.Failure().Reason != NoAnswer {
		t.Errorf("it is %v for %q, and does %v", m, m.Failure().Reason, do)
	}
}

// What comes too late changes nothing, in any state.
func TestEventsThatWereOvertaken(t *testing.T) {
	for _, state := range []State{Requested, Holding, Dialling, Answered, Briefing, Connected, Passed, Returned} {
		for e := Begin; e < eventsEnd; e++ {
			if _, known := table[state][e]; known {
				continue
			}
			m := at(t, Consult, 1, state)
			if do := m.Handle(e, nil); do != nil || m.State() != state {
				t.Errorf("%s, event %d: it is %s, and does %v", state, e, m.State(), do)
			}
		}
	}
}

func TestReply(t *testing.T) {
	for text, want := range map[string]Event{
		"Yes, put them through.": PersonAccepted, "Yeah, no problem!": PersonAccepted, "Sure.": PersonAccepted, "Ja, gerne": PersonAccepted, "d’accord": PersonAccepted,
		"No, not now.": PersonDeclined, "I can't, I am in a meeting": PersonDeclined, "Nein.": PersonDeclined, "okay, but not now": PersonDeclined,
		"Who is calling?": 0, "": 0, "the yeson": 0, "Nora speaking": 0,
	} {
		if got := Reply(text); got != want {
			t.Errorf("%q means %d, want %d", text, got, want)
		}
	}
}
