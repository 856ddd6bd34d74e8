package voice

import (
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

// answer is one reply, greeting or other speech of the agent, with what the session knows of it.
type answer struct {
	*generation.Answer
	replyTo            string           // the caller's words that it answers; "" when the agent speaks first
	preemptive         bool             // the turn is not over yet: nothing may be audible
	fixedText          routing.Rendered // the text to be spoken; empty when the model generates it
	requested          bool             // by a Control
	uninterruptible    bool             // it is played to its end whatever the caller does
	isSilencePrompt    bool             // it asks a silent caller whether they are still there
	awaitsModel        bool             // its model has sent nothing yet
	awaitsVoice        bool             // its voice failed, and another one is being opened
	awaitsConversation bool             // with a realtime model, or the cascade that replaces it
	fillers            int              // texts sent to the voice while tools ran
	results            int              // late results of tools that its prompt has
	declinedByPrompt   bool             // the vendor of the model rejects the caller's words
	deadline           answerDeadline
	ignoredCauses      map[turn.OverlapCause]bool // of sound over it that had no effect
	followUp           *toolFollowUp
	destinations       map[string]routing.Destination // of the functions that were offered

	calls      []dialogue.ToolCall
	usage      dialogue.Usage
	failure    error // of language model or voice
	audioEnded bool  // no more audio comes
	answerTimes
}

// turnDeadline returns when turn detection is due next; zero for never, and while its actions are ignored.
func (s *Session) turnDeadline() time.Time {
	if !s.phase.takesTurns() && !s.phase.writesDown() {
		return time.Time{}
	}
	return s.detector.Deadline()
}

// isIdle reports whether neither side speaks, nor is about to speak.
func (s *Session) isIdle() bool {
	return s.output.current == nil && s.output.suspended == nil && s.phase.takesTurns() && s.detector.State() == turn.Listening
}

// endCallAt schedules the end of the call.
func (s *Session) endCallAt(at time.Time, end End) { s.phase, s.end, s.endAt = closing, end, at }

// agentSpec returns what providers are opened for: the current agent.
func (s *Session) agentSpec() providers.AgentSpec {
	spec := providers.AgentSpec{Agent: s.router.Agent(), Config: s.router.Config(), Language: s.router.Language(), ChosenLanguage: s.router.ChosenLanguage()}
	if spec.Config.Realtime != nil {
		spec.InitialPrompt = dialogue.Prompt{System: s.router.SystemPrompt(), Tools: s.router.Functions().List, Messages: s.promptMessages()}
		spec.HistoryLength = len(s.history.Messages())
	}
	return spec
}

// reportRouting reports the router's decisions and its warnings about the current agent to the tenant.
func (s *Session) reportRouting() {
	for _, d := range s.router.Decisions() {
		s.options.Journal.Routed(d)
	}
	s.problems.reportWarnings(s.router.Warnings(), s.router.Agent())
}
