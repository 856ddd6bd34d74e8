// Package agent keeps a tenant's voice agents: what they say, hear and think
// with.
package agent

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"
)

// Agent is a voice agent of a tenant.
type Agent struct {
	bun.BaseModel `bun:"table:agents,alias:a"`

	TenantID    string    `bun:"tenant_id,pk"`
	ID          string    `bun:"id,pk"`
	Name        string    `bun:"name"` // unique within the tenant; never changes
	DisplayName *string   `bun:"display_name"`
	Config      Config    `bun:"config,type:jsonb"`
	IsActive    bool      `bun:"is_active"`
	CreatedAt   time.Time `bun:"created_at"`
	UpdatedAt   time.Time `bun:"updated_at"`
}

// Config is what an agent is made of, as clients write it and as it is stored.
// Fields that were not given are left out.
type Config struct {
	Prompt Prompt `json:"prompt"`
	STT    STT    `json:"stt"`
	TTS    TTS    `json:"tts"`
	LLM    LLM    `json:"llm"`
	// Tools are names of tools. They need not exist yet.
	Tools    []string  `json:"tools,omitzero"`
	Handoffs []Handoff `json:"handoffs,omitzero"`
	// Languages and DefaultLanguage are BCP 47 codes.
	Languages       []string `json:"languages,omitzero"`
	DefaultLanguage string   `json:"default_language,omitempty"`
	// Turn holds the settings of turn-taking, an object whose keys belong to
	// package voice.
	Turn json.RawMessage `json:"turn,omitempty"`
}

// Prompt is what the agent is told to be, and its first words. Both may hold
// {{path}} templates.
type Prompt struct {
	System   string `json:"system"`
	Greeting string `json:"greeting,omitempty"`
}

// STT chooses the recogniser.
type STT struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Language string `json:"language,omitempty"`
}

// TTS chooses the voice. Speed is 1 unless given.
type TTS struct {
	Provider string   `json:"provider"`
	VoiceID  string   `json:"voice_id"`
	Speed    *float64 `json:"speed,omitempty"`
}

// LLM chooses the language model.
type LLM struct {
	Provider    string   `json:"provider"`
	Model       string   `json:"model"`
	Temperature *float64 `json:"temperature,omitempty"`
	MaxTokens   *int     `json:"max_tokens,omitempty"`
}

// Handoff offers another agent of the tenant to take the call over.
type Handoff struct {
	TargetAgent string `json:"target_agent"` // need not exist yet
	// Condition is a template.Condition; without one the handoff is always
	// offered.
	Condition string `json:"condition,omitempty"`
	// ContextPass are the context keys that go along.
	ContextPass []string `json:"context_pass,omitzero"`
}
