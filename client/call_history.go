package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Types of timeline items.
const (
	MomentStatus   = "status"
	MomentHandoff  = "handoff"
	MomentToolCall = "tool_call"
	MomentLanguage = "language_changed"
	MomentAnswer   = "answer"   // who answered the phone that was dialled
	MomentTransfer = "transfer" // a person's phone is dialled into the call
	MomentControl  = "control"  // a request of Controls
	MomentTurn     = "turn"
	MomentError    = "error"

	MomentWorkerLost     = "worker_lost"     // the call's worker does not hold it any more
	MomentTakenOver      = "taken_over"      // another worker continues with it
	MomentAgentRejoined  = "agent_rejoined"  // the agent rejoined the room
	MomentCallerRejoined = "caller_rejoined" // the caller did

	MomentCallHeld    = "call_held"    // the caller put the call on hold
	MomentCallResumed = "call_resumed" // the caller took the call off hold

	MomentTransferRequested = "transfer_requested" // the trunk has a number called in place of the phone
	MomentTransferCompleted = "transfer_completed" // the number is on the line
	MomentTransferFailed    = "transfer_failed"    // the number was not reached
	MomentLegReplaced       = "leg_replaced"       // the trunk has called in place of the phone

	MomentHookAnswered = "call_hook_answered" // the backend was asked before the call
	MomentHookFailed   = "call_hook_failed"   // it gave no valid answer

	MomentPageOpened     = "page_opened"     // the person to whom the caller is transferred has opened their page
	MomentOperatorJoined = "operator_joined" // a person of the tenant has taken the call over
	MomentOperatorLeft   = "operator_left"   // the call is with the agent again

	MomentRecordingStarted = "recording_started" // a part of the recording begins

	MomentQuality = "quality" // the last measurement of a phone call's audio

	// What workflows and handoffs set, offered and skipped.
	MomentRouting = "routing"

	// While the caller was audible over the agent:
	MomentAgentInterrupted = "agent_interrupted" // the agent stopped
	MomentAgentResumed     = "agent_resumed"     // the agent was lowered, paused or interrupted, and resumed where it stopped
	MomentOverlapIgnored   = "overlap_ignored"   // the agent spoke on
)

// Moment is an item of a call's timeline. Its type determines which fields are set; durations are in milliseconds, nil
// when not measured.
type Moment struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	// RecordingMS is the position in the recording, in milliseconds; nil without one. In a recording of several parts, it is that in the part
	// which the last MomentRecordingStarted began.
	RecordingMS *int64 `json:"recording_ms"`

	// Of MomentStatus: the new status and its reason.
	Status       string `json:"status"`
	StatusReason string `json:"status_reason"`
	SIPStatus    *int   `json:"sip_status"` // what the telephone network answered instead of reaching the number

	// Of all other types: the agent; of MomentHandoff, the new agent.
	Agent         string `json:"agent"`
	PreviousAgent string `json:"previous_agent"` // of MomentHandoff

	Routing *RoutingDecision `json:"routing"` // of MomentRouting

	// Of MomentToolCall.
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments"`
	DurationMS *float64        `json:"duration_ms"`
	Answer     string          `json:"answer"` // what the model read as the result, the first 4 KiB
	// Phase is that of a tool that runs in the background: started, ended or cancelled; of MomentTransfer: started, answered,
	// completed or failed.
	Phase string `json:"phase"`

	// Of MomentTransfer. Reason and SIPStatus are those of a failed one.
	Mode     string `json:"mode"`     // bridge, announce or consult
	To       string `json:"to"`       // number or SIP URI that is dialled
	Attempt  int    `json:"attempt"`  // which of the targets it is, from 1
	Attempts int    `json:"attempts"` // number of targets
	Reason   string `json:"reason"`   // such as busy or declined
	Summary  string `json:"summary"`  // what the person has heard, once connected

	// Of MomentControl: say, message, context, mute, transfer or take_over, and pending, applied or refused; Message says why it was refused.
	Control       string `json:"control"`
	ControlStatus string `json:"control_status"`

	// Of MomentLanguage: the language that the agent speaks now, and the one before.
	Language         string `json:"language"`
	PreviousLanguage string `json:"previous_language"`

	// Of MomentAnswer; Cause has what decided.
	Class      string           `json:"class"`
	Confidence *float64         `json:"confidence"` // 0 to 1
	AfterMS    *int64           `json:"after_ms"`   // from the answer to the decision
	Evidence   []AnswerEvidence `json:"evidence"`

	// Of MomentTurn.
	STTProvider    string   `json:"stt_provider"`
	LLMProvider    string   `json:"llm_provider"`
	TTSProvider    string   `json:"tts_provider"`
	EndpointingMS  *float64 `json:"endpointing_ms"` // caller's last sound to end of turn
	STTLatencyMS   *float64 `json:"stt_latency_ms"`
	LLMLatencyMS   *float64 `json:"llm_latency_ms"`
	TTSLatencyMS   *float64 `json:"tts_latency_ms"`
	VoiceToVoiceMS *float64 `json:"voice_to_voice_ms"` // caller's last sound to the agent's first
	Interrupted    bool     `json:"interrupted"`
	Cost           *Cost    `json:"cost"` // the turn's share
	InputTokens    *int     `json:"input_tokens"`
	OutputTokens   *int     `json:"output_tokens"`

	Quality *Quality `json:"quality"` // of MomentQuality

	// Of MomentError.
	Service string          `json:"service"` // stt, llm, tts, workflow, tool or webhook
	Level   string          `json:"level"`   // error or warning
	Message string          `json:"message"`
	Details json.RawMessage `json:"details"`

	// Of MomentWorkerLost, MomentTakenOver, MomentAgentRejoined and MomentCallerRejoined: why the worker or the connection
	// was lost. Of MomentAnswer: what decided.
	Cause string `json:"cause"`
}

// RoutingDecision says where the agent that speaks can lead the call, and why not elsewhere.
type RoutingDecision struct {
	Agent  string `json:"agent"`
	NodeID string `json:"node_id"` // of the workflow; empty without one
	// Set are flags and keys of the workflow's state that were set since the decision before, without their values.
	Set []struct {
		Path   string `json:"path"`   // such as flags.verified
		Reason string `json:"reason"` // tool, context_mapping or context_pass
		Tool   string `json:"tool"`   // of the reason tool
	} `json:"set"`
	// Offered are the functions by which the agent can hand the call over, or end it, which has neither agent nor node.
	Offered []struct {
		Function string `json:"function"`
		Agent    string `json:"agent"`
		NodeID   string `json:"node_id"`
	} `json:"offered"`
	// Skipped are nodes and agents that the call cannot go to from here.
	Skipped []struct {
		Agent     string `json:"agent"`
		NodeID    string `json:"node_id"`
		Reason    string `json:"reason"`    // skip_condition, condition, unavailable or limit
		Condition string `json:"condition"` // its first 200 characters
	} `json:"skipped"`
}

// Timeline returns the call's timeline so far, in order.
func (s Calls) Timeline(ctx context.Context, id string) ([]Moment, error) {
	var moments []Moment
	err := s.c.call(ctx, request{method: http.MethodGet, path: callsPath + "/" + segment(id) + "/timeline"}, &moments)
	return moments, err
}

// SIPMessage is a SIP message of a phone call, with credentials and keys masked.
type SIPMessage struct {
	Timestamp time.Time `json:"timestamp"`
	Direction string    `json:"direction"`   // received or sent by the gateway
	SIPCallID string    `json:"sip_call_id"` // Call-ID: a call that is transferred has one for each leg
	Transport string    `json:"transport"`   // udp, tcp or tls
	Peer      string    `json:"peer"`        // address and port of the other side
	StartLine string    `json:"start_line"`
	Message   string    `json:"message"`
}

// SIPMessages returns the SIP messages of a phone call in order. There are none unless the operator has them stored, and after a day. It
// requires the scopes calls:read and sip:read.
func (s Calls) SIPMessages(ctx context.Context, id string) (messages []SIPMessage, err error) {
	err = s.c.call(ctx, request{method: http.MethodGet, path: callsPath + "/" + segment(id) + "/sip-messages"}, &messages)
	return messages, err
}

// CallPrompts are the system prompts of a call's agents, as they were when the call was created.
type CallPrompts struct {
	Agents  []AgentPrompt   `json:"agents"`  // in the order in which they first held the call
	Prompts []PromptContent `json:"prompts"` // templates that the system prompts refer to
}

// AgentPrompt is an agent's system prompt, with its references to templates.
type AgentPrompt struct {
	Agent  string `json:"agent"`
	System string `json:"system"`
}

// PromptContent has a template's texts by language code.
type PromptContent struct {
	Slug    string            `json:"slug"`
	Content map[string]string `json:"content"`
}

// Prompts returns the prompts of the agents that have held the call. It requires the scope agents:read.
func (s Calls) Prompts(ctx context.Context, id string) (prompts CallPrompts, err error) {
	err = s.c.call(ctx, request{method: http.MethodGet, path: callsPath + "/" + segment(id) + "/prompts"}, &prompts)
	return prompts, err
}

// Recording returns the recording of an ended call: Ogg Opus, stereo, caller left, agents right. Errors: not_found when
// the call was not recorded, conflict when it has not ended.
func (s Calls) Recording(ctx context.Context, id string) ([]byte, error) {
	r := request{method: http.MethodGet, path: callsPath + "/" + segment(id) + "/recording", accept: "audio/ogg"}
	sound, err := s.c.send(ctx, r, nil)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	return sound, nil
}
