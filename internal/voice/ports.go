package voice

import (
	"context"
	"time"

	"parley/internal/dialogue"
	"parley/internal/tool"
)

// Line is the call's audio, both ways. media.Participant is one.
type Line interface {
	// Frames yields the caller's audio: 20 ms at dialogue.ListenRate each,
	// gaps concealed. A frame is the receiver's until it asks for the next.
	Frames() <-chan []int16
	// Play sends one frame of 20 ms at dialogue.SpeakRate at once, does not keep
	// it and does not wait for the network; pacing is
	// the session's business.
	Play(pcm []int16) error
	// SetState tells the caller's client what the agent does.
	SetState(State)
	// Caption tells the caller's client what is being said. It does not wait.
	Caption(Caption)
	// Typed yields what the caller writes in place of speaking; nil where they
	// cannot.
	Typed() <-chan string
}

// Caption is what is said in one segment of speech, as far as it is known or
// heard: an interrupted answer is cut.
type Caption struct {
	Segment string // unique identifier of the segment
	Role    dialogue.Role
	Text    string // the whole text so far; "" if it was nothing after all
	Final   bool   // the text does not change any more
}

// State is what an agent does, in the words that LiveKit's clients know as
// the attribute lk.agent.state.
type State string

// The states of an agent.
const (
	Listening State = "listening"
	Thinking  State = "thinking"
	Speaking  State = "speaking"
)

// Providers finds a provider by the name that an agent's configuration gives.
// The error says, in words for the tenant, why it cannot be used.
type Providers interface {
	Recognizer(name string) (dialogue.Recognizer, error)
	Synthesizer(name string) (dialogue.Synthesizer, error)
	LanguageModel(name string) (dialogue.LanguageModel, error)
}

// Tools runs a tenant's tools. package tool's Runner is one.
type Tools interface {
	Run(ctx context.Context, c tool.Call) tool.Outcome
}

// Journal keeps what happens in a conversation. Its methods do not wait.
type Journal interface {
	Said(Entry)
	AgentChanged(agent, previous string)
	TurnTaken(Turn)
	// TokensSpent tells of tokens that no turn has: of an answer without a word
	// of the caller, or of a draft that was thrown away.
	TokensSpent(agent string, u dialogue.Usage)
	Problem(Problem)
}

// Entry is one entry of a call's transcript.
type Entry struct {
	Role  dialogue.Role
	Text  string // what was said, and heard: an interrupted answer is cut
	At    time.Time
	Agent string
	Tool  *dialogue.ToolCall // the call of a function, if it was one; values of the user's context are masked
	Took  time.Duration      // of a tool that ended: from its start
}

// Turn tells how quickly one turn of the caller was answered. A latency that
// does not apply is zero.
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
	Providers    Played
}

// Played names the providers that played in a turn; fallbacks, where they took
// over.
type Played struct{ STT, LLM, TTS string }

// Service is the part of a conversation that something went wrong in.
type Service string

// The services, as the error log names them.
const (
	STT      Service = "stt"
	LLM      Service = "llm"
	TTS      Service = "tts"
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

// Cause is why a provider failed.
type Cause string

// The causes, for programs; the message tells more.
const (
	Refused  Cause = "refused" // the key, or the request: trying again is no use
	TimedOut Cause = "timeout" // no answer in time
	Broken   Cause = "failed"  // anything else
)

func (p Problem) Error() string { return p.Message }
