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
	o        Options
	problems problemLog

	phase     phase
	end       End       // why the call ends, in the phases that end it
	endAt     time.Time // when it does, while closing
	transfers chan error

	router    *routing.Router
	providers *providers.Set
	settings  turn.Options // of the current agent

	detector *turn.Detector
	speech   *turn.SpeechTracker
	audio    providers.AudioBuffer

	history     generation.History
	tools       *generation.Executor
	lateResults bool // of tools have come that no answer waited for
	current     *answer
	reports     chan generation.Report
	queue       *playout.Queue
	lastPlayed  time.Time // when the agent was last audible

	latency        turnLatency
	silence        silenceTracker
	callerCaptions captions
	agentCaptions  captions
	client         statePublisher

	work sync.WaitGroup // every goroutine of the session
}

// answer is one thing that the agent says, as the session knows it.
type answer struct {
	*generation.Answer
	to           string // the caller's words it answers; "" when the agent speaks first
	preemptive   bool   // the turn is not over yet: nothing may be audible
	asksSilent   bool   // it asks a silent caller whether they are there
	mute         bool   // its voice failed, and another one is awaited
	filled       bool   // the filler was said
	next         *toolFollowUp
	destinations map[string]routing.Destination // of the functions that were offered

	calls      []dialogue.ToolCall
	usage      dialogue.Usage
	failure    error // of language model or voice
	audioEnded bool  // no more audio comes
	answerTimes
}

// toolFollowUp is what a tool wants to be done once the answer was heard.
type toolFollowUp struct {
	action  string
	to      routing.Destination // of a handoff or an end
	number  string              // of a transfer
	message string
}

// silenceTracker is how long nobody has been heard.
type silenceTracker struct {
	timeout    time.Duration // that ends the call; 0 for never
	since      time.Time     // when either side was heard last, silence prompts not counted
	quietSince time.Time     // the same, counting them
	prompts    int           // since the caller's last turn
}

// interrupt notes that somebody is heard, or at work.
func (t *silenceTracker) interrupt(now time.Time) { t.since, t.quietSince = now, now }

// turnDeadline is when turn detection has to be asked again; zero for never while
// its actions are not carried out.
func (s *Session) turnDeadline() time.Time {
	if !s.phase.takesTurns() {
		return time.Time{}
	}
	return s.detector.Deadline()
}

// isIdle reports whether neither side speaks, nor is about to.
func (s *Session) isIdle() bool {
	return s.current == nil && s.phase.takesTurns() && s.detector.State() == turn.Listening
}

// closeAt ends the call at a time.
func (s *Session) closeAt(at time.Time, end End) { s.phase, s.end, s.endAt = closing, end, at }

// need is what the current agent needs providers for.
func (s *Session) need() providers.Need {
	return providers.Need{Agent: s.router.Agent(), Config: s.router.Config(), Language: s.router.Language(), Chosen: s.router.ChosenLanguage()}
}

// reportWarnings reports what the router warns of, to the tenant of an agent.
func (s *Session) reportWarnings(agent string) {
	for _, w := range s.router.Warnings() {
		s.problems.report(Problem{Service: Workflow, Critical: w.Critical, Message: w.Message, Agent: agent, At: time.Now()})
	}
}
