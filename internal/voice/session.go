// Package voice holds a conversation: it listens to a caller, detects turns, has
// a language model answer and speaks the answer.
//
// One loop (Session.Run) owns all state. Frames, transcripts and the events of an
// answer in the making come to it over channels, each with the time it happened.
// What an event does depends on the phase (phase.go). Nothing in the loop waits
// for a provider.
package voice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/voice/generation"
	"parley/internal/voice/playout"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
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
	// User is the call's user_context.
	User map[string]any
	// History is what was said before the call was taken over from a worker that
	// vanished, and Resume the agent that spoke then; "" for a new call.
	History []dialogue.Message
	Resume  string
	// Keep saves what a worker needs, besides these, to take the call over, and
	// Kept is what was saved; it holds what the caller said and is to be sealed.
	// Keep does not wait; what it returns is closed when the context is saved.
	Keep func(context json.RawMessage) (kept <-chan struct{})
	Kept json.RawMessage
	// Turn is what agents override; the zero value means turn.DefaultOptions.
	Turn turn.Options
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

// New makes a session. It fails when the plan names no agent to begin with.
func New(o Options) (*Session, error) {
	if o.Turn == (turn.Options{}) {
		o.Turn = turn.DefaultOptions
	}
	if o.Tools == nil {
		o.Plan.Tools = nil
	}
	s := &Session{o: o, problems: problemLog{o.Journal, tool.NewMask(o.User)}, transfers: make(chan error, 1),
		history: generation.NewHistory(o.History), reports: make(chan generation.Report, 16), silence: silenceTracker{timeout: o.SilenceTimeout}, client: newStatePublisher()}
	router, err := routing.New(o.Plan, o.User)
	if err != nil {
		return nil, Problem{Service: Workflow, Critical: true, Message: err.Error(), At: time.Now()}
	}
	if o.Resume != "" {
		router.Resume(o.Resume)
	}
	s.router = router
	s.tools = generation.NewExecutor(o.Tools, &s.work, s.restore(o.Kept))
	s.reportWarnings(router.Agent())
	s.providers = providers.NewSet(o.Providers, &s.work, func(f providers.Failure) { s.problems.report(problemOf(f)) })
	s.detector = turn.NewDetector(o.Turn)
	s.applySettings()
	s.speech = turn.NewSpeechTracker(s.detector)
	s.queue = playout.NewQueue(o.Line.Play)
	s.callerCaptions = captions{role: dialogue.RoleUser, publish: o.Line.Caption}
	s.agentCaptions = captions{role: dialogue.RoleAssistant, publish: o.Line.Caption}
	return s, nil
}

// Agent is the name of the agent that speaks now. While Run runs, only the
// Journal's methods may ask.
func (s *Session) Agent() string { return s.router.Agent() }

// Prepare opens the first agent's providers, so that Run can greet at once. The
// context ends their streams. Its error is a Problem, or, when the context ends
// before they are open, its cause.
func (s *Session) Prepare(ctx context.Context) error {
	err := s.providers.OpenFirst(ctx, s.need())
	var failure providers.Failure
	if errors.As(err, &failure) {
		return s.problems.masked(problemOf(failure))
	}
	return err
}

// String prints the audio chain, from the caller's frames to the agent's.
func (s *Session) String() string {
	c := s.router.Config()
	return fmt.Sprintf("line 16 kHz → vad → stt %s/%s → turn → llm %s/%s → tts %s/%s → playout 24 kHz → line",
		c.STT.Provider, c.STT.Model, c.LLM.Provider, c.LLM.Model, c.TTS.Provider, c.TTS.VoiceID)
}

// Close ends the providers' streams. It follows Run, or Prepare without Run, and
// may be called twice. No goroutine of the session is left then.
func (s *Session) Close() {
	s.dropAnswer()
	s.work.Wait()
	s.providers.Close()
}

// Run holds the conversation until it ends by itself, which End names, or the
// context is cancelled, whose cause is returned. What was said until then is in
// the journal in both cases. It follows Prepare and runs once.
func (s *Session) Run(ctx context.Context) (End, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.conclude()
	s.work.Go(func() { s.client.publishTo(s.o.Line) })
	defer s.client.close()
	s.o.Log.InfoContext(ctx, "conversation begins", "chain", s.String())
	s.silence.interrupt(time.Now())
	if s.history.IsEmpty() {
		s.greet(ctx, "The call begins. Greet the caller.")
	} else {
		s.instruct(ctx, "The line was interrupted for a moment. Say so in a few words and go on with the conversation.")
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	frames := s.o.Line.Frames()
	for {
		s.setTimer(timer)
		select {
		case <-ctx.Done():
			if s.wasTransferred() {
				return AgentEnded, nil
			}
			return "", context.Cause(ctx)
		case frame, ok := <-frames:
			if !ok {
				frames = nil // the line is gone; the context ends for that
				continue
			}
			s.handleFrame(ctx, frame, time.Now())
		case text := <-s.o.Line.Typed():
			s.handleTyped(ctx, text, time.Now())
		case t, ok := <-s.providers.Transcripts():
			if !ok {
				s.handleRecognitionEnd(ctx, time.Now())
				continue
			}
			s.handleTranscript(ctx, t, time.Now())
		case r := <-s.reports:
			s.handleReport(ctx, r)
		case o := <-s.providers.Results():
			s.handleOpened(ctx, o)
		case e := <-s.tools.Ended():
			s.handleToolEnded(ctx, e)
		case err := <-s.transfers:
			s.handleTransferred(ctx, err)
		case <-timer.C:
		}
		if end := s.handleTime(ctx, time.Now()); end != "" {
			return end, nil
		}
	}
}

// handleTime does what is due by now. It returns the end of the conversation when
// that has come.
func (s *Session) handleTime(ctx context.Context, now time.Time) End {
	for frame, at, missing := s.speech.MissingFrame(now); missing; frame, at, missing = s.speech.MissingFrame(now) {
		s.handleFrame(ctx, frame, at)
	}
	s.writeAudio(ctx, now)
	s.handleAction(ctx, s.detector.Elapsed(now), now)
	if idle := reactions[s.phase].idle; idle != nil && s.isIdle() {
		idle(s, ctx, now)
	}
	s.playDue(ctx, now)
	if s.tools.IsBusy() {
		s.silence.interrupt(now) // the tools are at work
		s.sayFiller(now)
	}
	if s.current != nil && !s.current.preemptive && s.current.audioEnded && s.queue.Finished() {
		s.finishAnswer(ctx, now)
	}
	if s.phase == closing && !now.Before(s.endAt) {
		return s.end
	}
	if due := s.silenceTimeoutAt(); !due.IsZero() && !now.Before(due) {
		return Silence
	}
	return ""
}

// setTimer sets the timer to the next moment at which time alone changes things.
func (s *Session) setTimer(timer *time.Timer) {
	var next time.Time
	for _, t := range [...]time.Time{
		s.endAt, s.silenceTimeoutAt(), s.silencePromptAt(), s.fillerAt(), s.turnDeadline(),
		s.queue.NextFrameAt(), s.speech.GapDue(), s.audio.WriteDueAt(s.providers.Recognition()),
	} {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	if next.IsZero() {
		timer.Stop()
		return
	}
	timer.Reset(time.Until(next))
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

// conclude writes what was said until the end.
func (s *Session) conclude() {
	s.settleAnswer(time.Now())
	for _, x := range s.tools.Unfinished() {
		s.writeExecution(x, 0)
	}
	if text := s.detector.Text(); text != "" {
		s.o.Journal.Said(Entry{Role: dialogue.RoleUser, Text: text, At: s.detector.LastSpeech(), Agent: s.router.Agent()})
	}
}

// reportWarnings reports what the router warns of, to the tenant of an agent.
func (s *Session) reportWarnings(agent string) {
	for _, w := range s.router.Warnings() {
		s.problems.report(Problem{Service: Workflow, Critical: w.Critical, Message: w.Message, Agent: agent, At: time.Now()})
	}
}
