// Package call is the life of a call: its record, its states, and the queue
// that it waits in.
//
// The call row is the job. Dispatch writes it; a worker claims it under a
// lease (queue.go, claim.go) and joins the room; every change of state goes through
// advance (advance.go), which writes row and event in one transaction; the
// reaper (reaper.go) ends what nobody else will.
package call

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/seal"
)

// Types and directions of calls.
const (
	VoIP = "voip" // WebRTC, in an application
	SIP  = "sip"  // a phone call

	Inbound  = "inbound"  // the user called
	Outbound = "outbound" // we dialled
)

// Call is a voice session between a caller and a workflow or an agent.
type Call struct {
	bun.BaseModel `bun:"table:calls,alias:c"`

	ID           string    `bun:"id,pk"`
	TenantID     string    `bun:"tenant_id"`
	WorkflowID   *string   `bun:"workflow_id"`   // nil for a test call of one agent
	WorkflowSlug *string   `bun:"workflow_slug"` // likewise
	AgentName    *string   `bun:"agent_name"`    // the agent of such a test call
	UserID       *string   `bun:"user_id"`
	Status       Status    `bun:"status"`
	StatusReason *Reason   `bun:"status_reason"`
	Direction    string    `bun:"direction"`
	CallType     string    `bun:"call_type"`
	PhoneNumber  *string   `bun:"phone_number"`
	Livemode     bool      `bun:"livemode"`
	RoomName     string    `bun:"room_name"`
	CurrentAgent *string   `bun:"current_agent"`
	AgentHistory []string  `bun:"agent_history,type:jsonb"`
	Metrics      Metrics   `bun:"metrics,type:jsonb"`
	CreatedAt    time.Time `bun:"created_at"`
	StartedAt    time.Time `bun:"started_at,nullzero"` // when it became active
	EndedAt      time.Time `bun:"ended_at,nullzero"`
	// DurationSeconds counts from StartedAt to EndedAt.
	DurationSeconds int64 `bun:"duration_seconds"`

	Metadata json.RawMessage `bun:"metadata,type:jsonb,nullzero"`
	// UserContext is sealed; Service.UserContext opens it.
	UserContext []byte `bun:"user_context,nullzero"`
	// Context is what the conversation has come to know, sealed; Service.Kept
	// opens it. It is dropped at the end.
	Context []byte `bun:"context,nullzero"`
	// Plan is what the call needs to know of its agents; dropped at its end.
	Plan json.RawMessage `bun:"plan,type:jsonb,nullzero"`

	JoinBy     time.Time `bun:"join_by"` // the caller has to be there by then
	ClaimedBy  *string   `bun:"claimed_by"`
	Fence      int64     `bun:"fence"` // grows with every claim
	LeaseUntil time.Time `bun:"lease_until,nullzero"`
	EndAsked   bool      `bun:"end_asked"` // somebody wants it to end
	// ArrivedAt is when the caller came to the room of a call that waits; zero
	// while nobody is there. A phone number is there at once. From connecting on
	// it is when the call became connecting: its worker saw the caller then, or
	// dialled.
	ArrivedAt time.Time `bun:"arrived_at,nullzero"`

	Recordings int64 `bun:"recordings"` // parts of its sound that were begun
	Journalled int64 `bun:"journalled"` // the number of the last notes of it

	Redact   bool      `bun:"redact"`             // what is written of it is masked
	PurgedAt time.Time `bun:"purged_at,nullzero"` // when what was said in it was deleted

	ListedAt time.Time `bun:"listed_at,scanonly"` // the database makes it, for lists

	// SIPStatus is what the telephone network answered when it did not reach the
	// number; nil for nothing. Only the event of the end keeps it.
	SIPStatus *int `bun:"-"`

	// ReadAt is when the call was read for a client, by the database's time.
	ReadAt time.Time `bun:"-"`
}

// Lasted is how long the call had been active when it was read, in seconds.
func (c *Call) Lasted() int64 { return c.Duration(c.ReadAt) }

// Duration is how long the call has been active by now, in seconds.
func (c *Call) Duration(now time.Time) int64 {
	switch {
	case c.Status.Terminal():
		return c.DurationSeconds
	case c.StartedAt.IsZero():
		return 0
	default:
		return max(0, int64(now.Sub(c.StartedAt)/time.Second))
	}
}

// Metrics are a call's sums; the API shows the averages.
type Metrics struct {
	STT          Latency `json:"stt"`
	LLM          Latency `json:"llm"`
	TTS          Latency `json:"tts"`
	VoiceToVoice Latency `json:"voice_to_voice"`
	TotalTokens  int64   `json:"total_tokens"`
	// OtherTokens are those of TotalTokens that no turn has, by agent.
	OtherTokens   map[string]int64 `json:"other_tokens,omitempty"`
	AgentHandoffs int64            `json:"agent_handoffs"`
	Messages      int64            `json:"messages"` // transcript entries
}

// Latency adds up measurements in milliseconds.
type Latency struct {
	Count int64   `json:"n,omitempty"`
	SumMS float64 `json:"ms,omitempty"`
}

// add adds one measurement, if there was one.
func (l *Latency) add(ms *float64) {
	if ms != nil {
		l.Count++
		l.SumMS += *ms
	}
}

// Mean is the average in milliseconds, 0 without measurements.
func (l Latency) Mean() float64 {
	if l.Count == 0 {
		return 0
	}
	return l.SumMS / float64(l.Count)
}

// keptPlace is where the sealed context of a conversation lives.
func keptPlace(id, tenantID string) seal.Place {
	return seal.Place{Table: "calls.context", Row: id, Tenant: tenantID}
}

// contextPlace is where a call's sealed context lives.
func contextPlace(id, tenantID string) seal.Place {
	return seal.Place{Table: "calls.user_context", Row: id, Tenant: tenantID}
}
