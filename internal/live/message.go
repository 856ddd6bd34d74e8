package live

import (
	"encoding/json"
	"time"

	"parley/internal/event"
)

// The data of the messages, under the names that clients see. Times are RFC
// 3339 in UTC.

// Connected begins a stream of all calls.
type Connected struct {
	Message  string `json:"message"`
	TenantID string `json:"tenant_id" format:"uuid"`
}

// ActiveCount is how many calls are not over.
type ActiveCount struct {
	Count     int    `json:"count"`
	Timestamp string `json:"timestamp" format:"date-time"`
}

// CallsUpdate holds, at first, all calls that are not over, and later those
// that changed.
type CallsUpdate struct {
	Calls     []CallState `json:"calls" nullable:"false"`
	Timestamp string      `json:"timestamp" format:"date-time"`
}

// CallState is a call in a CallsUpdate.
type CallState struct {
	ID           string  `json:"id" format:"uuid"`
	WorkflowSlug *string `json:"workflow_slug" nullable:"true"`
	UserID       *string `json:"user_id" nullable:"true"`
	Status       string  `json:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout"`
	StatusReason *string `json:"status_reason" nullable:"true"`
	CallType     string  `json:"call_type" enum:"voip,sip"`
	CurrentAgent *string `json:"current_agent" nullable:"true"`
	StartedAt    *string `json:"started_at" nullable:"true" format:"date-time"`
	EndedAt      *string `json:"ended_at" nullable:"true" format:"date-time"`
}

// Heartbeat is sent now and then while nothing changes.
type Heartbeat struct {
	Timestamp string `json:"timestamp" format:"date-time"`
}

// CallsProblem ends a stream of all calls.
type CallsProblem struct {
	Message   string `json:"message"`
	Timestamp string `json:"timestamp" format:"date-time"`
}

// CallConnected begins a stream of one call.
type CallConnected struct {
	Message string `json:"message"`
	CallID  string `json:"call_id" format:"uuid"`
}

// CallStatus is a call's status, first as it is and later when it changes.
type CallStatus struct {
	CallID          string  `json:"call_id" format:"uuid"`
	Status          string  `json:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout"`
	StatusReason    *string `json:"status_reason" nullable:"true"`
	DurationSeconds int64   `json:"duration_seconds"`
	Timestamp       string  `json:"timestamp" format:"date-time" doc:"Time of the change of status (UTC)."`
}

// Transcript is one entry of a call's transcript.
type Transcript struct {
	CallID    string  `json:"call_id" format:"uuid"`
	Role      string  `json:"role" enum:"system,assistant,user"`
	Content   string  `json:"content"`
	Agent     *string `json:"agent" nullable:"true"`
	Timestamp string  `json:"timestamp" format:"date-time" doc:"Time the entry was spoken (UTC)."`
}

// AgentChanged is a handoff.
type AgentChanged struct {
	CallID        string `json:"call_id" format:"uuid"`
	Agent         string `json:"agent"`
	PreviousAgent string `json:"previous_agent"`
	Timestamp     string `json:"timestamp" format:"date-time"`
}

// Ended is the last message of a call that is over.
type Ended struct {
	CallID      string `json:"call_id" format:"uuid"`
	FinalStatus string `json:"final_status" enum:"completed,failed,disconnected,timeout"`
}

// CallProblem ends a stream of one call.
type CallProblem struct {
	Message string `json:"message"`
	CallID  string `json:"call_id" format:"uuid"`
}

// text is messages in the form of the HTML standard, 9.2.5 Parsing an event
// stream.
type text []byte

// add appends a message. None of the types above fails to encode, and no
// encoding has a line break.
func (t *text) add(id string, data any) {
	encoded, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	*t = append(*t, "id: "...)
	*t = append(*t, id...)
	*t = append(*t, "\nevent: "...)
	*t = append(*t, Name(data)...)
	*t = append(*t, "\ndata: "...)
	*t = append(*t, encoded...)
	*t = append(*t, "\n\n"...)
}

// FirstID is the id of the messages before there is anything to resume from.
const FirstID = "0"

// Heartbeat is the message that the stream lives; id is that of the last frame.
func (st *Stream) Heartbeat(id string) []byte {
	var t text
	t.add(id, Heartbeat{event.Stamp(time.Now())})
	return t
}

// Problem is the message of why the stream ends.
func (st *Stream) Problem(id, message string) []byte {
	var t text
	if st.call == "" {
		t.add(id, CallsProblem{message, event.Stamp(time.Now())})
	} else {
		t.add(id, CallProblem{message, st.call})
	}
	return t
}

// Name is the name of the message that carries data, one of the types above.
func Name(data any) string {
	switch data.(type) {
	case Connected, CallConnected:
		return "connected"
	case ActiveCount:
		return "active_count"
	case CallsUpdate:
		return "calls_update"
	case Heartbeat:
		return "heartbeat"
	case CallsProblem, CallProblem:
		return "error"
	case CallStatus:
		return "status"
	case Transcript:
		return "transcript"
	case AgentChanged:
		return "agent_changed"
	case Ended:
		return "ended"
	}
	panic("no message of a stream")
}
