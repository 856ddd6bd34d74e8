package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/analysis"
	"parley/internal/api/wire"
	"parley/internal/audio"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/control"
	"parley/internal/fault"
	"parley/internal/transferpage"
)

// Calls is what the API needs of the calls.
type Calls interface {
	AgentMetrics(ctx context.Context, tenantID, id string) ([]call.AgentMetrics, error)
	Dispatch(ctx context.Context, r call.Request) (*call.Call, call.RequiredProviders, error)
	DispatchIdempotent(ctx context.Context, r call.Request, once call.Idempotency, answer func(*call.Call, call.RequiredProviders) ([]byte, error)) (kept []byte, c *call.Call, err error)
	Get(ctx context.Context, tenantID, id string) (*call.Call, error)
	Transcript(ctx context.Context, tenantID, id string) ([]call.TranscriptEntry, error)
	Timeline(ctx context.Context, tenantID, id string) ([]call.TimelineItem, error)
	EstimateRun(ctx context.Context, q call.RunRequest) (call.RunEstimate, error)
	StartRun(ctx context.Context, q call.RunRequest) (*analysis.Run, error)
	Analyses(ctx context.Context, tenantID, id string) ([]analysis.OfCall, error)
	Prompts(ctx context.Context, tenantID, id string) ([]call.AgentPrompt, []call.PromptTexts, error)
	List(ctx context.Context, tenantID string, f call.Filter, limit, offset int64) (page []*call.Call, total int64, err error)
	ListActive(ctx context.Context, tenantID string, livemode *bool, limit int64) ([]*call.Call, error)
	End(ctx context.Context, tenantID, id string) (*call.Call, error)
	Control(ctx context.Context, tenantID, callID string, r control.Request, once *call.Idempotency) (*call.Control, error)
	OpenPage(ctx context.Context, id, secret string, opening call.OnOpen) (session string, err error)
	Page(ctx context.Context, id, session string) (*transferpage.Page, error)
	OfPage(ctx context.Context, p *transferpage.Page) (*call.PageCall, error)
	JoinTimeout() time.Duration
	MaxDuration() time.Duration
}

// object is a JSON object that is forwarded unchanged.
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

// MetricsBody is a call's metrics.
type MetricsBody struct {
	DurationSeconds int64   `json:"duration_seconds"`
	STTLatencyMS    float64 `json:"stt_latency_ms" doc:"Average time from the end of the caller's speech to the final transcript, in milliseconds."`
	LLMLatencyMS    float64 `json:"llm_latency_ms" doc:"Average time from the prompt to the first token, in milliseconds."`
	TTSLatencyMS    float64 `json:"tts_latency_ms" doc:"Average time from the first text to the first audio, in milliseconds."`
	TotalTokens     int64   `json:"total_tokens"`
	AgentHandoffs   int64   `json:"agent_handoffs"`

	SilenceRatio            *float64 `json:"silence_ratio" nullable:"true" doc:"Share of the time in which caller and agent were connected in which neither spoke, 0 to 1; null if the caller sent no audio."`
	Interruptions           *int     `json:"interruptions" nullable:"true" doc:"How often the caller interrupted the agent."`
	LongestWaitMS           *float64 `json:"longest_wait_ms" nullable:"true" doc:"Longest time that the caller waited for the agent, in milliseconds: from the end of their turn to the agent's first audio, or, if there was none, to their next turn or the end of the call. null if the caller had no turn."`
	AgentRepeatedQuestions  *int     `json:"agent_repeated_questions" nullable:"true" doc:"Number of the agent's questions that it had asked before in nearly the same words."`
	CallerRepeatedQuestions *int     `json:"caller_repeated_questions" nullable:"true" doc:"Number of the caller's questions that they had asked before in nearly the same words; null if the speech-to-text provider writes no punctuation."`
	FailedTools             *int     `json:"failed_tools" nullable:"true" doc:"Number of tool executions that failed."`
	CallerWordsPerMinute    *float64 `json:"caller_words_per_minute" nullable:"true" doc:"Words a minute of the time for which the caller spoke; null if they spoke for less than a second, or if their script does not separate words."`
	AgentWordsPerMinute     *float64 `json:"agent_words_per_minute" nullable:"true" doc:"Words a minute of the time for which the agent's speech was played; null if that is less than a second, or if its script does not separate words."`
}

// callMetricsBody is a call's metrics, and those of each of its agents.
type callMetricsBody struct {
	MetricsBody
	Agents []agentMetricsBody `json:"agents" nullable:"false" doc:"Metrics by agent, in the order of the agents' first turns, followed by agents that used tokens outside any turn, such as for a greeting."`
}

type agentMetricsBody struct {
	Agent          string  `json:"agent" example:"front-desk"`
	Turns          int64   `json:"turns" doc:"Number of the caller's turns that this agent answered."`
	STTMS          float64 `json:"stt_latency_ms" doc:"Average speech-to-text latency, in milliseconds; 0 if not measured."`
	LLMMS          float64 `json:"llm_latency_ms"`
	TTSMS          float64 `json:"tts_latency_ms"`
	VoiceToVoiceMS float64 `json:"voice_to_voice_ms" doc:"Average time from the end of the caller's speech to the agent's first audio, in milliseconds; 0 if not measured."`
	TotalTokens    int64   `json:"total_tokens"`
}

type callBody struct {
	ID              string           `json:"id" format:"uuid"`
	WorkflowID      *string          `json:"workflow_id" nullable:"true" format:"uuid"`
	WorkflowSlug    *string          `json:"workflow_slug" nullable:"true"`
	AgentName       *string          `json:"agent_name" nullable:"true" doc:"Name of the agent of a test call; null for a call of a workflow."`
	UserID          *string          `json:"user_id" nullable:"true"`
	Status          string           `json:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout"`
	StatusReason    *string          `json:"status_reason" nullable:"true"`
	Direction       string           `json:"direction" enum:"inbound,outbound"`
	CallType        string           `json:"call_type" enum:"voip,sip"`
	Held            bool             `json:"held"`
	PhoneNumber     *string          `json:"phone_number" nullable:"true"`
	From            *string          `json:"from" nullable:"true"`
	CallerName      *string          `json:"caller_name" nullable:"true"`
	Verstat         *string          `json:"verstat" nullable:"true"`
	Attestation     *string          `json:"attestation" nullable:"true"`
	RoomName        string           `json:"room_name"`
	DurationSeconds int64            `json:"duration_seconds"`
	AgentHistory    []string         `json:"agent_history" nullable:"false"`
	CurrentAgent    *string          `json:"current_agent" nullable:"true"`
	Metrics         MetricsBody      `json:"metrics"`
	AnsweredBy      *call.AnsweredBy `json:"answered_by,omitempty"`
	Quality         *audio.Quality   `json:"quality,omitempty"`
	Cost            *callCostBody    `json:"cost,omitempty"`
	Metadata        object           `json:"metadata"`
	Livemode        bool             `json:"livemode" doc:"Whether the call was made with a live key or a session (true) or a test key (false)."`
	StartedAt       *wire.Time       `json:"started_at" nullable:"true"`
	EndedAt         *wire.Time       `json:"ended_at" nullable:"true"`
	CreatedAt       wire.Time        `json:"created_at"`
}

type transcriptBody struct {
	ID        int64     `json:"id" doc:"Identifier of the entry, to which the evidence of analyses refers." example:"4711"`
	Role      string    `json:"role" enum:"system,assistant,user"`
	Content   string    `json:"content"`
	DTMF      bool      `json:"dtmf,omitempty" doc:"Whether the content is keys that the caller pressed on the phone; absent if it is not." example:"true"`
	Ignored   bool      `json:"ignored,omitempty" doc:"Whether the caller said it over the agent without effect, such as okay; the language model has not seen it. Absent if it had an effect." example:"true"`
	Timestamp wire.Time `json:"timestamp"`
	AgentName *string   `json:"agent_name" nullable:"true"`
	ToolCall  *struct {
		Name      string `json:"name"`
		Arguments object `json:"arguments"`
		Phase     string `json:"phase,omitempty" enum:"started,ended,cancelled"`
	} `json:"tool_call,omitempty"`
}

type callInput struct {
	ID wire.ID `path:"id" doc:"Unique identifier of the call."`
}

func (s *Server) registerCalls() {
	s.registerCallStarts()
	s.registerCallLists()
	s.registerCallTimeline()
	s.registerCallControls()
	s.registerCallOperators()
	s.registerCallPrompts()
	s.registerCallAnalyses()
	s.registerSIPMessages()
	s.registerRecordings()
	s.registerMediaServer()
	wire.Register(s.router, wire.Operation{
		ID: "get-call", Method: http.MethodGet, Path: "/api/v1/calls/{id}", Tag: "Calls", Scope: "calls:read",
		Summary: "Get a call", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*wire.Answer[callBody], error) {
		c, err := s.seen(ctx, who, in.ID)
		if err != nil {
			return nil, err
		}
		return wire.NewAnswer(wireCall(c)), nil
	})

	wire.Register(s.router, wire.Operation{
		ID: "get-call-transcript", Method: http.MethodGet, Path: "/api/v1/calls/{id}/transcript", Tag: "Calls", Scope: "calls:read",
		Summary: "Get a call's transcript", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*wire.Answer[[]transcriptBody], error) {
		if err := s.maySee(ctx, who, in.ID); err != nil {
			return nil, err
		}
		entries, err := s.deps.Calls.Transcript(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		lines := make([]transcriptBody, len(entries))
		for i, e := range entries {
			lines[i] = transcriptBody{ID: e.ID, Role: e.Role, Content: e.Content, DTMF: e.DTMF, Ignored: e.Ignored, Timestamp: wire.Time(e.CreatedAt), AgentName: e.AgentName}
			if e.ToolCall != nil {
				if err := json.Unmarshal(e.ToolCall, &lines[i].ToolCall); err != nil {
					return nil, fmt.Errorf("read transcript: %w", err)
				}
			}
		}
		return wire.NewAnswer(lines), nil
	})

	wire.Register(s.router, wire.Operation{
		ID: "get-call-metrics", Method: http.MethodGet, Path: "/api/v1/calls/{id}/metrics", Tag: "Calls", Scope: "calls:read",
		Summary: "Get a call's metrics", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*wire.Answer[callMetricsBody], error) {
		c, err := s.seen(ctx, who, in.ID)
		if err != nil {
			return nil, err
		}
		agents, err := s.deps.Calls.AgentMetrics(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		body := callMetricsBody{wireMetrics(c), []agentMetricsBody{}}
		for _, a := range agents {
			body.Agents = append(body.Agents, agentMetricsBody(a))
		}
		return wire.NewAnswer(body), nil
	})

	wire.Register(s.router, wire.Operation{
		ID: "end-call", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/calls/{id}/end", Tag: "Calls", Scope: "calls:write",
		Summary: "End a call", Errors: []fault.Code{fault.NotFound},
		Description: "Returns the call as it ended. Ending a call that has already ended has no effect.",
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*wire.Answer[callBody], error) {
		before, err := s.seen(ctx, who, in.ID)
		if err != nil {
			return nil, err
		}
		c, err := s.deps.Calls.End(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		if !before.Status.Terminal() {
			s.auditRequest(ctx, who, "call.end", c.ID, "")
		}
		if err := s.deps.Media.Delete(ctx, c.RoomName); err != nil {
			s.deps.Log.WarnContext(ctx, "failed to close the room of an ended call", "call", c.ID, "error", err)
		}
		return wire.NewAnswer(wireCall(c)), nil
	})
}

// seen returns a call if the credential may see it: a test key sees calls of test keys only.
func (s *Server) seen(ctx context.Context, who auth.Principal, id wire.ID) (*call.Call, error) {
	c, err := s.deps.Calls.Get(ctx, who.TenantID, id.String())
	if err == nil && c.Livemode && !who.Livemode {
		return nil, fault.Missing("call")
	}
	return c, err
}

// maySee returns not_found for a call that a test key does not see.
func (s *Server) maySee(ctx context.Context, who auth.Principal, id wire.ID) error {
	if who.Livemode {
		return nil // what reads the call finds out
	}
	_, err := s.seen(ctx, who, id)
	return err
}

// livemode returns a list's filter for a credential: a test key that asks for live calls gets an empty list.
func livemode(who auth.Principal, asked *bool) (filter *bool, none bool) {
	if who.Livemode {
		return asked, false
	}
	return new(false), asked != nil && *asked
}

func wireCall(c *call.Call) callBody {
	b := callBody{
		ID: c.ID, WorkflowID: c.WorkflowID, WorkflowSlug: c.WorkflowSlug, AgentName: c.AgentName, UserID: c.UserID,
		Status: string(c.Status), Direction: c.Direction, CallType: c.CallType, Held: c.Held, PhoneNumber: c.PhoneNumber, From: c.From, CallerName: c.CallerName, Verstat: c.Verstat, Attestation: c.Attestation, RoomName: c.RoomName,
		DurationSeconds: c.DurationAtRead(), AgentHistory: c.AgentHistory, CurrentAgent: c.CurrentAgent, Metrics: wireMetrics(c), AnsweredBy: c.AnsweredBy, Quality: c.Quality, Cost: wireCallCost(c.Cost),
		Metadata: object(c.Metadata), Livemode: c.Livemode, StartedAt: wire.NullableTime(c.StartedAt), EndedAt: wire.NullableTime(c.EndedAt), CreatedAt: wire.Time(c.CreatedAt),
	}
	if c.StatusReason != nil {
		reason := string(*c.StatusReason)
		b.StatusReason = &reason
	}
	return b
}

func wireMetrics(c *call.Call) MetricsBody {
	b := MetricsBody{
		DurationSeconds: c.DurationAtRead(),
		STTLatencyMS:    c.Metrics.STT.Mean(), LLMLatencyMS: c.Metrics.LLM.Mean(), TTSLatencyMS: c.Metrics.TTS.Mean(),
		TotalTokens: c.Metrics.TotalTokens, AgentHandoffs: c.Metrics.AgentHandoffs,
	}
	if t := c.Metrics.Talk; t != nil {
		b.SilenceRatio, b.LongestWaitMS = t.SilenceRatio(), t.LongestWaitMS()
		b.Interruptions, b.FailedTools = &t.Interruptions, &t.FailedTools
		b.AgentRepeatedQuestions, b.CallerRepeatedQuestions = &t.AgentRepeats, t.CallerRepeatedQuestions()
		b.CallerWordsPerMinute, b.AgentWordsPerMinute = t.CallerWordsPerMinute(), t.AgentWordsPerMinute()
	}
	return b
}
