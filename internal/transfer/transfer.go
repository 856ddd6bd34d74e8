// Package transfer is the state machine of handing a caller over to a person whose phone is dialled.
//
// It has neither clock nor connections: the conversation reports what has happened (Machine.Handle) and does what the
// machine returns. Whoever hangs up, at whatever moment, the caller is either connected, or with the agent again.
package transfer

import (
	"fmt"
	"slices"
)

// Mode is how a caller is handed over.
type Mode string

// The modes.
const (
	Refer    Mode = "refer"    // the caller's trunk connects the caller with a number (REFER)
	Bridge   Mode = "bridge"   // the person is connected as soon as they have answered
	Announce Mode = "announce" // the person hears a summary, and is connected then
	Consult  Mode = "consult"  // the person hears a summary, and accepts or declines
)

// Modes are all modes.
var Modes = []Mode{Refer, Bridge, Announce, Consult}

// IsMode reports whether a text is a mode.
func IsMode(text string) bool { return slices.Contains(Modes, Mode(text)) }

// State is where a transfer is.
type State string

// The states.
const (
	Requested State = "requested" // by a tool; the agent may still speak
	Holding   State = "holding"   // the caller is on hold
	Dialling  State = "dialling"  // the person's phone is dialled
	Answered  State = "answered"  // it was answered, and it is not known by whom
	Briefing  State = "briefing"  // the person hears the summary, or considers
	Connected State = "connected" // caller and person hear each other
	Passed    State = "passed"    // another agent has the caller
	Returned  State = "returned"  // the caller is with the agent again, or has left
)

// Ended reports whether nothing more happens in a state: an agent has the caller, or they have left.
func (s State) Ended() bool { return s == Returned || s == Passed }

// Reason is why a transfer failed.
type Reason string

// The reasons.
const (
	Busy       Reason = "busy"
	Declined   Reason = "declined"
	NoAnswer   Reason = "no_answer"
	Voicemail  Reason = "voicemail"   // a machine answered
	Rejected   Reason = "rejected"    // the trunk did not place the call
	Timeout    Reason = "timeout"     // the person neither accepted nor declined
	CallerLeft Reason = "caller_left" // or the call ended otherwise
	LegLost    Reason = "leg_lost"    // the person's phone left before they were connected
	NoTrunk    Reason = "no_trunk"
	NotAllowed Reason = "not_allowed" // the number, or one more call, is not allowed
)

// Event is what has happened.
type Event uint8

// The events.
const (
	Begin          Event = iota + 1 // the agent has spoken its message
	CallerHeld                      // the caller hears the hold sound
	PhoneAnswered                   // by somebody or something
	DialFailed                      // see Machine.Handle for the reason
	AgentTakes                      // the target is an agent, who takes the caller
	PersonFound                     // a person has answered
	MachineFound                    // a machine has
	BriefingEnded                   // the person has heard the summary
	PersonAccepted                  // by a key or in words
	PersonDeclined                  // by a key or in words
	AcceptTimedOut                  // neither
	CallerHungUp                    // the caller has left
	PersonHungUp                    // the person has left
	AgentLeft                       // the agent's side has ended the call
	eventsEnd
)

// Action is what is to be done.
type Action uint8

// The actions.
const (
	Hold       Action = iota + 1 // let the caller hear the hold sound
	Dial                         // dial the next target
	FindPerson                   // find out who has answered
	Brief                        // let the person hear the summary
	AwaitReply                   // the person may consider for a while
	Connect                      // let caller and person hear each other
	HangUp                       // the person's phone, also while it rings
	GoOn                         // let the agent go on with the caller
	PassOn                       // let the target, an agent, go on with them
	EndCall                      // for all
)

// step is what an event leads to in a state.
type step struct {
	to State
	do []Action
}

// next stands for the next target in Dialling, or Returned after the last one.
const next State = "next"

// agreed stands for Connected or Briefing, by mode.
const agreed State = "agreed"

var (
	leaves = step{Returned, []Action{HangUp}} // the caller's side
	fails  = step{next, []Action{HangUp}}
)

// table is every event that changes something in a state. All others are ignored: what they report has been overtaken.
var table = map[State]map[Event]step{
	Requested: {
		Begin:        {Holding, []Action{Hold}},
		CallerHungUp: {to: Returned}, AgentLeft: {to: Returned},
	},
	Holding: {
		CallerHeld:   {Dialling, []Action{Dial}},
		CallerHungUp: {to: Returned}, AgentLeft: {to: Returned},
	},
	Dialling: {
		PhoneAnswered: {Answered, []Action{FindPerson}},
		DialFailed:    {to: next},
		AgentTakes:    {Passed, []Action{PassOn}},
		PersonHungUp:  fails, CallerHungUp: leaves, AgentLeft: leaves,
	},
	Answered: {
		PersonFound:    {to: agreed},
		MachineFound:   fails,
		PersonAccepted: {Connected, []Action{Connect}},
		PersonDeclined: fails,
		PersonHungUp:   fails, CallerHungUp: leaves, AgentLeft: leaves,
	},
	Briefing: {
		BriefingEnded:  {to: agreed},
		MachineFound:   fails,
		PersonAccepted: {Connected, []Action{Connect}},
		PersonDeclined: fails, AcceptTimedOut: fails,
		PersonHungUp: fails, CallerHungUp: leaves, AgentLeft: leaves,
	},
	Connected: {
		PersonHungUp: {Connected, []Action{EndCall}}, CallerHungUp: {Connected, []Action{HangUp}}, AgentLeft: {Connected, []Action{HangUp}},
	},
	Passed:   {},
	Returned: {},
}

// reasons are why an event makes a transfer fail, besides DialFailed.
var reasons = map[Event]Reason{
	MachineFound: Voicemail, PersonDeclined: Declined, AcceptTimedOut: Timeout, PersonHungUp: LegLost, CallerHungUp: CallerLeft, AgentLeft: CallerLeft,
}

// Failure is why a transfer, or the attempt to reach one target, failed.
type Failure struct {
	Reason    Reason
	SIPStatus int    // the final status of the person's phone; 0 for none
	Detail    string // one sentence for the tenant
}

func (f *Failure) Error() string { return f.Detail }

// Machine is one transfer.
type Machine struct {
	mode    Mode
	targets int // number of them
	target  int // that is dialled, from 0
	state   State
	failure Failure
	briefed bool
}

// New returns a transfer to a number of targets, which are dialled in turn, in Requested.
func New(mode Mode, targets int) *Machine {
	return &Machine{mode: mode, targets: targets, state: Requested}
}

// State returns where the transfer is.
func (m *Machine) State() State { return m.state }

// Target returns the index of the target that is dialled.
func (m *Machine) Target() int { return m.target }

// Failure returns why the transfer failed, once it is Returned: that of the last target.
func (m *Machine) Failure() Failure { return m.failure }

// Handle handles an event, and returns what is to be done. failure is that of DialFailed.
func (m *Machine) Handle(e Event, failure *Failure) []Action {
	s, known := table[m.state][e]
	if !known {
		return nil
	}
	do := slices.Clone(s.do)
	switch s.to {
	case next:
		m.failure = Failure{Reason: reasons[e]}
		if failure != nil {
			m.failure = *failure
		}
		m.target++
		m.briefed = false
		if m.target < m.targets {
			m.state = Dialling
			return append(do, Dial)
		}
		m.state = Returned
		return append(do, GoOn)
	case agreed:
		return m.agree()
	case Returned:
		m.failure = Failure{Reason: reasons[e]}
	}
	m.state = s.to
	return do
}

// agree returns what follows when a person is there, and when they have heard the summary.
func (m *Machine) agree() []Action {
	switch {
	case m.mode == Bridge, m.briefed && m.mode == Announce:
		m.state = Connected
		return []Action{Connect}
	case m.briefed:
		return []Action{AwaitReply}
	}
	if m.state == Briefing {
		m.briefed = true
		return m.agree()
	}
	m.state = Briefing
	return []Action{Brief}
}

func (m *Machine) String() string {
	return fmt.Sprintf("%s transfer, %s, target %d of %d", m.mode, m.state, m.target+1, m.targets)
}
