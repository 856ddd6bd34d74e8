package call

import (
	"time"

	"github.com/uptrace/bun"

	"parley/internal/cost"
)

// Turn is the measurement of one exchange: the caller spoke and an agent answered. Unmeasured fields are nil.
type Turn struct {
	bun.BaseModel `bun:"table:call_turns,alias:u"`

	ID        int64  `bun:"id,pk,autoincrement"`
	TenantID  string `bun:"tenant_id"`
	CallID    string `bun:"call_id"`
	AgentName string `bun:"agent_name"`
	// The providers that were used.
	STTProvider *string `bun:"stt_provider"`
	LLMProvider *string `bun:"llm_provider"`
	TTSProvider *string `bun:"tts_provider"`
	// Milliseconds, measured as in voice.Turn.
	EndpointingMS  *float64 `bun:"endpointing_ms"`
	STTMS          *float64 `bun:"stt_ms"`
	LLMMS          *float64 `bun:"llm_ms"`
	TTSMS          *float64 `bun:"tts_ms"`
	VoiceToVoiceMS *float64 `bun:"voice_to_voice_ms"`
	Interrupted    bool     `bun:"interrupted"` // by the caller, while the agent answered
	InputTokens    *int64   `bun:"input_tokens"`
	OutputTokens   *int64   `bun:"output_tokens"`
	// Usage is what was used of the providers since the turn before.
	Usage []cost.Usage `bun:"usage,type:jsonb,nullzero"`
	// Cost is the turn's share of the call's cost; nil if nothing was counted. Timeline sets it.
	Cost      *cost.Cost `bun:"-"`
	CreatedAt time.Time  `bun:"created_at"` // when the turn ended
}

// Milliseconds returns a duration in milliseconds, nil for zero (not measured).
func Milliseconds(d time.Duration) *float64 {
	if d <= 0 {
		return nil
	}
	ms := float64(d) / float64(time.Millisecond)
	return &ms
}

// addExtraTokens adds tokens outside turns to a call's sums.
func (m *Metrics) addExtraTokens(t ExtraTokens) {
	if m.OtherTokens == nil {
		m.OtherTokens = map[string]int64{}
	}
	m.OtherTokens[t.Agent] += t.Tokens
	m.TotalTokens += t.Tokens
}

// addTurn adds a turn to a call's sums.
func (m *Metrics) addTurn(t Turn) {
	m.STT.add(t.STTMS)
	m.LLM.add(t.LLMMS)
	m.TTS.add(t.TTSMS)
	m.VoiceToVoice.add(t.VoiceToVoiceMS)
	m.Usage = cost.Add(m.Usage, t.Usage...)
	for _, tokens := range []*int64{t.InputTokens, t.OutputTokens} {
		if tokens != nil {
			m.TotalTokens += *tokens
		}
	}
}
