package voice

import (
	"encoding/json"
	"log/slog"
	"time"

	"parley/internal/agent"
	"parley/internal/answering"
	"parley/internal/dialogue"
	"parley/internal/plan"
	"parley/internal/tool"
	"parley/internal/voice/generation"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
	"parley/internal/workflow"
)

// Options is what a session needs.
type Options struct {
	Plan      Plan
	Line      Line
	Providers Providers
	Journal   Journal
	// Tools runs the plan's tools; nil: the model is offered none.
	Tools Tools
	// Tenant has what the requests of tools are made with.
	Tenant tool.Tenant
	// Phone is the call's leg in the telephone network; nil when it has none.
	Phone tool.Phone
	// Persons dials persons into the call; nil where that is not possible.
	Persons Persons
	// UserContext is the call's user_context.
	UserContext map[string]any
	// Greeting, a template, replaces the greeting of the first agent; "" for none. With GreetingWaits the first agent greets after the
	// caller's first words, or when there are none for firstWordsWait.
	Greeting      string
	GreetingWaits bool
	// Call is what templates see of the call.
	Call CallFacts
	// History is the conversation before another worker lost the call, and ResumeAgent
	// the agent of that time; "" for a new call.
	History     []dialogue.Message
	ResumeAgent string
	// SaveSnapshot saves what another worker needs, besides History and ResumeAgent, to
	// continue the call; Snapshot is what was saved last. It contains words of the
	// caller: store it encrypted. SaveSnapshot does not wait; the channel is closed
	// when the snapshot is saved, or will not be.
	SaveSnapshot func(snapshot json.RawMessage) (saved <-chan struct{})
	Snapshot     json.RawMessage
	// Controls are requests of the tenant while the conversation runs; nil for none.
	Controls <-chan Control
	// Spent is closed when the call has cost as much as it may: the agent says a sentence, and the call ends; nil for never.
	Spent <-chan struct{}
	// Held says that the call is on hold already, as the worker before has recorded.
	Held bool
	// Turn is the settings of turn-taking, which agents override; the zero value means turn.DefaultOptions.
	Turn turn.Options
	// Limits bound what the caller can have the tenant pay for; nil means DefaultLimits.
	Limits *Limits
	// Recording is the call's recording, for agents that have parts of it silenced; nil for none.
	Recording Recording
	// Sounds has the sounds that agents have callers hear in the background; nil for none.
	Sounds Sounds
	// Listener classifies the caller's frames; nil: all sound above the background
	// noise is speech of the caller, beyond doubt.
	Listener Listener
	// DetectAnswer says that the caller is a phone that was dialled: the first agent's answer_detection applies.
	DetectAnswer bool
	// SilenceTimeout is the silence that ends the call; 0 for never.
	SilenceTimeout time.Duration
	Log            *slog.Logger
}

// End is why a session ended the call.
type End string

// The ends of a conversation.
const (
	AgentEnded    End = "agent_ended"
	Transferred   End = "transferred" // the caller is connected with another number
	Silence       End = "silence"
	ProviderError End = "provider_error"
	Budget        End = "budget" // the call has cost as much as it may

	VoicemailLeft End = "voicemail_left" // a message was left on a mailbox
	Voicemail     End = "voicemail"      // a mailbox has answered, and no message was left
	ScreenedOut   End = "screened_out"   // an assistant did not connect the agent
	MenuFailed    End = "menu_failed"    // the agent found no person through a menu
)

// Line is the call's audio in both directions.
type Line interface {
	// Frames returns the caller's audio in frames of 20 ms at dialogue.ListenRate, with
	// losses concealed. A frame is valid until the next one is received.
	Frames() <-chan []int16
	// Play sends a frame of 20 ms at dialogue.SpeakRate. It does not keep the frame, nor
	// wait for the network; the session paces the frames.
	Play(pcm []int16) error
	// SetState sends the agent's state to the caller's client.
	SetState(State)
	// Caption sends a caption to the caller's client. It does not wait.
	Caption(Caption)
	// TextMessages returns the caller's text messages; nil where the caller cannot write.
	TextMessages() <-chan string
	// Signals returns what the caller's phone signals; nil where the caller has none.
	Signals() <-chan Signal
}

// Recording is a recording of the call of which parts may be silenced on the caller's side. Its methods do not wait.
type Recording interface {
	// Await keeps what is recorded from a time on from being final, until Settle.
	Await(from time.Time)
	// Settle ends Await. What the caller said in each of the spans is replaced by silence.
	Settle(silenced ...[2]time.Time)
}

// Signal is a key pressed on the caller's phone, or a change of its hold.
type Signal struct {
	Kind SignalKind
	Key  byte // of KeyPressed: 0 to 9, *, #, or A to D
}

// SignalKind is the kind of a Signal.
type SignalKind uint8

// The kinds of signals.
const (
	KeyPressed  SignalKind = iota + 1
	CallHeld               // the caller hears nothing, and what arrives of them is not speech to the agent
	CallResumed            // the hold is over
)

// Listener distinguishes the caller's speech from echo and noise. It is used by one goroutine.
type Listener interface {
	// Configure applies an agent's settings.
	Configure(agent.Audio)
	// Played receives a frame of the agent's audio, at dialogue.SpeakRate, when it is
	// sent to the caller. It does not keep the frame.
	Played(pcm []int16, at time.Time)
	// Push classifies a frame of the caller's audio, and returns the frame for the
	// recogniser. The result is valid until the next call.
	Push(mic []int16, at time.Time) (clean []int16, e Classification)
}

// Classification is the classification of a frame of the caller's audio.
type Classification = turn.Classification

// Caption is the text so far of one segment of speech: as recognised, or as played; an interrupted answer is truncated.
type Caption struct {
	Segment string // unique identifier of the segment
	Role    dialogue.Role
	Text    string // the whole text so far; "" if no words were recognised after all
	Final   bool   // the text does not change any more
}

// State is the state of an agent, as in LiveKit's participant attribute lk.agent.state.
type State string

// The states of an agent.
const (
	Listening State = "listening"
	Thinking  State = "thinking"
	Speaking  State = "speaking"
)

// Dependencies that are declared in the packages that use them.
type (
	// Plan is the configuration of the call's agents.
	Plan = plan.Plan
	// CallFacts are what templates see of the call.
	CallFacts = routing.CallFacts
	// Providers finds a provider by name.
	Providers = providers.Source
	// Tools runs a tenant's tools.
	Tools = generation.Tools
	// FailureCause is why a provider failed.
	FailureCause = providers.FailureCause
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
	// TokensUsed reports tokens that belong to no turn: of an answer without words of
	// the caller, or of a preemptive answer that was discarded.
	TokensUsed(agent string, u dialogue.Usage)
	Problem(Problem)
	// Overlapped reports the outcome of a sound of the caller while the agent spoke.
	Overlapped(Overlap)
	// Routed reports where the current agent can lead the call, after that changed or values were set.
	Routed(d workflow.Decision)
	// LanguageChanged reports that the agent speaks another language, because the caller does; previous may be "".
	LanguageChanged(language, previous string)
	// HoldChanged reports that the caller has put the call on hold, or resumed it.
	HoldChanged(held bool, at time.Time)
	// AnswerJudged reports who has answered the phone that was dialled; again when that changes.
	AnswerJudged(v answering.Verdict)
	// ControlEnded reports that a Control was executed, or why not; "" for executed.
	ControlEnded(id, refusal string)
	// OperatorChanged reports that a person of the tenant has taken the call over, or has left it to the agent again.
	OperatorChanged(joined bool, at time.Time)
	// TransferChanged reports a step of a transfer to a person.
	TransferChanged(t Transfer)
	// TalkMeasured reports how caller and agent have spoken since the last report.
	TalkMeasured(dialogue.Talk)
}

// Overlap is what the agent did while the caller made a sound over it.
type Overlap struct {
	Outcome Outcome
	Cause   turn.OverlapCause
	At      time.Time
}

// Outcome is what an overlap led to.
type Outcome string

// The outcomes.
const (
	Interrupted Outcome = "agent_interrupted" // the agent stopped
	Resumed     Outcome = "agent_resumed"     // the agent was ducked, paused or interrupted, and resumed where it stopped
	Ignored     Outcome = "overlap_ignored"   // the agent continued to speak
)

// Entry is one entry of a call's transcript.
type Entry struct {
	Role dialogue.Role
	// Ignored reports that the caller said Text over the agent without effect.
	Ignored bool
	// SilencePrompt reports that Text asks a silent caller whether they are still there.
	SilencePrompt bool
	Keys          bool   // Text is keys that the caller pressed on the phone
	Text          string // what was said; an interrupted answer is truncated at what was played
	At            time.Time
	Agent         string
	Tool          *dialogue.ToolCall // a function call; nil for speech; values of the user's context are masked
	Phase         ToolPhase          // of a tool that runs in the background; "" for any other, which has one entry
	Duration      time.Duration      // of a tool that ended
	Answer        string             // of a tool that ended: the answer to the model; values of the user's context are masked
	Failed        bool               // of a tool that ended: an action of it failed
}

// ToolPhase is where a tool that runs in the background is.
type ToolPhase string

// The phases.
const (
	ToolStarted   ToolPhase = "started"
	ToolEnded     ToolPhase = "ended"
	ToolCancelled ToolPhase = "cancelled" // by the end of the call
)

// Turn is the latencies of one turn of the caller; 0 for one that does not apply.
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

// ProviderNames names the providers of a turn; the fallbacks, where they were in use.
type ProviderNames struct{ STT, LLM, TTS string }

// Service is the component in which a problem occurred.
type Service string

// The services, as the error log names them.
const (
	STT              = Service(providers.STT)
	LLM              = Service(providers.LLM)
	TTS              = Service(providers.TTS)
	Workflow Service = "workflow"
	ToolUse  Service = "tool"
)

// Problem is an entry of the call's error log. A critical one affected the call.
type Problem struct {
	Service  Service
	Critical bool
	Message  string
	Provider string
	Agent    string
	Tool     string // whose execution it was; "" for none
	// Cause is why a provider failed, and Attempts how often it was tried; "" and
	// 0 for any other problem.
	Cause    FailureCause
	Attempts int
	At       time.Time
}

func (p Problem) Error() string { return p.Message }
