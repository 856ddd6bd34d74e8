package live

import (
	"bytes"
	"encoding/json"
	"time"

	"parley/internal/event"
)

// Data of the messages, as clients receive it. Times are RFC 3339 in UTC.

// Connected is the first message of a stream of all calls.
type Connected struct {
	Message  string `json:"message"`
	TenantID string `json:"tenant_id" format:"uuid"`
}

// ActiveCount is the number of calls that have not ended.
type ActiveCount struct {
	Count     int    `json:"count"`
	Timestamp string `json:"timestamp" format:"date-time"`
}

// CallsUpdate holds all calls that have not ended in the first message, and
// changed calls in later ones.
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
	Held         bool    `json:"held"`
	CurrentAgent *string `json:"current_agent" nullable:"true"`
	StartedAt    *string `json:"started_at" nullable:"true" format:"date-time"`
	EndedAt      *string `json:"ended_at" nullable:"true" format:"date-time"`
}

// Heartbeat is sent periodically while nothing changes.
type Heartbeat struct {
	Timestamp string `json:"timestamp" format:"date-time"`
}

// CallsProblem is the error message that ends a stream of all calls.
type CallsProblem struct {
	Message   string `json:"message"`
	Timestamp string `json:"timestamp" format:"date-time"`
}

// CallConnected is the first message of a stream of one call.
type CallConnected struct {
	Message string `json:"message"`
	CallID  string `json:"call_id" format:"uuid"`
}

// CallStatus is the status of a call: the current one first, then each change of it, and of Held.
type CallStatus struct {
	CallID          string  `json:"call_id" format:"uuid"`
	Status          string  `json:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout"`
	StatusReason    *string `json:"status_reason" nullable:"true"`
	Held            bool    `json:"held"`
	DurationSeconds int64   `json:"duration_seconds"`
	Timestamp       string  `json:"timestamp" format:"date-time" doc:"Time of the change of status (UTC)."`
}

// Transcript is one entry of a call's transcript.
type Transcript struct {
	CallID    string  `json:"call_id" format:"uuid"`
	Role      string  `json:"role" enum:"system,assistant,user"`
	Content   string  `json:"content"`
	DTMF      bool    `json:"dtmf,omitempty" doc:"Whether the content is keys that the caller pressed on the phone; absent if it is not." example:"true"`
	Agent     *string `json:"agent" nullable:"true"`
	Timestamp string  `json:"timestamp" format:"date-time" doc:"Time the entry was spoken (UTC)."`
}

// AgentChanged reports a handoff to another agent.
type AgentChanged struct {
	CallID        string `json:"call_id" format:"uuid"`
	Agent         string `json:"agent"`
	PreviousAgent string `json:"previous_agent"`
	Timestamp     string `json:"timestamp" format:"date-time"`
}

// TransferStep reports a step of a transfer to a person.
type TransferStep struct {
	CallID        string  `json:"call_id" format:"uuid"`
	Phase         string  `json:"phase" enum:"started,answered,completed,failed" doc:"started: the person's phone is dialled. answered: it was answered. completed: caller and person hear each other, or the target, an agent, takes the caller. failed: the target was not reached." example:"started"`
	Mode          string  `json:"mode" enum:"bridge,announce,consult" doc:"How the caller is handed over." example:"consult"`
	To            string  `json:"to" doc:"Phone number or SIP URI that is dialled, or agent: and the name of an agent." example:"+4930123456"`
	Attempt       int     `json:"attempt" doc:"Which of the targets it is, from 1." example:"1"`
	Attempts      int     `json:"attempts" doc:"Number of targets." example:"2"`
	Reason        string  `json:"reason,omitempty" enum:"busy,declined,no_answer,voicemail,rejected,timeout,caller_left,leg_lost,no_trunk,not_allowed" doc:"For failed: why the person was not connected." example:"busy"`
	SIPStatus     *int    `json:"sip_status,omitempty" doc:"For failed: SIP status with which the target was not reached; absent without one." example:"486"`
	Summary       string  `json:"summary,omitempty" doc:"For completed: what the person has heard." example:"Ada wants a refund."`
	PageURL       *string `json:"page_url,omitempty" doc:"Link that opens the person's page, once; absent without a page, and when it opens nothing any more." example:"https://voice.example.com/transfer/0193a6f0-7c1e-4b52-9d3e-2f4a6c8e0b12#5f1c9a0d72e65b385f1c9a0d72e65b385f1c9a0d72e65b38"`
	PageExpiresAt *string `json:"page_expires_at,omitempty" format:"date-time" doc:"Time until which the link opens the page (UTC); absent without a page." example:"2026-11-01T09:15:00Z"`
	Timestamp     string  `json:"timestamp" format:"date-time" doc:"Time of the step (UTC)."`
}

// Ended is the last message of the stream of one call.
type Ended struct {
	CallID      string `json:"call_id" format:"uuid"`
	FinalStatus string `json:"final_status" enum:"completed,failed,disconnected,timeout"`
}

// CallProblem is the error message that ends a stream of one call.
type CallProblem struct {
	Message string `json:"message"`
	CallID  string `json:"call_id" format:"uuid"`
}

// text holds encoded messages (HTML standard, 9.2.5 Parsing an event stream).
type text []byte

// Message returns an encoded message of another stream than those of this package. data always encodes.
func Message(id, name string, data any) []byte {
	var t text
	t.addNamed(id, name, data)
	return t
}

// Of returns the frame's messages with an event name, and reports whether it has others.
func (f Frame) Of(name string) (messages []byte, others bool) {
	for message := range bytes.SplitAfterSeq(f.Text, []byte("\n\n")) {
		switch {
		case bytes.Contains(message, []byte("\nevent: "+name+"\n")):
			messages = append(messages, message...)
		case len(message) > 0:
			others = true
		}
	}
	return messages, others
}

// add appends a message. The types above always encode.
func (t *text) add(id string, data any) { t.addNamed(id, Name(data), data) }

// addNamed appends a message. JSON encodings contain no line break.
func (t *text) addNamed(id, name string, data any) {
	encoded, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	*t = append(*t, "id: "...)
	*t = append(*t, id...)
	*t = append(*t, "\nevent: "...)
	*t = append(*t, name...)
	*t = append(*t, "\ndata: "...)
	*t = append(*t, encoded...)
	*t = append(*t, "\n\n"...)
}

// FirstID is the id of messages that no stream can be resumed from.
const FirstID = "0"

// Heartbeat returns an encoded Heartbeat message; id is that of the last frame.
func (st *Stream) Heartbeat(id string) []byte {
	var t text
	t.add(id, Heartbeat{event.Stamp(time.Now())})
	return t
}

// Problem returns an encoded error message that ends the stream.
func (st *Stream) Problem(id, message string) []byte {
	var t text
	if st.call == "" {
		t.add(id, CallsProblem{message, event.Stamp(time.Now())})
	} else {
		t.add(id, CallProblem{message, st.call})
	}
	return t
}

// Name returns the event name of a message type above.
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
	case TransferStep:
		return "transfer"
	case Ended:
		return "ended"
	}
	panic("live: not a message type")
}
