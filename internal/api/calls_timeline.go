package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"parley/internal/api/wire"
	"parley/internal/audio"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/fault"
	"parley/internal/workflow"
)

// momentBody is an entry of a timeline: type and timestamp, and the fields of
// its type.
type momentBody struct {
	Type      string    `json:"type" enum:"status,handoff,routing,language_changed,answer,transfer,control,tool_call,turn,error,worker_lost,taken_over,agent_rejoined,caller_rejoined,call_held,call_resumed,transfer_requested,transfer_completed,transfer_failed,leg_replaced,call_hook_answered,call_hook_failed,operator_joined,operator_left,page_opened,recording_started,quality,agent_interrupted,agent_resumed,overlap_ignored"`
	Timestamp wire.Time `json:"timestamp"`
	// RecordingMS is not there for what was before the recording.
	RecordingMS *int64 `json:"recording_ms,omitempty" doc:"Position of this entry in the recording, in milliseconds; absent without one. It may be past the recording's end, which is the last sound of an agent that is recorded. In a recording of several parts, of a call that another worker took over, the position in the part that the last recording_started began." example:"12400"`

	// status
	Status       string  `json:"status,omitempty" enum:"pending,active,completed,failed,disconnected,timeout" doc:"For status: the new status of the call."`
	StatusReason *string `json:"status_reason,omitempty" doc:"For status: the reason of the status; null if there is none."`
	SIPStatus    *int    `json:"sip_status,omitempty" doc:"For status, and transfer with phase failed: the SIP status with which the dialled number was not reached; null if there was none." example:"486"`
	// all others
	Agent string `json:"agent,omitempty" doc:"Name of the current agent; for handoff, the new agent."`
	// handoff
	PreviousAgent string `json:"previous_agent,omitempty" doc:"For handoff: name of the previous agent."`
	// routing
	Routing *workflow.Decision `json:"routing,omitempty" doc:"For routing: what was set, where the agent can lead the call, and what is skipped, each with its reason."`
	// language_changed
	Language         string `json:"language,omitempty" doc:"For language_changed: the language that the agent speaks now." example:"de"`
	PreviousLanguage string `json:"previous_language,omitempty" doc:"For language_changed: the language before; absent if it was not set." example:"en"`
	// answer
	Class      string                `json:"class,omitempty" enum:"human,voicemail,mailbox_full,screening,menu,fax,silence,unknown" doc:"For answer: who answered the call."`
	Confidence *float64              `json:"confidence,omitempty" doc:"For answer: how certain it is, from 0 to 1."`
	AfterMS    *int64                `json:"after_ms,omitempty" doc:"For answer: time from the answer to the decision, in milliseconds."`
	Evidence   []call.AnswerEvidence `json:"evidence,omitempty" doc:"For answer: what each layer found."`
	// transfer; reason and sip_status of failed ones
	Mode     string `json:"mode,omitempty" enum:"bridge,announce,consult" doc:"For transfer: how the caller is handed over."`
	To       string `json:"to,omitempty" doc:"For transfer: phone number or SIP URI that is dialled." example:"+4930123456"`
	Attempt  int    `json:"attempt,omitempty" doc:"For transfer: which of the targets it is, from 1." example:"1"`
	Attempts int    `json:"attempts,omitempty" doc:"For transfer: number of targets." example:"2"`
	Reason   string `json:"reason,omitempty" enum:"busy,declined,no_answer,voicemail,rejected,timeout,caller_left,leg_lost,no_trunk,not_allowed" doc:"For transfer with phase failed: why the person was not connected."`
	Summary  string `json:"summary,omitempty" doc:"For transfer with phase completed: what the person has heard."`
	// control
	Control       string `json:"control,omitempty" enum:"say,message,context,mute,transfer,take_over" doc:"For control: what a request of yours asked of the call."`
	ControlStatus string `json:"control_status,omitempty" enum:"pending,applied,refused" doc:"For control: its outcome."`
	// tool_call
	Name      string `json:"name,omitempty" doc:"For tool_call: name of the tool."`
	Arguments object `json:"arguments,omitempty" doc:"For tool_call: arguments of the tool. Values of the user_context are masked."`
	// DurationMS is not there for the engine's own functions and for a tool
	// that the call's end cut off.
	DurationMS *float64 `json:"duration_ms,omitempty" doc:"For tool_call: duration of the tool, in milliseconds."`
	Answer     string   `json:"answer,omitempty" doc:"For tool_call: what the model read as the tool's result, the first 4 KiB. Values of the user_context are masked." example:"The order was shipped."`
	Phase      string   `json:"phase,omitempty" enum:"started,ended,cancelled,answered,completed,failed"`
	// turn; what was not measured is left out
	STTProvider    string    `json:"stt_provider,omitempty" doc:"For turn: the speech-to-text provider." example:"deepgram"`
	LLMProvider    string    `json:"llm_provider,omitempty" doc:"For turn: the language model provider." example:"openai"`
	TTSProvider    string    `json:"tts_provider,omitempty" doc:"For turn: the text-to-speech provider." example:"cartesia"`
	EndpointingMS  *float64  `json:"endpointing_ms,omitempty" doc:"For turn: time from the end of the caller's speech to the end of the turn, in milliseconds."`
	STTLatencyMS   *float64  `json:"stt_latency_ms,omitempty" doc:"For turn: time from the end of the caller's speech to the final transcript, in milliseconds."`
	LLMLatencyMS   *float64  `json:"llm_latency_ms,omitempty" doc:"For turn: time from the prompt to the first token, in milliseconds."`
	TTSLatencyMS   *float64  `json:"tts_latency_ms,omitempty" doc:"For turn: time from the first text to the first audio, in milliseconds."`
	VoiceToVoiceMS *float64  `json:"voice_to_voice_ms,omitempty" doc:"For turn: time from the end of the caller's speech to the agent's first audio, in milliseconds."`
	Interrupted    *bool     `json:"interrupted,omitempty" doc:"For turn: whether the caller interrupted the answer."`
	InputTokens    *int64    `json:"input_tokens,omitempty" doc:"For turn: number of input tokens of the language model."`
	OutputTokens   *int64    `json:"output_tokens,omitempty" doc:"For turn: number of output tokens of the language model."`
	Cost           *CostBody `json:"cost,omitempty" doc:"For turn: its share of the call's cost: what was used since the turn before."`
	// error
	Service string `json:"service,omitempty" enum:"stt,llm,tts,workflow,tool,webhook,call_hook" doc:"For error: component in which it occurred."`
	Level   string `json:"level,omitempty" enum:"error,warning" doc:"For error: severity. error: the call was affected; warning: it was not."`
	Message string `json:"message,omitempty" doc:"For error: human-readable description. For control: why it was refused."`
	Details object `json:"details,omitempty" doc:"For error: additional details."`
	// quality
	Quality *audio.Quality `json:"quality,omitempty" doc:"For quality: the last measurement of the phone call's audio."`
	// worker_lost, taken_over, agent_rejoined, caller_rejoined, agent_interrupted, agent_resumed, overlap_ignored
	Cause string `json:"cause,omitempty" enum:"process_died,lease_lapsed,server_restart,given_back,signalling_lost,room_lost,echo,noise,backchannel,word,sure,special_information,busy_tone,fax_tone,beep,short_greeting,sentence,long_greeting,phrase,model,no_speech,timeout" doc:"For answer: what decided. For worker_lost, taken_over, agent_rejoined and caller_rejoined: why the worker, or the connection, was lost. For agent_interrupted, agent_resumed and overlap_ignored: what was recognised of the caller while the agent spoke. echo: the agent's own voice; noise: sound without a word; backchannel: words that require no answer, such as mm-hm; word: a recognised word; sure: speech before a word of it was recognised."`
}

func (s *Server) registerCallTimeline() {
	wire.Register(s.router, wire.Operation{
		ID: "get-call-timeline", Method: http.MethodGet, Path: "/api/v1/calls/{id}/timeline", Tag: "Calls", Scope: "calls:read",
		Summary:     "Get a call's timeline",
		Description: "Lists in order: changes of status, handoffs, what workflows and handoffs set, offered and skipped, changes of the language, who answered a call that was dialled, transfers to persons, your control requests, persons who took the call over or opened their page, tool calls, turns with their latencies, errors, losses of the worker or of a connection with the recovery, the call hook, the beginning of the recording, holds and transfers of a phone, the quality of its audio, and how the agent reacted to sound of the caller while it spoke. Each entry has `type`, `timestamp` and the fields of its type.",
		Errors:      []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*wire.Answer[[]momentBody], error) {
		if err := s.maySee(ctx, who, in.ID); err != nil {
			return nil, err
		}
		moments, err := s.deps.Calls.Timeline(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		bodies := make([]momentBody, len(moments))
		var recorded time.Time // since when
		for i, m := range moments {
			if bodies[i], err = wireMoment(m); err != nil {
				return nil, err
			}
			if m.Incident != nil && m.Incident.Type == call.RecordingStarted {
				recorded = m.At
			}
			if !recorded.IsZero() {
				bodies[i].RecordingMS = new(m.At.Sub(recorded).Milliseconds())
			}
		}
		return wire.NewAnswer(bodies), nil
	})
}

func wireMoment(m call.TimelineItem) (momentBody, error) {
	b := momentBody{Timestamp: wire.Time(m.At)}
	switch {
	case m.Status != nil:
		b.Type, b.Status, b.StatusReason, b.SIPStatus = "status", string(m.Status.Status), (*string)(m.Status.Reason), m.Status.SIPStatus
	case m.Handoff != nil:
		b.Type, b.Agent, b.PreviousAgent = "handoff", m.Handoff.Agent, m.Handoff.Previous
	case m.Routing != nil:
		b.Type, b.Agent, b.Routing = "routing", m.Routing.Decision.Agent, &m.Routing.Decision
	case m.Language != nil:
		b.Type, b.Language, b.PreviousLanguage = "language_changed", m.Language.Language, m.Language.Previous
	case m.Answer != nil:
		a := m.Answer
		b.Type, b.Class, b.Cause, b.Evidence = "answer", string(a.Class), string(a.Cause), a.Evidence
		b.Confidence, b.AfterMS = &a.Confidence, &a.AfterMS
	case m.Transfer != nil:
		wireTransfer(&b, *m.Transfer)
	case m.Control != nil:
		b.Type, b.Control, b.ControlStatus, b.Message = "control", string(m.Control.Kind), string(m.Control.Status), m.Control.Detail
	case m.ToolCall != nil:
		var called struct {
			Name      string
			Arguments object
			Duration  *float64 `json:"duration_ms"`
			Answer    string
			Phase     string
		}
		if err := json.Unmarshal(m.ToolCall.ToolCall, &called); err != nil {
			return b, fmt.Errorf("read tool call: %w", err)
		}
		b.Type, b.Agent, b.Name, b.Arguments, b.DurationMS = "tool_call", orEmpty(m.ToolCall.AgentName), called.Name, called.Arguments, called.Duration
		b.Answer, b.Phase = called.Answer, called.Phase
	case m.Turn != nil:
		t := m.Turn
		b.Type, b.Agent, b.Interrupted, b.InputTokens, b.OutputTokens = "turn", t.AgentName, &t.Interrupted, t.InputTokens, t.OutputTokens
		b.STTProvider, b.LLMProvider, b.TTSProvider = orEmpty(t.STTProvider), orEmpty(t.LLMProvider), orEmpty(t.TTSProvider)
		b.EndpointingMS, b.STTLatencyMS, b.LLMLatencyMS, b.TTSLatencyMS, b.VoiceToVoiceMS = t.EndpointingMS, t.STTMS, t.LLMMS, t.TTSMS, t.VoiceToVoiceMS
		b.Cost = wireCost(t.Cost)
	case m.Incident != nil:
		b.Type, b.Cause = string(m.Incident.Type), string(m.Incident.Cause)
	case m.Quality != nil:
		b.Type, b.Quality = "quality", m.Quality
	case m.Error != nil:
		e := m.Error
		b.Type, b.Agent, b.Service, b.Level, b.Message, b.Details = "error", orEmpty(e.Agent), e.Service, e.Level, e.Message, object(e.Details)
	}
	return b, nil
}

func wireTransfer(b *momentBody, t call.TransferStep) {
	b.Type, b.Phase, b.Mode, b.To, b.Attempt, b.Attempts = "transfer", string(t.Phase), string(t.Mode), t.To, t.Attempt, t.Attempts
	b.Reason, b.SIPStatus, b.Summary = string(t.Reason), t.SIPStatus, t.Summary
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
