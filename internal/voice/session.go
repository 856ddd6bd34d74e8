// Package voice holds a conversation: it listens to a caller, detects turns, has
// a language model answer and speaks the answer.
//
// One loop (Session.Run) owns all state. Frames, transcripts and the events of an
// answer that is being generated come to it over channels, each with the time it
// happened. What an event does depends on the phase (phase.go). Nothing in the
// loop waits for a provider.
package voice

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/internal/dialogue"
	"parley/internal/mcpclient"
	"parley/internal/redact"
	"parley/internal/tool"
	"parley/internal/transfer"
	"parley/internal/voice/generation"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

// Session is one conversation.
type Session struct {
	options  Options
	problems problemLog

	phase           phase
	end             End             // why the call ends, in the phases that end it
	endAt           time.Time       // when it ends, in phase closing
	transferResults chan error      // of transferCall
	transfer        *personTransfer // nil while there is none
	operator        *takeOver       // nil while nobody takes the call over
	colleague       *colleague      // nil while nobody is transcribed besides the caller

	router    *routing.Router
	providers *providers.Set
	settings  turn.Options // of the current agent

	detector *turn.Detector
	input    callerInput
	output   *agentOutput
	overlaps overlapLog

	history generation.History
	tools   toolRunner
	feed    conversationFeed       // of a realtime model
	reports chan generation.Report // of the answers that are being generated

	hidden   hiddenValues
	recorded recordedTurn
	keys     keyEntry // on the caller's phone
	answered answerWatch

	greetingWaits bool // for the caller's first words

	languages   languageTracker
	held        bool           // the caller has put the call on hold
	muted       bool           // the agent listens, and says nothing by itself
	controls    []Control      // that wait until neither side speaks
	changedUser map[string]any // the user's context, once it has changed

	spentAt time.Time // when the call had cost as much as it may; zero before

	limits     limitLog
	texts      textLimiter
	budget     *generation.Budget
	preemptive int // answers generated preemptively in this turn
	judgements judgements
	shortened  int // characters to which a prompt was shortened for the model; 0 for none

	latency    turnLatency
	talk       *talkMeter
	silence    silenceTracker
	agentState statePublisher

	work sync.WaitGroup // every goroutine of the session
}

// New makes a session. It fails when the plan has no agent that the call can begin with.
func New(o Options) (*Session, error) {
	if o.Turn == (turn.Options{}) {
		o.Turn = turn.DefaultOptions
	}
	if o.Limits == nil {
		o.Limits = &DefaultLimits
	}
	if o.Tools == nil {
		o.Plan.Tools = nil
	}
	talk := newTalkMeter(o.Journal, o.History)
	o.Journal = talk
	s := &Session{options: o, talk: talk, problems: problemLog{o.Journal, new(tool.Mask)}, transferResults: make(chan error, 1), answered: newAnswerWatch(),
		history: generation.NewHistory(o.History), reports: make(chan generation.Report, 16), silence: silenceTracker{timeout: o.SilenceTimeout}, agentState: newStatePublisher()}
	s.held = o.Held
	s.limits, s.budget = limitLog{s.problems, map[string]bool{}}, generation.NewBudget(o.Limits.Limits)
	s.texts = textLimiter{perMinute: o.Limits.TextsPerMinute, atOnce: o.Limits.TextsAtOnce}
	s.hidden.values = new(redact.Placeholders)
	router, err := routing.New(o.Plan, o.UserContext, o.Call)
	if err != nil {
		return nil, Problem{Service: Workflow, Critical: true, Message: err.Error(), At: time.Now()}
	}
	if o.ResumeAgent != "" {
		router.ResumeAgent(o.ResumeAgent)
	}
	s.router = router
	s.maskContext()
	executor := generation.NewExecutor(o.Tools, &s.work, s.restoreSnapshot(o.Snapshot))
	s.tools = toolRunner{executor: executor, router: router, history: &s.history, hidden: s.hidden.values, journal: o.Journal, problems: s.problems, phone: o.Phone, dialsPersons: o.Persons != nil, saveSnapshot: s.saveSnapshot, callID: o.Call.ID, tenant: o.Tenant, sessions: &mcpclient.Sessions{}, maxTransfers: o.Limits.Transfers}
	s.reportRouting()
	s.providers = providers.NewSet(o.Providers, &s.work, func(f providers.Failure) { s.problems.report(problemOf(f)) })
	s.feed = conversationFeed{providers: s.providers, history: &s.history}
	s.detector = turn.NewDetector(o.Turn)
	s.overlaps = overlapLog{o.Journal, s.detector}
	s.input = newCallerInput(o, s.detector)
	s.output = newAgentOutput(o.Line, s.input.listener)
	s.output.person = func() Person { return s.transfer.playsTo() }
	s.applyAgentSettings()
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

// String returns the audio chain, from the caller's frames to the agent's.
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

// openingInstruction is the instruction for the first words of a call.
const openingInstruction = "The call begins. Greet the caller."

// Run holds the conversation until it ends by itself, for the reason returned, or the context is cancelled, whose cause
// is returned. The transcript until then is in the journal in both cases. It follows Prepare and runs once.
func (s *Session) Run(ctx context.Context) (End, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.tools.sessions.Close()
	defer s.finishTranscript()
	s.work.Go(func() { s.agentState.publishTo(s.options.Line) })
	defer s.agentState.close()
	s.options.Log.InfoContext(ctx, "conversation begins", "chain", s.String())
	s.silence.recordActivity(time.Now())
	s.applySounds(ctx)
	switch {
	case s.history.IsEmpty():
		s.openCall(ctx)
	case s.muted:
		s.agentState.set(Listening)
	default:
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
				return Transferred, nil
			}
			return "", context.Cause(ctx)
		case frame, ok := <-frames:
			if !ok {
				frames = nil // the line is gone; the context ends for that
				continue
			}
			s.handleFrame(ctx, frame, time.Now())
		case frame, ok := <-s.transfer.frames():
			if ok {
				s.handlePersonFrame(ctx, frame, time.Now())
			}
		case o := <-s.transfer.outcomes():
			s.handleDialOutcome(ctx, o, time.Now())
		case key := <-s.transfer.keys():
			s.handlePersonKey(ctx, key, time.Now())
		case <-s.transfer.left():
			s.transferEvent(ctx, transfer.PersonHungUp, nil, time.Now())
		case a := <-s.operator.outcomes():
			s.handleAdmission(a, time.Now())
		case <-s.operator.joining():
			s.operator.joined = true // keepOperator goes on
		case <-s.operator.left():
			s.leaveOperator(ctx, time.Now())
		case frame, ok := <-s.colleague.frames():
			if !ok {
				s.colleague.heard = nil
				continue
			}
			s.hearColleague(ctx, frame, time.Now())
		case r := <-s.colleague.recognitions():
			s.setColleagueRecognition(r)
		case t, ok := <-s.colleague.transcripts():
			s.handleColleagueTranscript(t, ok, time.Now())
		case text := <-s.textMessages():
			s.handleTextMessage(ctx, text, time.Now())
		case c := <-s.options.Controls:
			s.handleControl(ctx, c, time.Now())
		case <-s.options.Spent:
			s.options.Spent, s.spentAt = nil, time.Now()
		case signal := <-s.options.Line.Signals():
			s.handleSignal(signal, time.Now())
		case t, ok := <-s.providers.Transcripts():
			if !ok {
				s.handleRecognitionEnd(ctx, time.Now())
				continue
			}
			s.handleTranscript(ctx, t, time.Now())
		case l := <-s.output.soundscape.loaded:
			s.setSound(l)
		case r := <-s.reports:
			s.handleReport(ctx, r)
		case o := <-s.providers.Results():
			s.handleProvidersOpened(ctx, o)
		case e := <-s.tools.executor.Ended():
			s.tools.handleEnd(ctx, e, s.finishRound, s.addLateResult)
		case err := <-s.transferResults:
			s.handleTransferResult(ctx, err)
		case r := <-s.answered.replies:
			s.handleModelReply(ctx, r, time.Now())
		case <-timer.C:
		}
		if end := s.handleDue(ctx, time.Now()); end != "" {
			return end, nil
		}
	}
}

// handleDue does what is due by now. It returns why the conversation ends, if it
// does.
func (s *Session) handleDue(ctx context.Context, now time.Time) End {
	for frame, at, missing := s.input.speech.MissingFrame(now); missing; frame, at, missing = s.input.speech.MissingFrame(now) {
		if s.transfer.hears() {
			s.handlePersonFrame(ctx, frame, at)
			continue
		}
		s.handleFrame(ctx, frame, at)
	}
	s.writeAudio(ctx, now)
	s.watchAnswer(ctx, now)
	s.keepTransfer(ctx, now)
	s.keepOperator(ctx, now)
	s.handleTurnAction(ctx, s.detector.Elapsed(now), now)
	if idle := handlersByPhase[s.phase].onIdle; idle != nil && s.isIdle() {
		idle(s, ctx, now)
	}
	s.keepBudget(ctx, now)
	s.enterKeys(ctx, now)
	s.keepSounds(now)
	s.playDueFrames(ctx, now)
	s.keepAnswerDeadline(now)
	if s.tools.executor.IsBusy() {
		s.silence.recordActivity(now) // the tools are at work
		s.speakOnWait(now)
	}
	if s.output.isPlayedOut() {
		s.handlePlayoutEnd(ctx, now)
	}
	s.keepTalk(now)
	s.settleNoise(now)
	if s.phase == closing && !now.Before(s.endAt) {
		return s.end
	}
	if due := s.silenceTimeoutAt(); !due.IsZero() && !now.Before(due) {
		return Silence
	}
	return ""
}

// resetTimer sets the timer to when handleDue has something to do even if no event comes.
func (s *Session) resetTimer(timer *time.Timer) {
	var next time.Time
	for _, t := range [...]time.Time{
		s.endAt, s.silenceTimeoutAt(), s.silencePromptAt(), s.lateResultAt(), s.waitTextAt(), s.answerDeadlineAt(), s.budgetDueAt(), s.turnDeadline(), s.answered.dueAt(s.phase), s.transferDueAt(), s.operatorDueAt(),
		s.nextFrameAt(), s.soundsDueAt(), s.keys.dueAt(), s.input.speech.GapDue(), s.input.audio.WriteDueAt(s.providers.Recognition()),
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

// finishTranscript writes what was not complete when the call ended to the transcript.
func (s *Session) finishTranscript() {
	s.closeTransfer(context.Background())
	s.closeOperator()
	s.closeColleague(time.Now())
	s.stopSuspended(time.Now())
	s.stopAnswer(time.Now())
	s.tools.writeUnfinished()
	s.settleRecording(s.detector.Text(), s.detector.TranscriptDue(), time.Now())
	if text := s.detector.Text(); text != "" {
		s.options.Journal.EntryAdded(Entry{Role: dialogue.RoleUser, Text: text, At: s.detector.LastSpeech(), Agent: s.router.Agent()})
	}
	s.talk.finish(time.Now())
}

// handleFrame handles a frame of the caller's audio.
func (s *Session) handleFrame(ctx context.Context, pcm []int16, now time.Time) {
	if s.transfer.hears() {
		return // they are on hold, and the person is listened to
	}
	if s.held || s.mustFinish() || s.transfer != nil && !s.phase.writesDown() {
		pcm = silentFrame // music on hold, or words that must not interrupt
	}
	activity := s.input.pushFrame(pcm, s.providers.Recognition() != nil, now)
	s.awaitWords(activity, now)
	s.talk.callerFrame(activity, s.input.speech.LastVoice(), now)
	s.answered.pushFrame(pcm, s.input.class, now)
	if s.input.speech.Speaking() {
		s.silence.recordActivity(now)
	}
	s.handleTurnAction(ctx, activity.Action, now)
	s.writeIgnoredWords()
	s.overlaps.recordIgnored(s.output.current, activity.Ignored, now)
	s.overlaps.recordIgnored(s.output.current, s.detector.IgnoredCause(now), now)
}

// writeIgnoredWords writes what the caller said over the agent without effect to the transcript, behind the answer that it was
// said over. The model does not see it.
func (s *Session) writeIgnoredWords() {
	if a := s.output.current; a != nil && !a.preemptive || s.output.suspended != nil {
		return
	}
	if words, at := s.detector.TakeIgnored(); words != "" {
		s.options.Journal.EntryAdded(Entry{Role: dialogue.RoleUser, Text: words, At: at, Agent: s.router.Agent(), Ignored: true})
	}
}

// writeAudio writes the caller's audio to the recogniser.
func (s *Session) writeAudio(ctx context.Context, now time.Time) {
	recognition := s.providers.Recognition()
	if recognition == nil {
		return
	}
	if err := s.input.audio.WriteTo(recognition, now); err != nil {
		s.options.Log.DebugContext(ctx, "recogniser refuses audio", "error", dialogue.Summary(err))
	}
}

// handleTranscript handles a transcript of the recogniser.
func (s *Session) handleTranscript(ctx context.Context, t dialogue.Transcript, now time.Time) {
	if t.Final {
		s.latency.finalAt = now
		s.input.audio.DropSentBefore(providers.Unsettled)
	}
	if s.mustFinish() {
		return // it is of sound before the greeting
	}
	if s.transfer != nil && !s.phase.writesDown() {
		if s.transfer.hears() {
			s.handlePersonTranscript(ctx, t.Text, t.Final, now)
		}
		return
	}
	t, isEcho := s.input.removeEcho(withoutAnnotations(t), s.output, now)
	s.languages.add(t)
	s.timeWords(t)
	s.answered.pushTranscript(t, now)
	if isEcho {
		s.overlaps.recordIgnored(s.input.echo.answer, turn.Echo, now)
	}
	s.handleTurnAction(ctx, s.detector.TranscriptReceived(t, now), now)
	s.overlaps.recordIgnored(s.output.current, s.detector.IgnoredCause(now), now)
	s.input.captions.update(s.detector.Text(), now)
	s.reportLongTurn()
}

// handleTextMessage handles a text message of the caller. It completes a turn that was begun by voice.
func (s *Session) handleTextMessage(ctx context.Context, text string, now time.Time) {
	text, admitted := s.admitText(text, now)
	if !admitted {
		return
	}
	s.silence.recordActivity(now)
	s.talk.callerTyped(text)
	s.feed.add(dialogue.Message{Role: dialogue.RoleUser, Content: text})
	s.handleTurnAction(ctx, s.detector.TextTyped(text, now), now)
	s.input.captions.update(s.detector.Text(), now)
	s.reportLongTurn()
}

// handleTurnAction handles an action of turn detection.
func (s *Session) handleTurnAction(ctx context.Context, action turn.Action, now time.Time) {
	if action != turn.None {
		handlersByPhase[s.phase].onTurnAction(s, ctx, action, now)
	}
}

// executeTurnAction executes an action of turn detection.
func (s *Session) executeTurnAction(ctx context.Context, action turn.Action, now time.Time) {
	if s.muted && (action == turn.Generate || action == turn.Commit) {
		s.recordOtherSide(ctx, action, now)
		return
	}
	switch action {
	case turn.Generate:
		if s.greetingWaits || s.hidden.on && redact.MayGrow(s.detector.Text()) || !s.mayGeneratePreemptively() {
			s.cancelAnswer() // to other words; the answer is generated when the turn is over
			return
		}
		s.generateAnswer(ctx, s.detector.Text(), true)
	case turn.Discard:
		s.cancelAnswer()
	case turn.Commit:
		s.commitTurn(ctx, now)
	case turn.Duck:
		s.output.queue.Duck()
	case turn.Pause:
		s.output.queue.Pause()
	case turn.Resume:
		s.output.queue.Resume()
		s.overlaps.record(Resumed, now)
	case turn.Interrupt:
		s.interruptAnswer(now)
	case turn.ResumeInterrupted:
		s.resumeInterrupted(ctx, now)
	}
}

// ignoreTurnAction ignores an action, in the phases without turns.
func (s *Session) ignoreTurnAction(_ context.Context, action turn.Action, now time.Time) {
	if action == turn.Generate {
		s.detector.GenerationDropped(now)
	}
}
