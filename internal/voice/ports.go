package voice

import (
	"encoding/json"
	"log/slog"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/plan"
	"parley/internal/tool"
	"parley/internal/voice/generation"
	"parley/internal/voice/providers"
	"parley/internal/voice/turn"
)

// Options is what a session needs.
type Options struct {
	Plan      Plan
	Line      Line
	Providers Providers
	Journal   Journal
	// Tools runs the plan's tools; without it none is offered.
	Tools Tools
	// Phone is the call's leg in the telephone network; nil when it has none.
	Phone tool.Phone
	// UserContext is the call's user_context.
	UserContext map[string]any
	// History is the conversation before another worker lost the call, and Resume
	// the agent that spoke then; "" for a new call.
	History     []dialogue.Message
	ResumeAgent string
	// SaveSnapshot saves what another worker needs, besides these, to continue the call, and
	// Kept is what was saved; it holds words of the caller and is to be encrypted.
	// Keep does not wait; what it returns is closed when the context is saved.
	SaveSnapshot func(context json.RawMessage) (kept <-chan struct{})
	Snapshot     json.RawMessage
	// Turn is what agents override; the zero value means turn.DefaultOptions.
	Turn turn.Options
	// Listener classifies the caller's frames; without one, all sound above the
	// room's noise counts as the caller's speech, beyond doubt.
	Listener Listener
	// SilenceTimeout ends a call in which nobody speaks; 0 means never.
	SilenceTimeout time.Duration
	Log            *slog.Logger
}

// End is why a conversation ended by itself.
type End string

// The ends of a conversation.
const (
	AgentEnded    End = "agent_ended"
	Silence       End = "silence"
	ProviderError End = "provider_error"
)

// Line is the call's audio, both ways. media.Participant is one.
type Line interface {
	// Frames yields the caller's audio: 20 ms at dialogue.ListenRate each,
	// gaps concealed. A frame is valid until the next one is received.
	Frames() <-chan []int16
	// Play sends one frame of 20 ms at dialogue.SpeakRate at once, does not keep it
	// and does not wait for the network; the session paces the frames.
	Play(pcm []int16) error
	// SetState sends the agent's state to the caller's client.
	SetState(State)
	// Caption sends a caption to the caller's client. It does not wait.
	Caption(Caption)
	// Typed yields what the caller writes in place of speaking; nil where they
	// cannot.
	Typed() <-chan string
}

// Listener distinguishes the caller's speech from echo and noise. It is used by one goroutine.
type Listener interface {
	// Configure applies an agent's settings.
	Configure(agent.Audio)
	// Played receives a frame of the agent's audio, at dialogue.SpeakRate, that was
	// sent to the caller. It does not keep it.
	Played(pcm []int16, at time.Time)
	// Push classifies a frame of the caller's audio, and returns the frame for the
	// recogniser. The result is valid until the next call.
	Push(mic []int16, at time.Time) (clean []int16, e Evidence)
}

// Evidence is what is known of a frame of the caller's audio.
type Evidence = turn.Evidence

// Caption is the text of one segment of speech so far: as recognised, or as played; an interrupted answer is truncated.
type Caption struct {
	Segment string // unique identifier of the segment
	Role    dialogue.Role
	Text    string // the whole text so far; "" if it was nothing after all
	Final   bool   // the text does not change any more
}

// State is what an agent does, as in LiveKit's participant attribute lk.agent.state.
type State string

// The states of an agent.
const (
	Listening State = "listening"
	Thinking  State = "thinking"
	Speaking  State = "speaking"
)

// What a session is given, declared in the packages that use it.
type (
	// Plan is the configuration of the call's agents.
	Plan = plan.Plan
	// Providers finds a provider by name.
	Providers = providers.Source
	// Tools runs a tenant's tools.
	Tools = generation.Tools
	// Cause is why a provider failed.
	Cause = providers.Cause
)

// The causes.
const (
	Refused  = providers.Refused
	TimedOut = providers.TimedOut
	Broken   = providers.Broken
)

// Journal records what happens in a conversation. Its methods do not wait.
type Journal interface {
	EntryAdded(Entry)
	AgentChanged(agent, previous string)
	TurnAnswered(Turn)
	// TokensUsed reports tokens of no turn: of an answer without a word of the
	// caller, or of a preemptive answer that was discarded.
	TokensUsed(agent string, u dialogue.Usage)
	Problem(Problem)
	// Overlapped reports what sound of the caller did while the agent spoke.
	Overlapped(Overlap)
}

// Overlap is what the agent did while the caller made a sound over it.
type Overlap struct {
	Outcome Outcome
	Cause   turn.Cause
	At      time.Time
}

// Outcome is what an overlap led to.
type Outcome string

// The outcomes.
const (
	Interrupted Outcome = "agent_interrupted" // the agent stopped
	Resumed     Outcome = "agent_resumed"     // the agent was lowered, paused or interrupted, and went on where it stopped
	Ignored     Outcome = "overlap_ignored"   // the agent spoke on
)

// Entry is one entry of a call's transcript.
type Entry struct {
	Role     dialogue.Role
	Text     string // what was said; an interrupted answer is truncated at what was played
	At       time.Time
	Agent    string
	Tool     *dialogue.ToolCall // the call of a function, if it was one; values of the user's context are masked
	Duration time.Duration      // of a tool that ended: from its start
	Answer   string             // of a tool that ended: the answer to the model; values of the user's context are masked
}

// Turn is the latencies of one turn of the caller. One that does not apply is zero.
type Turn struct {
	Agent       string
	Endpointing time.Duration // caller's last sound → turn committed
	STT         time.Duration // caller's last sound → final transcript
	LLM         time.Duration // prompt sent → first token
	TTS         time.Duration // first text sent → first audio
	// VoiceToVoice is from the caller's last sound to the agent's first.
	VoiceToVoice time.Duration
	Interrupted  bool
	Usage        dialogue.Usage
	Providers    ProviderNames
}

// ProviderNames names the providers of a turn: the fallbacks, if they were in use.
type ProviderNames struct{ STT, LLM, TTS string }

// Service is the part of a conversation that something went wrong in.
type Service string

// The services, as the error log names them.
const (
	STT              = Service(providers.STT)
	LLM              = Service(providers.LLM)
	TTS              = Service(providers.TTS)
	Workflow Service = "workflow"
	ToolUse  Service = "tool"
)

// Problem is something that went wrong; a critical one affected the call.
type Problem struct {
	Service  Service
	Critical bool
	Message  string
	Provider string
	Agent    string
	Tool     string // that it was with, if it was one
	// Cause is why a provider failed, and Attempts how often it was tried; "" and
	// 0 where it was no provider.
	Cause    Cause
	Attempts int
	At       time.Time
}

func (p Problem) Error() string { return p.Message }
