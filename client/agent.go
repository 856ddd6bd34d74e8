package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// Agent is a voice agent.
type Agent struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	DisplayName *string     `json:"display_name"`
	Config      AgentConfig `json:"config"` // not in lists
	IsActive    bool        `json:"is_active"`
	CreatedAt   time.Time   `json:"created_at"`
	Warnings    []string    `json:"warnings,omitempty"` // names in the config that do not exist, or not yet, and references that lead nowhere
}

// AgentConfig is an agent's prompt, providers, tools and handoffs.
type AgentConfig struct {
	Prompt   Prompt    `json:"prompt"`
	STT      STT       `json:"stt,omitzero"` // required without Realtime, as are TTS and LLM
	TTS      TTS       `json:"tts,omitzero"`
	LLM      LLM       `json:"llm,omitzero"`
	Realtime *Realtime `json:"realtime,omitempty"` // in place of STT, TTS and LLM, which are then its fallback
	Tools    []string  `json:"tools,omitempty"`
	Analyses []string  `json:"analyses,omitempty"` // names of the analyses of calls that the agent has held
	Handoffs []Handoff `json:"handoffs,omitempty"`

	MCPServers []ToolServer `json:"mcp_servers,omitempty"` // with further tools

	Languages       []string `json:"languages,omitempty"`
	DefaultLanguage string   `json:"default_language,omitempty"`
	Timezone        string   `json:"timezone,omitempty"`       // IANA name of the time zone of {{now}} and {{today}}
	LanguagesAuto   bool     `json:"languages_auto,omitempty"` // speak another one of Languages once the caller does

	ByLanguage map[string]LanguageSettings `json:"by_language,omitempty"` // settings of each of Languages

	Recording bool            `json:"recording,omitempty"`  // keep the sound of what is said with the agent
	Redaction Redaction       `json:"redaction,omitzero"`   // of what the caller says
	HoldSound string          `json:"hold_sound,omitempty"` // name of a sound, for callers on hold
	Ambience  *Ambience       `json:"ambience,omitempty"`   // under the agent's words
	MaxCost   string          `json:"max_cost,omitempty"`   // cost that ends the call, in the currency of the price list
	Audio     Audio           `json:"audio,omitzero"`       // the caller's audio; the defaults when absent
	DTMF      DTMF            `json:"dtmf,omitzero"`        // keys of the caller's phone; the defaults when absent
	Turn      json.RawMessage `json:"turn,omitempty"`       // turn-taking; the defaults when absent

	ThinkingSound *ThinkingSound `json:"thinking_sound,omitempty"` // while the caller waits for an answer

	AnswerDetection AnswerDetection `json:"answer_detection,omitzero"` // who answers the phone calls that the agent places
	CallHook        *CallHook       `json:"call_hook,omitempty"`       // asked before web calls of the agent
}

// LanguageSettings replace those of the agent while it speaks a language. Those that are nil stay.
type LanguageSettings struct {
	Prompt *Prompt `json:"prompt,omitempty"` // texts that are empty stay
	STT    *STT    `json:"stt,omitempty"`
	TTS    *TTS    `json:"tts,omitempty"`
}

// ToolServer is an MCP server whose tools an agent may call.
type ToolServer struct {
	URL         string            `json:"url"`
	Headers     map[string]string `json:"headers,omitempty"`      // with secrets, such as Bearer {{secrets.crm}}
	Allow       []string          `json:"allow,omitempty"`        // names of the tools that are offered; all when absent
	TimeoutMS   *int              `json:"timeout_ms,omitempty"`   // 5000
	ListedTools []ListedTool      `json:"listed_tools,omitempty"` // set when the agent is saved
	ListedAt    *time.Time        `json:"listed_at,omitempty"`
}

// ListedTool is a tool that a server offers.
type ListedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // a JSON Schema
}

// DTMF is how keys that a caller presses on the phone become an entry, which is one turn of the caller. Fields that are nil have their
// defaults.
type DTMF struct {
	Enabled    *bool   `json:"enabled,omitempty"`    // true
	MaxDigits  *int    `json:"max_digits,omitempty"` // 1 to 64; 32
	End        *string `json:"end,omitempty"`        // key that completes an entry, "" for none; #
	TimeoutMS  *int    `json:"timeout_ms,omitempty"` // after the last key, 0 for never; 2000
	Interrupts *bool   `json:"interrupts,omitempty"` // whether the first key stops the agent; true
}

// Redaction is the masking of phone numbers, e-mail addresses, card and bank account numbers in what the caller says.
type Redaction struct {
	BeforeModel bool `json:"before_model,omitempty"` // language models get placeholders
	Recordings  bool `json:"recordings,omitempty"`   // recordings are silent where the caller says a value
}

// Ambience is a background sound.
type Ambience struct {
	Sound    string   `json:"sound"`               // one of yours, or office, cafe or keyboard
	VolumeDB *float64 `json:"volume_db,omitempty"` // -20 when absent
}

// ThinkingSound is a sound while the agent prepares an answer.
type ThinkingSound struct {
	Sound    string   `json:"sound"`               // one of yours, or keyboard, office or cafe
	VolumeDB *float64 `json:"volume_db,omitempty"` // -20 when absent
	AfterMS  *int     `json:"after_ms,omitempty"`  // 800 when absent
}

// Audio is how the caller's audio is processed before it is recognised.
type Audio struct {
	NoiseSuppression string `json:"noise_suppression,omitempty"` // off or on; off when absent
}

// Prompt is an agent's system prompt and greeting.
type Prompt struct {
	System   string `json:"system"`
	Greeting string `json:"greeting,omitempty"` // may hold {{user.*}} templates
}

// STT configures speech-to-text.
type STT struct {
	Provider string   `json:"provider"`
	Model    string   `json:"model"`
	Language string   `json:"language,omitempty"`
	KeyTerms []string `json:"key_terms,omitempty"` // names and words that callers are expected to say; not set on a fallback
	Fallback *STT     `json:"fallback,omitempty"`  // replaces the provider when it fails; has no fallback itself
}

// TTS configures text-to-speech.
type TTS struct {
	Provider string  `json:"provider"`
	Model    string  `json:"model,omitempty"` // the provider's default when empty
	VoiceID  string  `json:"voice_id"`
	Speed    float64 `json:"speed,omitempty"` // 1 is normal
	Emotion  string  `json:"emotion,omitempty"`
	// TextNormalization is how numbers, dates and addresses are read in words: auto, on or off; on or the vendor's when empty.
	TextNormalization string `json:"text_normalization,omitempty"`
	// Pronunciations are words and how they are spoken, for the fallback too.
	Pronunciations map[string]string `json:"pronunciations,omitempty"`
	Fallback       *TTS              `json:"fallback,omitempty"` // as of STT
}

// LLM configures the language model.
type LLM struct {
	Provider    string   `json:"provider"`
	Model       string   `json:"model"`
	Temperature *float64 `json:"temperature,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	// ReasoningEffort is how much a reasoning model reasons before it answers: none, minimal, low, medium, high, xhigh or max.
	ReasoningEffort string `json:"reasoning_effort,omitempty"`
	// FirstTokenTimeoutMS is the time limit for the first token of a response, in milliseconds; not set on a fallback.
	FirstTokenTimeoutMS int `json:"first_token_timeout_ms,omitempty"`
	// HistoryCharacters limits the conversation that is sent with each request; not set on a fallback.
	HistoryCharacters int  `json:"history_characters,omitempty"`
	Fallback          *LLM `json:"fallback,omitempty"` // as of STT
}

// Realtime configures a speech-to-speech model.
type Realtime struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Voice    string `json:"voice,omitempty"` // the provider's default when empty
}

// Handoff is an agent that the call can be handed off to.
type Handoff struct {
	TargetAgent string   `json:"target_agent"`
	Condition   string   `json:"condition,omitempty"`
	ContextPass []string `json:"context_pass,omitempty"` // context keys that go along
}

// NewAgent holds the parameters of Agents.Create.
type NewAgent struct {
	Name        string      `json:"name"`
	DisplayName string      `json:"display_name,omitempty"`
	Config      AgentConfig `json:"config"`
}

// AgentChange holds the parameters of Agents.Update; nil fields stay unchanged. Config is a JSON Merge Patch (RFC 7396).
type AgentChange struct {
	DisplayName *string        `json:"display_name,omitempty"`
	Config      map[string]any `json:"config,omitempty"`
}

// Page is a page of a list.
type Page[T any] struct {
	Items  []T `json:"items"`
	Total  int `json:"total"`
	Limit  int `json:"limit"`
	Offset int `json:"offset"`
}

// ListOptions selects a page of a list. The zero value is the first page, of the server's default size.
type ListOptions struct {
	Limit, Offset int
	IsActive      *bool // nil for both
}

func (o ListOptions) query() url.Values {
	q := url.Values{}
	setQuery(q, "limit", o.Limit)
	setQuery(q, "offset", o.Offset)
	setQuery(q, "is_active", o.IsActive)
	return q
}

// Agents has the operations on agents.
type Agents struct{ c *Client }

const agentsPath = "/api/v1/agents"

// Create creates an agent.
func (a Agents) Create(ctx context.Context, n NewAgent) (*Agent, error) {
	made := new(Agent)
	return made, a.c.call(ctx, request{method: http.MethodPost, path: agentsPath, body: n}, made)
}

// Get returns an agent by name. Error: not_found.
func (a Agents) Get(ctx context.Context, name string) (*Agent, error) {
	agent := new(Agent)
	return agent, a.c.call(ctx, request{method: http.MethodGet, path: agentsPath + "/" + segment(name)}, agent)
}

// List returns a page of the tenant's agents, without Config.
func (a Agents) List(ctx context.Context, o ListOptions) (*Page[Agent], error) {
	page := new(Page[Agent])
	return page, a.c.call(ctx, request{method: http.MethodGet, path: agentsPath, query: o.query()}, page)
}

// Update changes an agent and returns it.
func (a Agents) Update(ctx context.Context, name string, change AgentChange) (*Agent, error) {
	agent := new(Agent)
	return agent, a.c.call(ctx, request{method: http.MethodPut, path: agentsPath + "/" + segment(name), body: change}, agent)
}

// Delete deletes an agent. Error: conflict while an active workflow uses it.
func (a Agents) Delete(ctx context.Context, name string) error {
	return a.c.call(ctx, request{method: http.MethodDelete, path: agentsPath + "/" + segment(name)}, nil)
}

// Activate allows new calls to use the agent.
func (a Agents) Activate(ctx context.Context, name string) (*Agent, error) {
	return a.set(ctx, name, "activate")
}

// Deactivate prevents new calls from using the agent; active calls continue.
func (a Agents) Deactivate(ctx context.Context, name string) (*Agent, error) {
	return a.set(ctx, name, "deactivate")
}

func (a Agents) set(ctx context.Context, name, activity string) (*Agent, error) {
	agent := new(Agent)
	path := agentsPath + "/" + segment(name) + "/" + activity
	return agent, a.c.call(ctx, request{method: http.MethodPost, path: path, repeatable: true}, agent)
}
