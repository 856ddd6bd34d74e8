// Package agent stores a tenant's voice agents: their prompts, providers, tools and handoffs.
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

// Config is an agent's configuration, in requests and as stored. Absent fields are left out. The tags beside json
// describe the fields in the API's description; rules.go validates.
type Config struct {
	Prompt Prompt `json:"prompt"`
	STT    STT    `json:"stt" doc:"Speech to text."`
	TTS    TTS    `json:"tts" doc:"Text to speech."`
	LLM    LLM    `json:"llm" doc:"Language model."`
	// Tools are names of tools. They need not exist yet.
	Tools    []string  `json:"tools,omitzero" maxItems:"200" doc:"Names of the tools that the agent may call." example:"[\"look_up_order\"]"`
	Handoffs []Handoff `json:"handoffs,omitzero" maxItems:"200" doc:"Agents that this one may hand the caller to."`
	// Languages and DefaultLanguage are BCP 47 codes.
	Languages       []string `json:"languages,omitzero" maxItems:"200" doc:"Supported language codes." example:"[\"en\",\"de\"]"`
	DefaultLanguage string   `json:"default_language,omitempty" pattern:"^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$" example:"en"`
	// Recording switches recording on while the agent speaks.
	Recording bool `json:"recording,omitempty" doc:"Whether the sound of what is said with this agent is kept; false by default." example:"false"`
	// Turn is the settings of turn detection, an object that package voice defines.
	Turn json.RawMessage `json:"turn,omitempty" doc:"Settings of turn-taking, an object."`
}

// Prompt is the system prompt and the greeting. Both may contain {{path}} templates.
type Prompt struct {
	System   string `json:"system" minLength:"1" maxLength:"100000" doc:"The system prompt. May hold {{user.*}} templates." example:"You are the friendly front desk of a dentist."`
	Greeting string `json:"greeting,omitempty" maxLength:"100000" doc:"What the agent says first. May hold {{user.*}} templates." example:"Hello {{user.name}}, how can I help you?"`
}

// STT is the speech-to-text provider.
type STT struct {
	Provider string `json:"provider" doc:"One of the providers for speech to text." example:"deepgram"`
	Model    string `json:"model" pattern:"^[a-z0-9][a-z0-9._:/-]{0,99}$" example:"nova-3"`
	Language string `json:"language,omitempty" pattern:"^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$" doc:"The default language unless given." example:"en"`
	// Fallback replaces the provider for the rest of a call when it fails.
	Fallback *STTFallback `json:"fallback,omitempty" doc:"Takes over for the rest of a call when the provider fails."`
}

// TTS is the text-to-speech provider. The default of Speed is 1.
type TTS struct {
	Provider string   `json:"provider" doc:"One of the providers for text to speech." example:"cartesia"`
	Model    string   `json:"model,omitempty" pattern:"^[a-z0-9][a-z0-9._:/-]{0,99}$" doc:"The provider's default model unless given." example:"sonic-3"`
	VoiceID  string   `json:"voice_id" minLength:"1" maxLength:"255" doc:"A voice of the provider." example:"f786b574-daa5-4673-aa0c-cbe3e8534c02"`
	Speed    *float64 `json:"speed,omitempty" minimum:"0.25" maximum:"4" doc:"1 is normal." example:"1"`
	// Fallback replaces the provider for the rest of a call when it fails.
	Fallback *TTSFallback `json:"fallback,omitempty" doc:"Takes over for the rest of a call when the provider fails."`
}

// LLM is the language model.
type LLM struct {
	Provider            string   `json:"provider" doc:"One of the providers of language models." example:"openai"`
	Model               string   `json:"model" pattern:"^[a-z0-9][a-z0-9._:/-]{0,99}$" example:"gpt-4.1-mini"`
	Temperature         *float64 `json:"temperature,omitempty" minimum:"0" maximum:"2" example:"0.4"`
	MaxTokens           *int     `json:"max_tokens,omitempty" minimum:"1" doc:"The most tokens of one answer." example:"300"`
	FirstTokenTimeoutMS *int     `json:"first_token_timeout_ms,omitempty" minimum:"500" maximum:"60000" doc:"How long the model may take to the first token of an answer before it counts as failed and the fallback takes over, in milliseconds. Without it 8,000, or 10,000 where no fallback stands by." example:"4000"`
	// Fallback replaces the provider for the rest of a call when it fails.
	Fallback *LLMFallback `json:"fallback,omitempty" doc:"Takes over for the rest of a call when the provider fails."`
}

// Handoff allows handing the call over to another agent of the tenant.
type Handoff struct {
	TargetAgent string `json:"target_agent" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"An agent's name." example:"billing"` // need not exist yet
	// Condition is a template.Condition; without one the handoff is always
	// offered.
	Condition string `json:"condition,omitempty" maxLength:"2000" doc:"An expression over user, workflow and flags. Without one the handoff is always offered." example:"{{flags.verified}}"`
	// ContextPass are the context keys passed to it.
	ContextPass []string `json:"context_pass,omitzero" maxItems:"200" doc:"Context keys that go along." example:"[\"order_id\"]"`
}
