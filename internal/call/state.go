package call

import (
	"fmt"
	"slices"

	"parley/internal/event"
)

// Status is the state of a call.
type Status string

// The states of a call. The last four are terminal: they never change.
const (
	Pending      Status = "pending"    // waits for its caller
	Connecting   Status = "connecting" // caller in the room, or being dialled
	Active       Status = "active"     // caller and agent exchange audio
	Completed    Status = "completed"
	Failed       Status = "failed"
	Disconnected Status = "disconnected"
	Timeout      Status = "timeout"
)

// Statuses lists all states in the order of a call's life.
var Statuses = []Status{Pending, Connecting, Active, Completed, Failed, Disconnected, Timeout}

// Terminal reports whether the call is over.
func (s Status) Terminal() bool {
	return s == Completed || s == Failed || s == Disconnected || s == Timeout
}

// Reason says why a call is in its state.
type Reason string

// The values of status_reason.
const (
	NoReason       Reason = ""
	CallerHangup   Reason = "caller_hangup"
	AgentEnded     Reason = "agent_ended"
	Transferred    Reason = "transferred"
	EndedByAPI     Reason = "ended_by_api"
	JoinTimeout    Reason = "join_timeout"
	RingTimeout    Reason = "ring_timeout"
	Busy           Reason = "busy"
	Declined       Reason = "declined"
	Unreachable    Reason = "unreachable"
	InvalidNumber  Reason = "invalid_number"
	NoWorker       Reason = "no_worker"
	ProviderError  Reason = "provider_error"
	NoTrunk        Reason = "no_trunk"
	ConnectionLost Reason = "connection_lost"
	WorkerLost     Reason = "worker_lost"
	MaxDuration    Reason = "max_duration"
	Silence        Reason = "silence"
	VoicemailLeft  Reason = "voicemail_left" // a message was left on a mailbox
	Voicemail      Reason = "voicemail"      // a mailbox answered
	ScreenedOut    Reason = "screened_out"   // an assistant did not connect the agent
	MenuFailed     Reason = "menu_failed"    // no person was found through a menu
	Budget         Reason = "budget"         // the call has cost as much as it may
	ServerShutdown Reason = "server_shutdown"
	HookRejected   Reason = "rejected_by_hook" // the call hook of an inbound phone call rejected it
)

// unreachedReasons are the reasons for a dialled number that was not reached.
var unreachedReasons = []Reason{RingTimeout, Busy, Declined, Unreachable, InvalidNumber}

// dialFailed reports whether the reason is the failure of a dial.
func (r *Reason) dialFailed() bool { return r != nil && slices.Contains(unreachedReasons, *r) }

// transition is one row of the state table.
type transition struct {
	from, to Status
	reasons  []Reason // any of which permits the transition
}

// transitions is the complete state machine of a call; docs/call-states.md draws it. Any other transition is an
// error.
var transitions = []transition{
	{Pending, Connecting, []Reason{NoReason}},
	{Connecting, Active, []Reason{NoReason}},

	{Pending, Failed, []Reason{NoWorker, ProviderError, NoTrunk, EndedByAPI, WorkerLost, ServerShutdown, CallerHangup, ConnectionLost, HookRejected}},
	{Connecting, Failed, append([]Reason{ProviderError, EndedByAPI, WorkerLost, ServerShutdown, CallerHangup, ConnectionLost}, unreachedReasons...)},
	{Pending, Timeout, []Reason{JoinTimeout}},

	{Active, Completed, []Reason{CallerHangup, AgentEnded, Transferred, EndedByAPI, VoicemailLeft, Voicemail, ScreenedOut, MenuFailed, Budget}},
	{Active, Disconnected, []Reason{ConnectionLost, WorkerLost, ServerShutdown, ProviderError}},
	{Active, Timeout, []Reason{MaxDuration, Silence}},
}

// EndReasons returns the values of status_reason of calls that have ended, sorted.
func EndReasons() (names []string) {
	for _, t := range transitions {
		if !t.to.Terminal() {
			continue
		}
		for _, reason := range t.reasons {
			if !slices.Contains(names, string(reason)) {
				names = append(names, string(reason))
			}
		}
	}
	slices.Sort(names)
	return names
}

// eventOf maps a state to the event that reaching it appends.
var eventOf = map[Status]string{
	Pending:      event.CallStarted,
	Active:       event.CallConnected,
	Completed:    event.CallCompleted,
	Failed:       event.CallFailed,
	Disconnected: event.CallDisconnected,
	Timeout:      event.CallTimeout,
}

// checkTransition returns an error unless the state machine permits the transition for the reason.
func checkTransition(from, to Status, reason Reason) error {
	for _, t := range transitions {
		if t.from == from && t.to == to && slices.Contains(t.reasons, reason) {
			return nil
		}
	}
	return fmt.Errorf("a call cannot go from %s to %s with reason %q", from, to, reason)
}

// terminalState returns the terminal state that a reason leads to from a state.
func terminalState(from Status, reason Reason) (Status, bool) {
	for _, t := range transitions {
		if t.from == from && t.to.Terminal() && slices.Contains(t.reasons, reason) {
			return t.to, true
		}
	}
	return "", false
}
