package voice

import (
	"sync"
	"time"

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
