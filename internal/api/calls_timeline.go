package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/fault"
)

// momentBody is an entry of a timeline: type and timestamp, and the fields of
// its type.
type momentBody struct {
	Type      string `json:"type" enum:"status,handoff,tool_call,turn,error,worker_lost,taken_over,agent_rejoined,caller_rejoined"`
	Timestamp Time   `json:"timestamp"`

	// status
	Status       string  `json:"status,omitempty" enum:"pending,active,completed,failed,disconnected,timeout" doc:"Of status: the state that the call came to."`
	StatusReason *string `json:"status_reason,omitempty" doc:"Of status: why, where there is a reason to tell."`
	SIPStatus    *int    `json:"sip_status,omitempty" doc:"Of status: what the telephone network answered instead of reaching the number, where it answered." example:"486"`
	// all others
	Agent string `json:"agent,omitempty" doc:"The agent that it happened to; of handoff, the one that took over."`
	// handoff
	PreviousAgent string `json:"previous_agent,omitempty" doc:"Of handoff."`
	// tool_call
	Name      string `json:"name,omitempty" doc:"Of tool_call."`
	Arguments object `json:"arguments,omitempty" doc:"Of tool_call. Values of the user_context are masked."`
	// DurationMS is not there for the engine's own functions and for a tool
	// that the call's end cut off.
	DurationMS *float64 `json:"duration_ms,omitempty" doc:"Of tool_call: from the tool's start to its end."`
	// turn; what was not measured is left out
	STTProvider    string   `json:"stt_provider,omitempty" doc:"Of turn: who heard the caller." example:"deepgram"`
	LLMProvider    string   `json:"llm_provider,omitempty" doc:"Of turn: who answered." example:"openai"`
	TTSProvider    string   `json:"tts_provider,omitempty" doc:"Of turn: who spoke the answer." example:"cartesia"`
	EndpointingMS  *float64 `json:"endpointing_ms,omitempty" doc:"Of turn: caller's last sound to end of turn."`
	STTLatencyMS   *float64 `json:"stt_latency_ms,omitempty" doc:"Of turn: caller's last sound to final transcript."`
	LLMLatencyMS   *float64 `json:"llm_latency_ms,omitempty" doc:"Of turn: prompt to first token."`
	TTSLatencyMS   *float64 `json:"tts_latency_ms,omitempty" doc:"Of turn: first text to first audio."`
	VoiceToVoiceMS *float64 `json:"voice_to_voice_ms,omitempty" doc:"Of turn: caller's last sound to the agent's first."`
	Interrupted    *bool    `json:"interrupted,omitempty" doc:"Of turn: whether the caller broke in on the answer."`
	InputTokens    *int64   `json:"input_tokens,omitempty" doc:"Of turn."`
	OutputTokens   *int64   `json:"output_tokens,omitempty" doc:"Of turn."`
	// error
	Service string `json:"service,omitempty" enum:"stt,llm,tts,workflow,tool,webhook" doc:"Of error."`
	Level   string `json:"level,omitempty" enum:"error,warning" doc:"Of error: error affected the call, warning did not."`
	Message string `json:"message,omitempty" doc:"Of error."`
	Details object `json:"details,omitempty" doc:"Of error."`
	// worker_lost, taken_over, agent_rejoined, caller_rejoined
	Cause string `json:"cause,omitempty" enum:"process_died,lease_lapsed,server_restart,given_back,signalling_lost,room_lost" doc:"Of worker_lost, taken_over, agent_rejoined and caller_rejoined: why the worker, or the connection, was lost."`
}

func (s *Server) registerCallTimeline() {
	register(s.router, operation{
		ID: "get-call-timeline", Method: http.MethodGet, Path: "/api/v1/calls/{id}/timeline", Tag: "Calls", Scope: "calls:read",
		Summary:     "Read what happened in a call",
		Description: "In order: changes of state, handoffs, calls of tools, turns with their latencies, errors, losses of the worker or of a connection and how the call went on. Each entry has `type`, `timestamp` and the fields of its type.",
		Errors:      []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*answer[[]momentBody], error) {
		if err := s.maySee(ctx, who, in.ID); err != nil {
			return nil, err
		}
		moments, err := s.deps.Calls.Timeline(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		bodies := make([]momentBody, len(moments))
		for i, m := range moments {
			if bodies[i], err = wireMoment(m); err != nil {
				return nil, err
			}
		}
		return &answer[[]momentBody]{bodies}, nil
	})
}

func wireMoment(m call.TimelineItem) (momentBody, error) {
	b := momentBody{Timestamp: Time(m.At)}
	switch {
	case m.Status != nil:
		b.Type, b.Status, b.StatusReason, b.SIPStatus = "status", string(m.Status.Status), (*string)(m.Status.Reason), m.Status.SIPStatus
	case m.Handoff != nil:
		b.Type, b.Agent, b.PreviousAgent = "handoff", m.Handoff.Agent, m.Handoff.Previous
	case m.ToolCall != nil:
		var called struct {
			Name      string
			Arguments object
			Duration  *float64 `json:"duration_ms"`
		}
		if err := json.Unmarshal(m.ToolCall.ToolCall, &called); err != nil {
			return b, fmt.Errorf("read tool call: %w", err)
		}
		b.Type, b.Agent, b.Name, b.Arguments, b.DurationMS = "tool_call", orEmpty(m.ToolCall.AgentName), called.Name, called.Arguments, called.Duration
	case m.Turn != nil:
		t := m.Turn
		b.Type, b.Agent, b.Interrupted, b.InputTokens, b.OutputTokens = "turn", t.AgentName, &t.Interrupted, t.InputTokens, t.OutputTokens
		b.STTProvider, b.LLMProvider, b.TTSProvider = orEmpty(t.STTProvider), orEmpty(t.LLMProvider), orEmpty(t.TTSProvider)
		b.EndpointingMS, b.STTLatencyMS, b.LLMLatencyMS, b.TTSLatencyMS, b.VoiceToVoiceMS = t.EndpointingMS, t.STTMS, t.LLMMS, t.TTSMS, t.VoiceToVoiceMS
	case m.Incident != nil:
		b.Type, b.Cause = string(m.Incident.Type), string(m.Incident.Cause)
	case m.Error != nil:
		e := m.Error
		b.Type, b.Agent, b.Service, b.Level, b.Message, b.Details = "error", orEmpty(e.Agent), e.Service, e.Level, e.Message, object(e.Details)
	}
	return b, nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
