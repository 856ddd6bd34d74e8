package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"
)

// Statuses of a call. The last four are terminal.
const (
	Pending      = "pending"
	Connecting   = "connecting"
	Active       = "active"
	Completed    = "completed"
	Failed       = "failed"
	Disconnected = "disconnected"
	Timeout      = "timeout"
)

// Call is a voice session between a caller and a workflow or an agent.
type Call struct {
	ID              string          `json:"id"`
	WorkflowID      *string         `json:"workflow_id"`   // nil for a call of TestAgent
	WorkflowSlug    *string         `json:"workflow_slug"` // likewise
	AgentName       *string         `json:"agent_name"`    // the agent of a call of TestAgent
	RoomName        string          `json:"room_name"`
	UserID          *string         `json:"user_id"`
	Status          string          `json:"status"`
	StatusReason    *string         `json:"status_reason"`
	Direction       string          `json:"direction"` // inbound or outbound
	CallType        string          `json:"call_type"` // voip or sip
	Held            bool            `json:"held"`      // the phone has put the call on hold
	PhoneNumber     *string         `json:"phone_number"`
	From            *string         `json:"from"`        // the caller as the network wrote it, of an inbound phone call
	CallerName      *string         `json:"caller_name"` // of an inbound phone call
	Verstat         *string         `json:"verstat"`     // of STIR/SHAKEN
	Attestation     *string         `json:"attestation"` // A, B or C
	DurationSeconds int             `json:"duration_seconds"`
	AgentHistory    []string        `json:"agent_history"` // in order of use
	CurrentAgent    *string         `json:"current_agent"` // nil when the call has ended
	Metrics         Metrics         `json:"metrics"`
	AnsweredBy      *AnsweredBy     `json:"answered_by"` // of a call that was dialled; nil for other calls, and until it is known
	Quality         *Quality        `json:"quality"`     // of a phone call's audio; nil for other calls, and until it is known
	Cost            *CallCost       `json:"cost"`        // nil until the call has ended
	Metadata        json.RawMessage `json:"metadata"`
	Livemode        bool            `json:"livemode"`   // false for a call made with a test key
	StartedAt       *time.Time      `json:"started_at"` // when it became active
	EndedAt         *time.Time      `json:"ended_at"`
	CreatedAt       time.Time       `json:"created_at"`
}

// Terminal reports whether the call has ended.
func (c *Call) Terminal() bool {
	return c.Status == Completed || c.Status == Failed || c.Status == Disconnected || c.Status == Timeout
}

// Cost is an amount of money. Amounts are decimal numbers.
type Cost struct {
	Total    *string  `json:"total"` // nil if a price is not known
	Known    string   `json:"known"` // sum of the amounts that are known
	Currency string   `json:"currency"`
	Unknown  []string `json:"unknown"` // what has no price
}

// CallCost is the cost of a call.
type CallCost struct {
	Cost
	Items []CostItem `json:"items"`
}

// CostItem is the cost of one use of a provider.
type CostItem struct {
	Agent    string  `json:"agent"` // "" for what belongs to the call
	Kind     string  `json:"kind"`  // stt, llm, tts, realtime, trunk or analysis
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	Unit     string  `json:"unit"`
	Quantity string  `json:"quantity"`
	Price    *string `json:"price"` // of Per units; nil if it is not known
	Per      int64   `json:"per"`
	Amount   *string `json:"amount"`
}

// Metrics holds totals and averages of a call; latencies are in milliseconds.
type Metrics struct {
	DurationSeconds int     `json:"duration_seconds"`
	STTLatencyMS    float64 `json:"stt_latency_ms"`
	LLMLatencyMS    float64 `json:"llm_latency_ms"`
	TTSLatencyMS    float64 `json:"tts_latency_ms"`
	TotalTokens     int     `json:"total_tokens"`
	AgentHandoffs   int     `json:"agent_handoffs"`
	// How caller and agent spoke with each other; nil for what is not known.
	SilenceRatio            *float64 `json:"silence_ratio"` // 0 to 1
	Interruptions           *int     `json:"interruptions"` // of the agent, by the caller
	LongestWaitMS           *float64 `json:"longest_wait_ms"`
	AgentRepeatedQuestions  *int     `json:"agent_repeated_questions"`
	CallerRepeatedQuestions *int     `json:"caller_repeated_questions"`
	FailedTools             *int     `json:"failed_tools"`
	CallerWordsPerMinute    *float64 `json:"caller_words_per_minute"`
	AgentWordsPerMinute     *float64 `json:"agent_words_per_minute"`
	// Agents lists the agents with turns, in the order of their first turn, then agents with tokens outside turns. Set only
	// by Calls.Metrics.
	Agents []AgentMetrics `json:"agents,omitempty"`
}

// Quality is the quality of a phone call's audio, as last measured. What is not known is nil.
type Quality struct {
	Codec       string           `json:"codec"`         // its name in SDP
	Received    DirectionQuality `json:"received"`      // from the phone, as the server measures it
	Sent        DirectionQuality `json:"sent"`          // to the phone, as its RTCP reports it
	RoundTripMS *float64         `json:"round_trip_ms"` // nil if the phone sends no reports
	MeasuredAt  time.Time        `json:"measured_at"`
}

// DirectionQuality is the quality of one direction.
type DirectionQuality struct {
	Packets  int64    `json:"packets"`      // sent in this direction
	Lost     *int64   `json:"packets_lost"` // of these
	JitterMS *float64 `json:"jitter_ms"`    // RFC 3550
	MOS      *float64 `json:"mos"`          // estimated mean opinion score, 1 to 4.5
}

// AgentMetrics holds totals and averages of one agent in a call.
type AgentMetrics struct {
	Agent          string  `json:"agent"`
	Turns          int     `json:"turns"`
	STTLatencyMS   float64 `json:"stt_latency_ms"`
	LLMLatencyMS   float64 `json:"llm_latency_ms"`
	TTSLatencyMS   float64 `json:"tts_latency_ms"`
	VoiceToVoiceMS float64 `json:"voice_to_voice_ms"` // caller's last sound to the agent's first
	TotalTokens    int     `json:"total_tokens"`
}

// TranscriptEntry is one entry of a call's transcript.
type TranscriptEntry struct {
	ID        int64     `json:"id"`   // to which the evidence of analyses refers
	Role      string    `json:"role"` // system, assistant or user
	Content   string    `json:"content"`
	DTMF      bool      `json:"dtmf"`    // Content is keys that the caller pressed on the phone
	Ignored   bool      `json:"ignored"` // said over the agent without effect; the language model has not seen it
	Timestamp time.Time `json:"timestamp"`
	AgentName string    `json:"agent_name"`
	ToolCall  *ToolCall `json:"tool_call,omitempty"`
}

// ToolCall is one execution of a tool.
type ToolCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Phase     string          `json:"phase,omitempty"` // of a tool that runs in the background: started, ended or cancelled
}

// StartCall holds the parameters of Calls.Start.
type StartCall struct {
	WorkflowSlug string            `json:"workflow_slug"`
	UserID       string            `json:"user_id,omitempty"`
	CallType     string            `json:"call_type,omitempty"`    // default voip
	PhoneNumber  string            `json:"phone_number,omitempty"` // for sip: E.164, or as the trunk allows it: a national number, an extension, a SIP URI
	SIPHeaders   map[string]string `json:"sip_headers,omitempty"`  // for sip: added to the INVITE, of those in the trunk's headers_out
	UserContext  map[string]any    `json:"user_context,omitempty"` // {{user.*}} in templates; kept encrypted
	Metadata     map[string]any    `json:"metadata,omitempty"`
	CallSettings
	// IdempotencyKey makes the request safe to retry; generated when empty.
	IdempotencyKey string `json:"-"`
}

// CallSettings apply to one call, in place of what its agents, its trunk or the server have. The first three are for call_type sip only.
type CallSettings struct {
	TrunkID               string `json:"trunk_id,omitempty"` // to dial through
	CallerID              string `json:"caller_id,omitempty"`
	RingTimeoutSeconds    int    `json:"ring_timeout_seconds,omitempty"`
	MaxDurationSeconds    int    `json:"max_duration_seconds,omitempty"`
	SilenceTimeoutSeconds int    `json:"silence_timeout_seconds,omitempty"`
	Greeting              string `json:"greeting,omitempty"`      // a template
	GreetingMode          string `json:"greeting_mode,omitempty"` // speak, or wait for the caller's first words
	Recording             *bool  `json:"recording,omitempty"`
	MaxCost               string `json:"max_cost,omitempty"`   // decimal, in the currency of the price list
	Microphone            *bool  `json:"microphone,omitempty"` // false: a caller who only writes, so that the conversation begins at once
}

// TestAgent holds the parameters of Calls.TestAgent: a call of one agent without a workflow.
type TestAgent struct {
	AgentName   string            `json:"agent_name"`
	Config      *AgentConfig      `json:"config,omitempty"` // in place of the saved one, for this call alone
	UserID      string            `json:"user_id,omitempty"`
	CallType    string            `json:"call_type,omitempty"`    // default voip
	PhoneNumber string            `json:"phone_number,omitempty"` // as in StartCall
	SIPHeaders  map[string]string `json:"sip_headers,omitempty"`
	UserContext map[string]any    `json:"user_context,omitempty"`
	Metadata    map[string]any    `json:"metadata,omitempty"`
	CallSettings
	IdempotencyKey string `json:"-"` // as in StartCall
}

// Ingest holds the parameters of Calls.Ingest: a call of a workflow or of an agent, by phone if it has a number.
type Ingest struct {
	WorkflowSlug string            `json:"workflow_slug,omitempty"` // either this or AgentSlug
	AgentSlug    string            `json:"agent_slug,omitempty"`
	UserID       string            `json:"user_id,omitempty"`
	PhoneNumber  string            `json:"phone_number,omitempty"` // as in StartCall
	SIPHeaders   map[string]string `json:"sip_headers,omitempty"`
	UserContext  map[string]any    `json:"user_context,omitempty"`
	Metadata     map[string]any    `json:"metadata,omitempty"`
	CallSettings
	IdempotencyKey string `json:"-"` // as in StartCall
}

// Dispatch is the result of starting a call.
type Dispatch struct {
	CallID   string   `json:"call_id"`
	RoomName string   `json:"room_name"`
	URL      string   `json:"url"`   // of the media server: ws or wss
	Token    string   `json:"token"` // joins the room
	Status   string   `json:"status"`
	Warnings []string `json:"warnings,omitempty"` // what the call will lack, such as a provider's key
}

// Calls has the operations on calls.
type Calls struct{ c *Client }

const callsPath = "/api/v1/calls"

// Start dispatches a call to a workflow.
func (s Calls) Start(ctx context.Context, n StartCall) (*Dispatch, error) {
	return s.dispatch(ctx, callsPath, n.IdempotencyKey, n)
}

// TestAgent dispatches a call to one agent.
func (s Calls) TestAgent(ctx context.Context, n TestAgent) (*Dispatch, error) {
	return s.dispatch(ctx, callsPath+"/test-agent", n.IdempotencyKey, n)
}

// Ingest dispatches a call as other systems ask for one, by the API's inbound webhook.
func (s Calls) Ingest(ctx context.Context, n Ingest) (*Dispatch, error) {
	return s.dispatch(ctx, webhooksPath+"/ingest", n.IdempotencyKey, n)
}

func (s Calls) dispatch(ctx context.Context, path, key string, body any) (*Dispatch, error) {
	if key == "" {
		key = rand.Text()
	}
	d := new(Dispatch)
	return d, s.c.call(ctx, request{method: http.MethodPost, path: path, body: body, key: key}, d)
}

// Get returns a call. Error: not_found.
func (s Calls) Get(ctx context.Context, id string) (*Call, error) {
	call := new(Call)
	return call, s.c.call(ctx, request{method: http.MethodGet, path: callsPath + "/" + segment(id)}, call)
}

// Transcript returns the transcript so far, in order.
func (s Calls) Transcript(ctx context.Context, id string) ([]TranscriptEntry, error) {
	var entries []TranscriptEntry
	err := s.c.call(ctx, request{method: http.MethodGet, path: callsPath + "/" + segment(id) + "/transcript"}, &entries)
	return entries, err
}

// Analyses returns the analyses of a call that has ended, by name.
func (s Calls) Analyses(ctx context.Context, id string) ([]CallAnalysis, error) {
	var analyses []CallAnalysis
	err := s.c.call(ctx, request{method: http.MethodGet, path: callsPath + "/" + segment(id) + "/analyses"}, &analyses)
	return analyses, err
}

// Metrics returns the call's metrics.
func (s Calls) Metrics(ctx context.Context, id string) (*Metrics, error) {
	m := new(Metrics)
	return m, s.c.call(ctx, request{method: http.MethodGet, path: callsPath + "/" + segment(id) + "/metrics"}, m)
}

// End ends a call and returns it. An ended call is returned unchanged.
func (s Calls) End(ctx context.Context, id string) (*Call, error) {
	call := new(Call)
	path := callsPath + "/" + segment(id) + "/end"
	return call, s.c.call(ctx, request{method: http.MethodPost, path: path, repeatable: true}, call)
}

// Wait polls the call at an interval until it has ended, and returns it.
func (s Calls) Wait(ctx context.Context, id string, interval time.Duration) (*Call, error) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		call, err := s.Get(ctx, id)
		if err != nil || call.Terminal() {
			return call, err
		}
		select {
		case <-ctx.Done():
			return call, ctx.Err()
		case <-ticker.C:
		}
	}
}
