package voice

import "time"

// answerDeadline is what an answer's silence has led to.
type answerDeadline struct {
	passed   int       // times
	passedAt time.Time // the last time
}

// answerDeadlineAt returns when the agent has been silent for so long, while an answer is due, that it says something else; zero for
// never.
func (s *Session) answerDeadlineAt() time.Time {
	a, queue := s.output.current, s.output.queue
	switch {
	case s.settings.AnswerDeadline == 0, s.held, !s.phase.takesTurns(), a == nil:
		return time.Time{}
	case a.preemptive, a.audioEnded, queue.Paused(), queue.Ready():
		return time.Time{}
	}
	since := a.started
	if a.replyTo != "" && !s.latency.lastSpeech.IsZero() {
		since = s.latency.lastSpeech
	}
	for _, later := range []time.Time{s.output.lastPlayed, a.deadline.passedAt, s.latency.holdAt} {
		if later.After(since) {
			since = later
		}
	}
	deadline := s.settings.AnswerDeadline
	if a.deadline.passed > 0 {
		deadline += deadline / 6 // the agent has announced the delay
	}
	return since.Add(deadline)
}

// keepAnswerDeadline reports that the agent has been silent for too long, once for each answer, and has it say a few words while the
// model has none.
func (s *Session) keepAnswerDeadline(now time.Time) {
	due := s.answerDeadlineAt()
	if due.IsZero() || now.Before(due) {
		return
	}
	a := s.output.current
	if a.deadline.passed == 0 && a.firstPlayed.IsZero() {
		s.reportLateAnswer(a, now)
	}
	a.deadline.passed, a.deadline.passedAt = a.deadline.passed+1, now
	s.agentState.set(Thinking)
	if s.providers.UsesRealtime() {
		return // there is no text that could come sooner
	}
	text := waitText
	if (a.fillers > 0) != (a.deadline.passed%2 == 0) { // the filler of a tool says as much as the first text
		text = waitLongerText
	}
	a.SayMeanwhile(s.fixedText(text))
}

// reportLateAnswer reports that nothing of an answer was heard by the deadline.
func (s *Session) reportLateAnswer(a *answer, now time.Time) {
	p := missingAnswer(a.answerTimes, ProviderNames{LLM: s.providers.LLM(), TTS: s.providers.TTS()}, now)
	if s.tools.isAwaitedBy(a) {
		p = Problem{Service: ToolUse, Cause: TimedOut, At: now, Message: "a tool was still running"}
	}
	p.Agent = a.Agent
	p.Message = "the caller has heard no answer by the answer deadline; " + p.Message
	s.problems.report(p)
}
