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
	"errors"
	"fmt"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/voice/generation"
	"parley/internal/voice/playout"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

// New makes a session. It fails when the plan names no agent to begin with.
func New(o Options) (*Session, error) {
	if o.Turn == (turn.Options{}) {
		o.Turn = turn.DefaultOptions
	}
	if o.Tools == nil {
		o.Plan.Tools = nil
	}
	s := &Session{options: o, problems: problemLog{o.Journal, tool.NewMask(o.UserContext)}, transferResults: make(chan error, 1),
		history: generation.NewHistory(o.History), reports: make(chan generation.Report, 16), silence: silenceTracker{timeout: o.SilenceTimeout}, agentState: newStatePublisher()}
	router, err := routing.New(o.Plan, o.UserContext)
	if err != nil {
		return nil, Problem{Service: Workflow, Critical: true, Message: err.Error(), At: time.Now()}
	}
	if o.ResumeAgent != "" {
		router.ResumeAgent(o.ResumeAgent)
	}
	s.router = router
	s.tools = generation.NewExecutor(o.Tools, &s.work, s.restoreSnapshot(o.Snapshot))
	s.reportWarnings(router.Agent())
	s.providers = providers.NewSet(o.Providers, &s.work, func(f providers.Failure) { s.problems.report(problemOf(f)) })
	s.detector = turn.NewDetector(o.Turn)
	if s.listener = o.Listener; s.listener == nil {
		s.listener = newEnergyListener()
	}
	s.applyAgentSettings()
	s.speech = turn.NewSpeechTracker(s.detector)
	s.queue = playout.NewQueue(s.sendFrame)
	s.callerCaptions = captions{role: dialogue.RoleUser, publish: o.Line.Caption}
	s.agentCaptions = captions{role: dialogue.RoleAssistant, publish: o.Line.Caption}
	return s, nil
}

// Agent returns the name of the current agent. While Run runs, only the Journal's methods may call it.
func (s *Session) Agent() string { return s.router.Agent() }

// Prepare opens the first agent's providers, so that Run can greet at once. The
// context ends their streams. Its error is a Problem, or, when the context ends
// before they are open, its cause.
func (s *Session) Prepare(ctx context.Context) error {
	err := s.providers.OpenFirst(ctx, s.agentSpec())
	var failure providers.Failure
	if errors.As(err, &failure) {
		return s.problems.masked(problemOf(failure))
	}
	return err
}

// String prints the audio chain, from the caller's frames to the agent's.
func (s *Session) String() string {
	c := s.router.Config()
	if r := c.Realtime; r != nil {
		return fmt.Sprintf("line 16 kHz → vad → turn → realtime %s/%s/%s → playout 24 kHz → line", r.Provider, r.Model, r.Voice)
	}
	return fmt.Sprintf("line 16 kHz → vad → stt %s/%s → turn → llm %s/%s → tts %s/%s → playout 24 kHz → line",
		c.STT.Provider, c.STT.Model, c.LLM.Provider, c.LLM.Model, c.TTS.Provider, c.TTS.VoiceID)
}

// Close ends the providers' streams. It follows Run, or Prepare without Run, and
// may be called twice. No goroutine of the session is left then.
func (s *Session) Close() {
	s.cancelAnswer()
	s.work.Wait()
	s.providers.Close()
}

// What each event does in each phase. (The reactions refer to the table, which
// therefore cannot be initialised where it is declared.)
func init() {
	handlersByPhase = [phases]phaseHandlers{
		conversing:      {(*Session).executeTurnAction, (*Session).speakUnprompted, (*Session).executeFollowUp, (*Session).sendReplacementVoice, (*Session).apologize},
		greetingPending: {(*Session).executeTurnAction, (*Session).greetAfterNoise, (*Session).executeFollowUp, (*Session).sendReplacementVoice, (*Session).apologize},
		handingOff:      {(*Session).ignoreTurnAction, nil, nil, (*Session).greetAfterHandoff, (*Session).apologize},
		transferring:    {(*Session).ignoreTurnAction, nil, nil, (*Session).sendReplacementVoice, (*Session).apologize},
		apologizing:     {(*Session).ignoreTurnAction, nil, (*Session).closeAfterApology, (*Session).sendReplacementVoice, (*Session).closeWithoutVoice},
		closing:         {(*Session).ignoreTurnAction, nil, nil, (*Session).sendReplacementVoice, (*Session).closeWithoutVoice},
	}
}

// Run holds the conversation until it ends by itself, for the reason returned, or the context is cancelled, whose cause
// is returned. The transcript until then is in the journal in both cases. It follows Prepare and runs once.
func (s *Session) Run(ctx context.Context) (End, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.finishTranscript()
	s.work.Go(func() { s.agentState.publishTo(s.options.Line) })
	defer s.agentState.close()
	s.options.Log.InfoContext(ctx, "conversation begins", "chain", s.String())
	s.silence.recordActivity(time.Now())
	if s.history.IsEmpty() {
		s.greet(ctx, "The call begins. Greet the caller.")
	} else {
		s.generateOnInstruction(ctx, "The line was interrupted for a moment. Say so in a few words and go on with the conversation.")
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	frames := s.options.Line.Frames()
	for {
		s.resetTimer(timer)
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
		case text := <-s.options.Line.Typed():
			s.handleTextMessage(ctx, text, time.Now())
		case t, ok := <-s.providers.Transcripts():
			if !ok {
				s.handleRecognitionEnd(ctx, time.Now())
				continue
			}
			s.handleTranscript(ctx, t, time.Now())
		case r := <-s.reports:
			s.handleReport(ctx, r)
		case o := <-s.providers.Results():
			s.handleProvidersOpened(ctx, o)
		case e := <-s.tools.Ended():
			s.handleToolEnded(ctx, e)
		case err := <-s.transferResults:
			s.handleTransferResult(ctx, err)
		case <-timer.C:
		}
		if end := s.handleDue(ctx, time.Now()); end != "" {
			return end, nil
		}
	}
}

// handleDue does what is due by now. It returns the end of the conversation when
// that has come.
func (s *Session) handleDue(ctx context.Context, now time.Time) End {
	for frame, at, missing := s.speech.MissingFrame(now); missing; frame, at, missing = s.speech.MissingFrame(now) {
		s.handleFrame(ctx, frame, at)
	}
	s.writeAudio(ctx, now)
	s.handleTurnAction(ctx, s.detector.Elapsed(now), now)
	if idle := handlersByPhase[s.phase].onIdle; idle != nil && s.isIdle() {
		idle(s, ctx, now)
	}
	s.playDueFrames(ctx, now)
	if s.tools.IsBusy() {
		s.silence.recordActivity(now) // the tools are at work
		s.speakFiller(now)
	}
	if s.current != nil && !s.current.preemptive && s.current.audioEnded && s.queue.Finished() {
		s.handlePlayoutEnd(ctx, now)
	}
	if s.phase == closing && !now.Before(s.endAt) {
		return s.end
	}
	if due := s.silenceTimeoutAt(); !due.IsZero() && !now.Before(due) {
		return Silence
	}
	return ""
}

// resetTimer sets the timer to the next moment at which time alone changes things.
func (s *Session) resetTimer(timer *time.Timer) {
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

// finishTranscript writes the last entries of the transcript.
func (s *Session) finishTranscript() {
	s.stopSuspended(time.Now())
	s.stopAnswer(time.Now())
	for _, x := range s.tools.Unfinished() {
		s.writeExecution(x, 0)
	}
	if text := s.detector.Text(); text != "" {
		s.options.Journal.EntryAdded(Entry{Role: dialogue.RoleUser, Text: text, At: s.detector.LastSpeech(), Agent: s.router.Agent()})
	}
}

// handleFrame handles a frame of the caller's audio.
func (s *Session) handleFrame(ctx context.Context, pcm []int16, now time.Time) {
	due := s.detector.TranscriptDue()
	clean, evidence := s.listener.Push(pcm, now)
	s.echo.pushFrame(evidence, now)
	activity := s.speech.PushFrame(evidence, now)
	if evidence.Echo && !s.speech.Speaking() {
		clean = silentFrame
	}
	s.audio.PushFrame(clean)
	if s.speech.Speaking() {
		s.silence.recordActivity(now)
	}
	switch {
	case activity.Change == audio.Started:
		s.audio.SetFinalRequested(false)
		if !due {
			s.audio.DropSentBefore(activity.Speech + providers.Preroll)
		}
	case activity.Change == audio.Ended:
		s.audio.SetFinalRequested(true)
	case !s.speech.Speaking() && !due && s.providers.Recognition() != nil:
		s.audio.TrimSilence()
	}
	s.audio.SetQuiet(!activity.Voiced && !s.speech.Speaking() && !due)
	s.handleTurnAction(ctx, activity.Action, now)
	s.noteIgnored(activity.Ignored, now)
	s.noteIgnored(s.detector.IgnoredCause(now), now)
}

// writeAudio writes the caller's audio to the recogniser.
func (s *Session) writeAudio(ctx context.Context, now time.Time) {
	recognition := s.providers.Recognition()
	if recognition == nil {
		return
	}
	if err := s.audio.WriteTo(recognition, now); err != nil {
		s.options.Log.DebugContext(ctx, "recogniser refuses audio", "error", err)
	}
}

// handleTranscript handles a transcript of the recogniser.
func (s *Session) handleTranscript(ctx context.Context, t dialogue.Transcript, now time.Time) {
	if t.Final {
		s.latency.finalAt = now
		s.audio.DropSentBefore(providers.Unsettled)
	}
	t = s.removeEcho(t, now)
	s.handleTurnAction(ctx, s.detector.TranscriptReceived(t, now), now)
	s.noteIgnored(s.detector.IgnoredCause(now), now)
	s.callerCaptions.update(s.detector.Text(), now)
}

// handleTextMessage handles a text message of the caller: it completes the turn that they may have begun by voice.
func (s *Session) handleTextMessage(ctx context.Context, text string, now time.Time) {
	s.silence.recordActivity(now)
	s.addToConversation(dialogue.Message{Role: dialogue.RoleUser, Content: text})
	s.handleTurnAction(ctx, s.detector.TextTyped(text, now), now)
	s.callerCaptions.update(s.detector.Text(), now)
}

// handleTurnAction handles an action of turn detection.
func (s *Session) handleTurnAction(ctx context.Context, action turn.Action, now time.Time) {
	if action != turn.None {
		handlersByPhase[s.phase].onTurnAction(s, ctx, action, now)
	}
}

// executeTurnAction carries an action out.
func (s *Session) executeTurnAction(ctx context.Context, action turn.Action, now time.Time) {
	switch action {
	case turn.Generate:
		s.generateAnswer(ctx, s.detector.Text(), true)
	case turn.Discard:
		s.cancelAnswer()
	case turn.Commit:
		s.commitTurn(ctx, now)
	case turn.Duck:
		s.queue.Duck()
	case turn.Pause:
		s.queue.Pause()
	case turn.Resume:
		s.queue.Resume()
		s.noteOverlap(Resumed, now)
	case turn.Interrupt:
		s.interruptAnswer(now)
	case turn.Continue:
		s.resumeInterrupted(ctx, now)
	}
}

// ignoreTurnAction ignores an action, in the phases without turns.
func (s *Session) ignoreTurnAction(_ context.Context, action turn.Action, now time.Time) {
	if action == turn.Generate {
		s.detector.GenerationDropped(now)
	}
}
