package voice

import (
	"context"
	"strings"
	"time"

	"parley/internal/agent"
	"parley/internal/answering"
	"parley/internal/dialogue"
	"parley/internal/voice/turn"
)

const (
	// judgedAgain is how long after the first verdict another one may replace it.
	judgedAgain = time.Minute
	// maxVerdicts bounds the verdicts of a call.
	maxVerdicts = 10
	// watchInterval is how often a wait for quiet is checked on a line that sends no frames.
	watchInterval = 100 * time.Millisecond
)

// answerWatch finds out who has answered a phone that was dialled, and follows what the agent does then.
type answerWatch struct {
	settings agent.AnswerDetection
	judge    *answering.Judge // nil where nobody is to be detected, and when that is over
	until    time.Time        // from then on the verdict does not change; zero before the first one
	verdicts int
	class    answering.Class // the last verdict
	action   agent.AnswerAction

	opening    *answer   // that is held for a person; nil for none
	heldSince  time.Time // when the agent's speech was first ready to be heard, but for its turn
	identified int       // times
	menu       menuWalk
	asking     bool // the language model
	replies    chan modelReply
}

func newAnswerWatch() answerWatch { return answerWatch{replies: make(chan modelReply, 1)} }

// openCall has the agent speak first: at once, when it is known who has answered, or after the first words of the other side.
func (s *Session) openCall(ctx context.Context) {
	s.detectAnswer(time.Now())
	if s.phase == detectingAnswer {
		s.holdOpening(ctx)
		return
	}
	if s.options.GreetingWaits {
		s.awaitFirstWords()
		return
	}
	s.greet(ctx, openingInstruction)
}

// detectAnswer begins to find out who has answered, if the first agent is to.
func (s *Session) detectAnswer(now time.Time) {
	settings := s.router.Config().AnswerDetection
	if !s.options.DetectAnswer || !settings.Enabled {
		return
	}
	options := settings.Options(s.providers.Recognition() != nil)
	options.AsksModel = options.AsksModel && s.hasModel()
	s.answered.settings, s.answered.judge = settings, answering.NewJudge(options, now)
	s.phase = detectingAnswer
}

// pushFrame handles a frame of the other side.
func (w *answerWatch) pushFrame(pcm []int16, c Classification, now time.Time) {
	if w.judge != nil {
		w.judge.PushFrame(pcm, c.Voiced && !c.Echo, c.Noise, now)
	}
}

// pushTranscript handles a transcript of the other side.
func (w *answerWatch) pushTranscript(t dialogue.Transcript, now time.Time) {
	if w.judge != nil && !t.SpeechStarted {
		w.judge.Transcript(t.Text, t.Final, now)
	}
}

// dueAt returns when watchAnswer has something to do; zero for never.
func (w *answerWatch) dueAt(p phase) time.Time {
	if w.judge == nil {
		return time.Time{}
	}
	if p.detectsAnswer() && !w.until.IsZero() {
		return time.Now().Add(watchInterval)
	}
	return w.judge.DueAt()
}

// watchAnswer decides who has answered, and does what is due then.
func (s *Session) watchAnswer(ctx context.Context, now time.Time) {
	w := &s.answered
	if w.judge == nil || s.phase.ends() {
		return
	}
	w.judge.Elapsed(now)
	if text, due := w.judge.ModelDue(); due {
		s.askWhoAnswered(ctx, text)
	}
	if v := w.judge.Verdict(); v != nil {
		s.handleVerdict(ctx, *v, now)
	}
	if s.phase.detectsAnswer() {
		s.silence.recordActivity(now) // each of the phases has a limit of its own
	}
	switch {
	case w.judge == nil:
	case s.phase == leavingMessage:
		s.keepMessage(ctx, now)
	case s.phase == navigating:
		s.walkMenu(ctx, now)
	case !w.until.IsZero() && !now.Before(w.until):
		s.stopWatching(now)
	case s.phase == detectingAnswer:
		s.speakWhenQuiet(ctx, now)
	}
}

// handleVerdict reports who has answered, and does what the agent's settings say.
func (s *Session) handleVerdict(ctx context.Context, v answering.Verdict, now time.Time) {
	w := &s.answered
	again := v.Class == w.class // a person who was expected to speak
	if !again {
		s.options.Journal.AnswerJudged(v)
	}
	w.class, w.action = v.Class, w.settings.Action(v.Class)
	if w.verdicts++; w.verdicts == 1 {
		w.until = now.Add(judgedAgain)
	}
	w.judge.Continue(now)
	if w.verdicts >= maxVerdicts {
		w.judge = nil
	}
	speaks := s.phase.takesTurns()
	switch {
	case speaks && (v.Class == answering.Human || w.action.Do == agent.AnswerContinue): // already
	case again && s.phase == leavingMessage: // for this person
	case speaks, s.phase.detectsAnswer():
		s.executeAnswerAction(ctx, now)
	}
}

// stopWatching ends the detection. The last class remains.
func (s *Session) stopWatching(now time.Time) {
	if s.phase.detectsAnswer() { // nobody has come to the phone
		s.endAnswered(now, endOfAction(s.answered.class))
	}
	s.answered.judge = nil
}

// recordOtherSide adds what the other side said to the transcript at the end of its turn, to which the agent does not reply.
func (s *Session) recordOtherSide(ctx context.Context, action turn.Action, now time.Time) {
	if action != turn.Commit {
		s.ignoreTurnAction(ctx, action, now)
		return
	}
	s.takeWords(now)
	s.detector.AgentStopped(now)
}

// takeWords moves what the other side has said to the transcript. Its turn is over.
func (s *Session) takeWords(now time.Time) {
	if text := s.detector.Text(); text != "" {
		s.settleRecording(text, false, now)
		s.input.captions.end(text)
		entry := Entry{Role: dialogue.RoleUser, Text: text, At: s.detector.LastSpeech(), Agent: s.router.Agent()}
		s.options.Journal.EntryAdded(entry)
		s.history.Add(dialogue.RoleUser, text)
		s.input.endTurn(s.providers.Recognition())
		s.answered.menu.said = strings.TrimSpace(s.answered.menu.said + " " + text)
	}
	s.detector.TurnCommitted(now)
}

// releaseHeld makes the speech that was generated meanwhile audible.
func (s *Session) releaseHeld(now time.Time) {
	s.takeWords(now)
	s.detector.AgentStarted(now)
	a := s.output.current
	a.preemptive, a.started = false, now
	a.Commit()
	s.input.echo.beginTurn(a)
	s.output.queue.Release()
	s.agentState.set(Thinking)
}
