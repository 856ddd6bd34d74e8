package voice

import (
	"sync"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
	"parley/internal/voice/playout"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

// Session is one conversation.
type Session struct {
	options  Options
	problems problemLog

	phase           phase
	end             End       // why the call ends, in the phases that end it
	endAt           time.Time // when it does, while closing
	transferResults chan error

	router    *routing.Router
	providers *providers.Set
	settings  turn.Options // of the current agent

	detector *turn.Detector
	speech   *turn.SpeechTracker
	listener Listener
	echo     echoGuard
	audio    providers.AudioBuffer

	history     generation.History
	tools       *generation.Executor
	lateResults bool // of tools have come that no answer waited for
	current     *answer
	suspended   *suspension // the answer that was interrupted, until it is sure that it was by words
	reports     chan generation.Report
	queue       *playout.Queue
	sent        int                   // messages of the history that the conversation with a realtime model has
	primed      dialogue.Conversation // the last conversation that received the history
	lastPlayed  time.Time             // when the agent was last audible

	latency        turnLatency
	silence        silenceTracker
	callerCaptions captions
	agentCaptions  captions
	agentState     statePublisher

	work sync.WaitGroup // every goroutine of the session
}

// answer is one reply, greeting or other speech of the agent, with the session's state of it.
type answer struct {
	*generation.Answer
	replyTo            string              // the caller's words it answers; "" when the agent speaks first
	preemptive         bool                // the turn is not over yet: nothing may be audible
	fixedText          string              // the text that it is; "" for one of the model's
	isSilencePrompt    bool                // a question to a silent caller
	awaitsVoice        bool                // its voice failed, and another one is awaited
	awaitsConversation bool                // for a conversation with a realtime model, or for what replaces it
	fillerSent         bool                // the filler was sent to the voice
	ignoredCauses      map[turn.Cause]bool // what sounded over it without effect
	followUp           *toolFollowUp
	destinations       map[string]routing.Destination // of the functions that were offered

	calls      []dialogue.ToolCall
	usage      dialogue.Usage
	failure    error // of language model or voice
	audioEnded bool  // no more audio comes
	answerTimes
}

// toolFollowUp is an action that a tool requests for after the answer.
type toolFollowUp struct {
	action  string
	to      routing.Destination // of a handoff or an end
	number  string              // of a transfer
	message string
}

// silenceTracker tracks how long neither side has spoken.
type silenceTracker struct {
	timeout     time.Duration // that ends the call; 0 for never
	since       time.Time     // when either side last spoke, silence prompts not counted
	promptSince time.Time     // the same, counting them
	prompts     int           // since the caller's last turn
}

// recordActivity records that somebody speaks, or tools run.
func (t *silenceTracker) recordActivity(now time.Time) { t.since, t.promptSince = now, now }

// turnDeadline returns when turn detection is due next; zero for never while its actions are not carried out.
func (s *Session) turnDeadline() time.Time {
	if !s.phase.takesTurns() {
		return time.Time{}
	}
	return s.detector.Deadline()
}

// isIdle reports whether neither side speaks, nor is about to.
func (s *Session) isIdle() bool {
	return s.current == nil && s.suspended == nil && s.phase.takesTurns() && s.detector.State() == turn.Listening
}

// endCallAt ends the call at a time.
func (s *Session) endCallAt(at time.Time, end End) { s.phase, s.end, s.endAt = closing, end, at }

// agentSpec returns what providers are opened for: the current agent.
func (s *Session) agentSpec() providers.AgentSpec {
	return providers.AgentSpec{Agent: s.router.Agent(), Config: s.router.Config(), Language: s.router.Language(), ChosenLanguage: s.router.ChosenLanguage(), InitialPrompt: s.realtimePrompt()}
}

// reportWarnings reports the router's warnings to the tenant.
func (s *Session) reportWarnings(agent string) {
	for _, w := range s.router.Warnings() {
		s.problems.report(Problem{Service: Workflow, Critical: w.Critical, Message: w.Message, Agent: agent, At: time.Now()})
	}
}
