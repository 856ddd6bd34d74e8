// Package agent stores a tenant's voice agents: their prompts, providers, tools and handoffs.
package agent

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/hook"
	"parley/internal/mcpclient"
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
	STT    STT    `json:"stt,omitzero" doc:"Speech-to-text settings. Required without realtime."`
	TTS    TTS    `json:"tts,omitzero" doc:"Text-to-speech settings. Required without realtime."`
	LLM    LLM    `json:"llm,omitzero" doc:"Language model settings. Required without realtime."`
	// Realtime replaces the three, which are then its fallback.
	Realtime *Realtime `json:"realtime,omitempty" doc:"Speech-to-speech model, in place of stt, llm and tts. If these are set as well, they replace it for the rest of a call when it fails."`
	// Tools are names of tools. They need not exist yet.
	Tools []string `json:"tools,omitzero" maxItems:"200" doc:"Names of the tools that the agent may call." example:"[\"look_up_order\"]"`
	// MCPServers have further tools.
	MCPServers []mcpclient.ToolServer `json:"mcp_servers,omitzero" maxItems:"5" doc:"MCP servers whose tools the agent may call."`
	Handoffs   []Handoff              `json:"handoffs,omitzero" maxItems:"200" doc:"Agents to which this agent can hand the call over."`
	// Analyses are names of analyses. They need not exist yet.
	Analyses []string `json:"analyses,omitzero" maxItems:"20" doc:"Names of the analyses of calls that this agent has held." example:"[\"outcome\"]"`
	// Languages and DefaultLanguage are BCP 47 codes.
	Languages       []string `json:"languages,omitzero" maxItems:"200" doc:"Supported language codes." example:"[\"en\",\"de\"]"`
	DefaultLanguage string   `json:"default_language,omitempty" pattern:"^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$" example:"en"`
	// LanguagesAuto switches to the language that the caller speaks.
	LanguagesAuto bool `json:"languages_auto,omitempty" doc:"Whether the agent changes its language after two utterances of the caller in another one of languages. Default: false." example:"false"`
	// ByLanguage has the settings of each of Languages that differ from those of the agent.
	ByLanguage map[string]LanguageSettings `json:"by_language,omitzero" maxProperties:"20" doc:"Settings that replace those of the agent while it speaks a language, by code of languages."`
	Timezone   string                      `json:"timezone,omitempty" maxLength:"64" doc:"IANA time zone of {{now}} and {{today}}. Default: the tenant's, or else UTC." example:"Europe/Berlin"`
	// Recording switches recording on while the agent speaks.
	Recording bool `json:"recording,omitempty" doc:"Whether the conversation with this agent is recorded. Default: false." example:"false"`
	// Redaction is what is kept from the providers of the call, and out of its recording.
	Redaction Redaction `json:"redaction,omitzero" doc:"Masking of phone numbers, e-mail addresses, card numbers and bank account numbers in what the caller says."`
	// HoldSound is the name of a sound of the tenant; "" for the sound of this server.
	HoldSound string `json:"hold_sound,omitempty" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"Name of one of your sounds, which a caller on hold hears in a loop while the agent has them connected with a person. Default: a sound of this server." example:"waiting"`
	// Ambience is what the caller hears under the agent's speech.
	Ambience *Ambience `json:"ambience,omitempty" doc:"Quiet background sound under the agent's speech, while caller and agent talk. Default: none."`
	// ThinkingSound is what the caller hears while the agent has nothing to say yet.
	ThinkingSound *ThinkingSound `json:"thinking_sound,omitempty" doc:"Sound while the caller waits for an answer of the model or a tool. Default: none."`
	// MaxCost is a cost.LimitPattern; "" for none.
	MaxCost string `json:"max_cost,omitempty" pattern:"^([1-9][0-9]{0,5}([.][0-9]{1,12})?|0[.][0-9]{0,5}[1-9][0-9]{0,6})$" patternDescription:"an amount greater than 0, such as 0.50" doc:"Cost of the whole call that ends it while this agent has it, in the currency of the price list: the agent says a sentence, and the call ends with the reason budget. Default: none." example:"0.50"`
	// Audio is how the caller's audio is processed.
	Audio Audio `json:"audio,omitzero" doc:"Processing of the caller's audio."`
	// DTMF is how keys that a caller presses on the phone are taken.
	DTMF DTMF `json:"dtmf,omitzero"`
	// AnswerDetection is who answers the phone calls that the agent places.
	AnswerDetection AnswerDetection `json:"answer_detection,omitzero" doc:"Detection of who answers outbound phone calls: a person, a mailbox, an assistant or a menu."`
	// CallHook is asked before web calls of the agent.
	CallHook *hook.CallHook `json:"call_hook,omitempty" doc:"Request to your backend before each web call of the agent: it can add data about the user, choose another agent or workflow, or reject the call. Phone numbers have their own."`
	// Turn is the settings of turn detection, an object that package voice defines.
	Turn json.RawMessage `json:"turn,omitempty" doc:"Turn detection settings, an object."`
}

// Redaction is the masking of personal data in what the caller says.
type Redaction struct {
	BeforeModel bool `json:"before_model,omitempty" doc:"Whether language models get placeholders such as [phone_1] in place of the values that the caller says. Tools that are called with a placeholder get the value, and the voice speaks it. It holds for the rest of the call, also with other agents. Default: false." example:"false"`
	Recordings  bool `json:"recordings,omitempty" doc:"Whether recordings are silent on the caller's side during the words of each value that is recognised, or during its whole utterance where the recogniser gives no times of words. Default: false." example:"false"`
}

// Ambience is a background sound, in a loop.
type Ambience struct {
	Sound    string   `json:"sound" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"Name of one of your sounds, or else of a bundled one: office, cafe or keyboard." example:"office"`
	VolumeDB *float64 `json:"volume_db,omitempty" minimum:"-60" maximum:"0" doc:"Volume in decibels; at 0 it is nearly as loud as speech. Default: -20." example:"-20"`
}

// ThinkingSound is a sound while the agent prepares an answer, in a loop.
type ThinkingSound struct {
	Sound    string   `json:"sound" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"Name of one of your sounds, or else of a bundled one: keyboard, office or cafe." example:"keyboard"`
	VolumeDB *float64 `json:"volume_db,omitempty" minimum:"-60" maximum:"0" doc:"Volume in decibels; at 0 it is nearly as loud as speech. Default: -20." example:"-16"`
	AfterMS  *int     `json:"after_ms,omitempty" minimum:"0" maximum:"10000" doc:"Silence after the caller's turn, or after the agent's last words, from which on it is heard, in milliseconds. Default: 800." example:"800"`
}

// Audio is how the caller's audio is processed before it is recognised.
type Audio struct {
	NoiseSuppression string `json:"noise_suppression,omitempty" enum:"off,on" doc:"Whether steady noise is removed from the caller's audio before it is recognised. Default: off." example:"on"`
}

// The values of Audio.NoiseSuppression.
const (
	SuppressionOff = "off"
	SuppressionOn  = "on"
)

// DTMF is how keys that a caller presses on the phone become an entry, which is one turn of the caller. It ends with the key End, with
// MaxDigits keys, or TimeoutMS after the last key.
type DTMF struct {
	Enabled    *bool   `json:"enabled,omitempty" doc:"Whether keys are taken. Default: true." example:"true"`
	MaxDigits  *int    `json:"max_digits,omitempty" minimum:"1" maximum:"64" doc:"Number of keys that completes an entry. Default: 32." example:"8"`
	End        *string `json:"end,omitempty" pattern:"^[0-9*#A-D]?$" doc:"Key that completes an entry, which does not contain it; empty for none. Default: #." example:"#"`
	TimeoutMS  *int    `json:"timeout_ms,omitempty" minimum:"0" maximum:"60000" doc:"Time after the last key that completes an entry, in milliseconds; 0 waits for end or max_digits. Default: 2000." example:"2000"`
	Interrupts *bool   `json:"interrupts,omitempty" doc:"Whether the first key stops the agent's speech. Otherwise the entry is answered after it. Default: true." example:"true"`
}

// Prompt is the system prompt and the greeting. Both may contain {{path}} templates.
type Prompt struct {
	System   string `json:"system" minLength:"1" maxLength:"100000" doc:"System prompt. May contain templates, such as {{user.name}}." example:"You are the friendly front desk of a dentist."`
	Greeting string `json:"greeting,omitempty" maxLength:"100000" doc:"Greeting that the agent speaks first. May contain templates, such as {{user.name}}." example:"Hello {{user.name}}, how can I help you?"`
}

// STT is the speech-to-text provider.
type STT struct {
	Provider string   `json:"provider" doc:"Name of a speech-to-text provider." example:"deepgram"`
	Model    string   `json:"model" pattern:"^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,99}$" example:"nova-3"`
	Language string   `json:"language,omitempty" pattern:"^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$" doc:"Language code. Default: default_language." example:"en"`
	KeyTerms []string `json:"key_terms,omitzero" maxItems:"100" doc:"Names and words that callers are expected to say, for the provider and its fallback. Models without support ignore them, with a warning when the agent is saved." example:"[\"Parley\",\"Dr. Okonkwo\"]"`
	// Fallback replaces the provider for the rest of a call when it fails.
	Fallback *STTFallback `json:"fallback,omitempty" doc:"Fallback: replaces the provider for the rest of the call when it fails."`
}

// TTS is the text-to-speech provider. The default of Speed is 1.
type TTS struct {
	Provider string   `json:"provider" doc:"Name of a text-to-speech provider." example:"cartesia"`
	Model    string   `json:"model,omitempty" pattern:"^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,99}$" doc:"Model of the voice. Default: the provider's." example:"sonic-3"`
	VoiceID  string   `json:"voice_id" minLength:"1" maxLength:"255" doc:"Identifier of a voice of the provider." example:"f786b574-daa5-4673-aa0c-cbe3e8534c02"`
	Speed    *float64 `json:"speed,omitempty" minimum:"0.25" maximum:"4" doc:"Speech rate. Default: 1 (normal)." example:"1"`
	Emotion  string   `json:"emotion,omitempty" pattern:"^[a-z]{1,30}$" doc:"Emotion of the voice, for models that support it. GET /api/v1/providers lists the values. Default: the model's." example:"calm"`
	// TextNormalization says whether numbers, dates and phone numbers are read in words.
	TextNormalization string `json:"text_normalization,omitempty" enum:"auto,on,off" doc:"How numbers, dates, phone numbers and addresses are read in words. on: by the vendor, or by Parley where the vendor does not, in the languages of docs/speech.md. auto: as the vendor decides. off: as they are written. Default: on with ElevenLabs, otherwise the vendor's." example:"auto"`
	// Pronunciations are words and how they are spoken, for the provider and its fallback.
	Pronunciations map[string]string `json:"pronunciations,omitzero" maxProperties:"500" doc:"Words and how the voice speaks them; the transcript keeps the word. Whole words; one in lower case stands for any case. At most 500." example:"{\"Nguyen\":\"win\"}"`
	// Fallback replaces the provider for the rest of a call when it fails.
	Fallback *TTSFallback `json:"fallback,omitempty" doc:"Fallback: replaces the provider for the rest of the call when it fails."`
}

// The values of TTS.TextNormalization.
const (
	NormalizationAuto = "auto"
	NormalizationOn   = "on"
	NormalizationOff  = "off"
)

// LLM is the language model.
type LLM struct {
	Provider            string   `json:"provider" doc:"Name of a language model provider." example:"openai"`
	Model               string   `json:"model" pattern:"^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,99}$" example:"gpt-6-luna"`
	Temperature         *float64 `json:"temperature,omitempty" minimum:"0" maximum:"2" example:"0.4"`
	MaxTokens           *int     `json:"max_tokens,omitempty" minimum:"1" doc:"Maximum number of tokens per answer." example:"300"`
	ReasoningEffort     string   `json:"reasoning_effort,omitempty" enum:"none,minimal,low,medium,high,xhigh,max" doc:"How much the model reasons before it answers; the caller waits meanwhile. Default: the least that the model allows." example:"low"`
	FirstTokenTimeoutMS *int     `json:"first_token_timeout_ms,omitempty" minimum:"500" maximum:"60000" doc:"Timeout for the first token of an answer, in milliseconds, after which the provider has failed and the fallback is used. Default: 8,000, or 10,000 without a fallback." example:"4000"`
	HistoryCharacters   *int     `json:"history_characters,omitempty" minimum:"2000" maximum:"1000000" doc:"Limit of the conversation that is sent to the model with each request, in characters; the oldest turns are left out. Default: 100,000." example:"40000"`
	// Fallback replaces the provider for the rest of a call when it fails.
	Fallback *LLMFallback `json:"fallback,omitempty" doc:"Fallback: replaces the provider for the rest of the call when it fails."`
}

// Handoff allows handing the call over to another agent of the tenant.
type Handoff struct {
	TargetAgent string `json:"target_agent" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"Name of an agent." example:"billing"` // need not exist yet
	// Condition is a template.Condition; without one the handoff is always
	// offered.
	Condition string `json:"condition,omitempty" maxLength:"2000" doc:"Condition of the handoff: an expression over user, workflow and flags. Default: always offered." example:"{{flags.verified}}"`
	// ContextPass are the context keys passed to it.
	ContextPass []string `json:"context_pass,omitzero" maxItems:"200" doc:"Context keys passed to the agent." example:"[\"order_id\"]"`
}
