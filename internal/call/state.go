package call

import (
	"fmt"
	"slices"

	"parley/internal/event"
)

// Status is where a call is in its life.
type Status string

// The states of a call. The last four are terminal: they never change.
const (
	Pending      Status = "pending"    // waits for its caller
	Connecting   Status = "connecting" // caller in the room, or being dialled
	Active       Status = "active"     // caller and agent hear each other
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

// The reasons, as status_reason tells them.
const (
	NoReason       Reason = ""
	CallerHangup   Reason = "caller_hangup"
	AgentEnded     Reason = "agent_ended"
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
	ServerShutdown Reason = "server_shutdown"
)

// unreached are the reasons for which a number that was dialled was not
// reached.
var unreached = []Reason{RingTimeout, Busy, Declined, Unreachable, InvalidNumber}

// dialled reports whether the reason is what became of dialling a number.
func (r *Reason) dialled() bool { return r != nil && slices.Contains(unreached, *r) }

// transition is one row of the state table.
type transition struct {
	from, to Status
	reasons  []Reason // that may lead there
}

// transitions is the whole life of a call; docs/call-states.md draws it. What
// is not in it cannot happen.
var transitions = []transition{
	{Pending, Connecting, []Reason{NoReason}},
	{Connecting, Active, []Reason{NoReason}},

	{Pending, Failed, []Reason{NoWorker, ProviderError, NoTrunk, EndedByAPI, WorkerLost, ServerShutdown, CallerHangup, ConnectionLost}},
	{Connecting, Failed, append([]Reason{ProviderError, EndedByAPI, WorkerLost, ServerShutdown, CallerHangup, ConnectionLost}, unreached...)},
	{Pending, Timeout, []Reason{JoinTimeout}},

	{Active, Completed, []Reason{CallerHangup, AgentEnded, EndedByAPI}},
	{Active, Disconnected, []Reason{ConnectionLost, WorkerLost, ServerShutdown, ProviderError}},
	{Active, Timeout, []Reason{MaxDuration, Silence}},
}

// announced names the event that reaching a state fires.
var announced = map[Status]string{
	Pending:      event.CallStarted,
	Active:       event.CallConnected,
	Completed:    event.CallCompleted,
	Failed:       event.CallFailed,
	Disconnected: event.CallDisconnected,
	Timeout:      event.CallTimeout,
}

// check says whether a call may go from one state to another for a reason.
func check(from, to Status, reason Reason) error {
	for _, t := range transitions {
		if t.from == from && t.to == to && slices.Contains(t.reasons, reason) {
			return nil
		}
	}
	return fmt.Errorf("a call cannot go from %s to %s with reason %q", from, to, reason)
}

// ending is the terminal state that a reason leads to from a state, for an end
// that comes from outside the conversation.
func ending(from Status, reason Reason) (Status, bool) {
	for _, t := range transitions {
		if t.from == from && t.to.Terminal() && slices.Contains(t.reasons, reason) {
			return t.to, true
		}
	}
	return "", false
}
