package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/fault"
)

// Calls is what the API needs of the calls.
type Calls interface {
	Dispatch(ctx context.Context, r call.Request) (*call.Call, call.Needs, error)
	Get(ctx context.Context, tenantID, id string) (*call.Call, error)
	Transcript(ctx context.Context, tenantID, id string) ([]call.TranscriptEntry, error)
	End(ctx context.Context, tenantID, id string) (*call.Call, error)
	JoinTimeout() time.Duration
}

// Media is what the API needs of the media server.
type Media interface {
	// Open makes the call's room. It is tried once, and briefly: the worker
	// makes the room as well.
	Open(ctx context.Context, room string) error
	// Close ends the room.
	Close(ctx context.Context, room string) error
	// CallerToken signs what lets a caller join the room.
	CallerToken(room, identity string, life time.Duration) (string, error)
	// URL is the media server as callers reach it: ws or wss.
	URL() string
}

// Readiness says what a provider lacks, in words for the tenant; "" for
// nothing.
type Readiness func(kind, name string) string

const (
	// roomWait bounds how long a dispatch waits for the room to be made.
	roomWait = 250 * time.Millisecond
	// tokenGrace is how long a join token outlives the join timeout, so that a
	// caller can come back into a call.
	tokenGrace = 10 * time.Minute
	// maxContext bounds user_context and metadata, in bytes of JSON.
	maxContext = 64 << 10
)

// object is a JSON object that is passed on as it is.
type object json.RawMessage

// UnmarshalJSON keeps the text; null is no object.
func (o *object) UnmarshalJSON(b []byte) error {
	if string(b) != "null" {
		*o = append(object(nil), b...)
	}
	return nil
}

// MarshalJSON writes the object, or null.
func (o object) MarshalJSON() ([]byte, error) {
	if o == nil {
		return []byte("null"), nil
	}
	return o, nil
}

// Schema describes an object of any fields.
func (object) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Nullable: true, AdditionalProperties: true}
}

type startCallBody struct {
	WorkflowSlug string  `json:"workflow_slug" minLength:"1" maxLength:"100" example:"demo"`
	UserID       *string `json:"user_id,omitempty" nullable:"true" maxLength:"255" doc:"Your name for the user."`
	CallType     string  `json:"call_type,omitempty" enum:"voip,sip" default:"voip"`
	PhoneNumber  *string `json:"phone_number,omitempty" nullable:"true" pattern:"^\\+[1-9][0-9]{6,14}$" doc:"E.164; required when call_type is sip." example:"+4930123456"`
	UserContext  object  `json:"user_context,omitempty" doc:"Available to templates as {{user.*}}; at most 64 KiB, encrypted at rest."`
	Metadata     object  `json:"metadata,omitempty" doc:"Stored with the call and sent with its events; at most 64 KiB."`
}

func (b *startCallBody) faults() []fault.Detail {
	details := contextFaults(b.UserContext, b.Metadata)
	if b.CallType == call.SIP && b.PhoneNumber == nil {
		details = append(details, fault.Detail{Field: "phone_number", Message: "is required when call_type is sip"})
	}
	return details
}

type testAgentBody struct {
	AgentName   string  `json:"agent_name" minLength:"1" maxLength:"100" example:"demo"`
	UserID      *string `json:"user_id,omitempty" nullable:"true" maxLength:"255"`
	UserContext object  `json:"user_context,omitempty" doc:"Available to templates as {{user.*}}; at most 64 KiB, encrypted at rest."`
}

func (b *testAgentBody) faults() []fault.Detail { return contextFaults(b.UserContext, nil) }

type startedBody struct {
	CallID   string   `json:"call_id" format:"uuid"`
	RoomName string   `json:"room_name"`
	URL      string   `json:"url" doc:"The media server's WebSocket address."`
	Token    string   `json:"token" doc:"Lets one caller join the call's room."`
	Status   string   `json:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout"`
	Warnings []string `json:"warnings,omitempty" doc:"What the call will lack, such as a provider's key."`
}

type metricsBody struct {
	DurationSeconds int64   `json:"duration_seconds"`
	STTLatencyMS    float64 `json:"stt_latency_ms" doc:"Caller's last sound to final transcript, on average."`
	LLMLatencyMS    float64 `json:"llm_latency_ms" doc:"Prompt to first token, on average."`
	TTSLatencyMS    float64 `json:"tts_latency_ms" doc:"First text to first audio, on average."`
	TotalTokens     int64   `json:"total_tokens"`
	AgentHandoffs   int64   `json:"agent_handoffs"`
}

type callBody struct {
	ID              string      `json:"id" format:"uuid"`
	WorkflowID      *string     `json:"workflow_id" nullable:"true" format:"uuid"`
	WorkflowSlug    *string     `json:"workflow_slug" nullable:"true"`
	AgentName       *string     `json:"agent_name" nullable:"true" doc:"The agent of a test call."`
	UserID          *string     `json:"user_id" nullable:"true"`
	Status          string      `json:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout"`
	StatusReason    *string     `json:"status_reason" nullable:"true"`
	Direction       string      `json:"direction" enum:"inbound,outbound"`
	CallType        string      `json:"call_type" enum:"voip,sip"`
	PhoneNumber     *string     `json:"phone_number" nullable:"true"`
	RoomName        string      `json:"room_name"`
	DurationSeconds int64       `json:"duration_seconds"`
	AgentHistory    []string    `json:"agent_history" nullable:"false"`
	CurrentAgent    *string     `json:"current_agent" nullable:"true"`
	Metrics         metricsBody `json:"metrics"`
	Metadata        object      `json:"metadata"`
	StartedAt       *Time       `json:"started_at" nullable:"true"`
	EndedAt         *Time       `json:"ended_at" nullable:"true"`
	CreatedAt       Time        `json:"created_at"`
}

type transcriptBody struct {
	Role      string  `json:"role" enum:"system,assistant,user"`
	Content   string  `json:"content"`
	Timestamp Time    `json:"timestamp"`
	AgentName *string `json:"agent_name" nullable:"true"`
	ToolCall  *struct {
		Name      string `json:"name"`
		Arguments object `json:"arguments"`
	} `json:"tool_call,omitempty"`
}

type callInput struct {
	ID ID `path:"id"`
}

func (s *Server) registerCalls() {
	register(s, operation{
		ID: "start-call", Method: http.MethodPost, Path: "/api/v1/calls", Tag: "Calls", Scope: "calls:write", Status: http.StatusCreated,
		Summary:     "Start a call of a workflow",
		Description: "The caller joins the room with `url` and `token`. A missing provider key or trunk is told under `warnings`; the call then fails when the caller joins.",
		Errors:      []fault.Code{fault.NotFound, fault.Conflict},
	}, func(ctx context.Context, who auth.Principal, in *struct{ Body startCallBody }) (*answer[startedBody], error) {
		b := in.Body
		return s.dispatch(ctx, call.Request{
			TenantID: who.TenantID, WorkflowSlug: b.WorkflowSlug, UserID: b.UserID, CallType: b.CallType, PhoneNumber: b.PhoneNumber,
			UserContext: json.RawMessage(b.UserContext), Metadata: json.RawMessage(b.Metadata), Livemode: who.Livemode,
		})
	})

	register(s, operation{
		ID: "test-agent", Method: http.MethodPost, Path: "/api/v1/calls/test-agent", Tag: "Calls", Scope: "calls:write", Status: http.StatusCreated,
		Summary: "Start a call of a single agent", Errors: []fault.Code{fault.NotFound, fault.Conflict},
	}, func(ctx context.Context, who auth.Principal, in *struct{ Body testAgentBody }) (*answer[startedBody], error) {
		b := in.Body
		return s.dispatch(ctx, call.Request{
			TenantID: who.TenantID, AgentName: b.AgentName, UserID: b.UserID, CallType: call.VoIP,
			UserContext: json.RawMessage(b.UserContext), Livemode: who.Livemode,
		})
	})

	register(s, operation{
		ID: "get-call", Method: http.MethodGet, Path: "/api/v1/calls/{id}", Tag: "Calls", Scope: "calls:read",
		Summary: "Read a call", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*answer[callBody], error) {
		c, err := s.deps.Calls.Get(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		return &answer[callBody]{wireCall(c)}, nil
	})

	register(s, operation{
		ID: "get-call-transcript", Method: http.MethodGet, Path: "/api/v1/calls/{id}/transcript", Tag: "Calls", Scope: "calls:read",
		Summary: "Read what was said in a call", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*answer[[]transcriptBody], error) {
		entries, err := s.deps.Calls.Transcript(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		lines := make([]transcriptBody, len(entries))
		for i, e := range entries {
			lines[i] = transcriptBody{Role: e.Role, Content: e.Content, Timestamp: Time(e.CreatedAt), AgentName: e.AgentName}
			if e.ToolCall != nil {
				if err := json.Unmarshal(e.ToolCall, &lines[i].ToolCall); err != nil {
					return nil, fmt.Errorf("read transcript: %w", err)
				}
			}
		}
		return &answer[[]transcriptBody]{lines}, nil
	})

	register(s, operation{
		ID: "get-call-metrics", Method: http.MethodGet, Path: "/api/v1/calls/{id}/metrics", Tag: "Calls", Scope: "calls:read",
		Summary: "Read a call's metrics", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*answer[metricsBody], error) {
		c, err := s.deps.Calls.Get(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		return &answer[metricsBody]{wireMetrics(c)}, nil
	})

	register(s, operation{
		ID: "end-call", Method: http.MethodPost, Path: "/api/v1/calls/{id}/end", Tag: "Calls", Scope: "calls:write",
		Summary: "End a call", Errors: []fault.Code{fault.NotFound},
		Description: "Answers the call as it ended. A call that is over already stays as it is.",
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*answer[callBody], error) {
		c, err := s.deps.Calls.End(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		if err := s.deps.Media.Close(ctx, c.RoomName); err != nil {
			s.deps.Log.WarnContext(ctx, "close room of an ended call", "call", c.ID, "error", err)
		}
		return &answer[callBody]{wireCall(c)}, nil
	})
}

// dispatch starts a call and answers with what its caller joins by.
func (s *Server) dispatch(ctx context.Context, r call.Request) (*answer[startedBody], error) {
	c, needs, err := s.deps.Calls.Dispatch(ctx, r)
	if err != nil {
		return nil, err
	}
	started := startedBody{CallID: c.ID, RoomName: c.RoomName, URL: s.deps.Media.URL(), Status: string(c.Status)}
	for _, need := range needs {
		if lack := s.deps.Lacks(need[0], need[1]); lack != "" {
			started.Warnings = append(started.Warnings, lack)
		}
	}
	if c.CallType == call.SIP {
		started.Warnings = append(started.Warnings, "no SIP trunk is configured: the number cannot be dialled")
	}
	started.Token, err = s.deps.Media.CallerToken(c.RoomName, "caller-"+c.ID, s.deps.Calls.JoinTimeout()+tokenGrace)
	if err != nil {
		return nil, fmt.Errorf("sign join token: %w", err)
	}
	brief, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	if err := s.deps.Media.Open(brief, c.RoomName); err != nil {
		s.deps.Log.WarnContext(ctx, "make room at dispatch", "call", c.ID, "error", err)
	}
	return &answer[startedBody]{started}, nil
}

// contextFaults checks the sizes of what is stored with a call.
func contextFaults(userContext, metadata object) (details []fault.Detail) {
	for _, o := range []struct {
		field string
		value object
	}{{"user_context", userContext}, {"metadata", metadata}} {
		if len(o.value) > maxContext {
			details = append(details, fault.Detail{Field: o.field, Message: fmt.Sprintf("has %d bytes, at most %d are allowed", len(o.value), maxContext)})
		}
	}
	return details
}

func wireCall(c *call.Call) callBody {
	b := callBody{
		ID: c.ID, WorkflowID: c.WorkflowID, WorkflowSlug: c.WorkflowSlug, AgentName: c.AgentName, UserID: c.UserID,
		Status: string(c.Status), Direction: c.Direction, CallType: c.CallType, PhoneNumber: c.PhoneNumber, RoomName: c.RoomName,
		DurationSeconds: c.Duration(time.Now()), AgentHistory: c.AgentHistory, CurrentAgent: c.CurrentAgent, Metrics: wireMetrics(c),
		Metadata: object(c.Metadata), StartedAt: nullableTime(c.StartedAt), EndedAt: nullableTime(c.EndedAt), CreatedAt: Time(c.CreatedAt),
	}
	if c.StatusReason != nil {
		reason := string(*c.StatusReason)
		b.StatusReason = &reason
	}
	return b
}

func wireMetrics(c *call.Call) metricsBody {
	return metricsBody{
		DurationSeconds: c.Duration(time.Now()),
		STTLatencyMS:    c.Metrics.STT.Mean(), LLMLatencyMS: c.Metrics.LLM.Mean(), TTSLatencyMS: c.Metrics.TTS.Mean(),
		TotalTokens: c.Metrics.TotalTokens, AgentHandoffs: c.Metrics.AgentHandoffs,
	}
}
