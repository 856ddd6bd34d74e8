package voice

import (
	"context"
	"time"

	"parley/internal/voice/turn"
)

// interruptAnswer ends or suspends the current answer because of the caller (barge-in). That of a realtime model ends at
// once: the model needs to know how much of it was played before it answers again.
func (s *Session) interruptAnswer(now time.Time) {
	s.latency.turn.Interrupted = true
	s.overlaps.record(Interrupted, now)
	a := s.output.current
	if s.detector.MayResumeInterrupted() && !s.providers.UsesRealtime() && a != nil && a.failure == nil && !a.awaitsVoice && !s.tools.isAwaitedBy(a) {
		s.output.suspend()
	} else {
		s.stopAnswer(now)
	}
	s.agentState.set(Listening)
}

// resumeInterrupted resumes the answer that noise interrupted: where it stopped, or, if its generation was cancelled, in
// the model's words.
func (s *Session) resumeInterrupted(ctx context.Context, now time.Time) {
	s.overlaps.record(Resumed, now)
	x := s.output.suspended
	if x == nil || x.cancelled {
		s.generateOnInstruction(ctx, "A noise interrupted you; the caller said nothing. Go on where you stopped.")
		return
	}
	s.cancelAnswer()
	s.output.resumeSuspended()
	s.latency.turn.Interrupted = false
	s.detector.AgentStarted(now)
	if !x.answer.firstPlayed.IsZero() {
		s.detector.AgentAudible(now)
	}
	s.agentState.set(Thinking)
}

// stopSuspended stops the interrupted answer, which is not resumed, and records the part of it that was played.
func (s *Session) stopSuspended(now time.Time) {
	x := s.output.suspended
	if x == nil {
		return
	}
	current, queue := s.output.current, s.output.queue
	s.output.suspended, s.output.current, s.output.queue = nil, x.answer, x.queue
	s.stopAnswer(now)
	s.output.current, s.output.queue = current, queue
}

// overlapLog reports to the journal what the agent did while the caller made a sound over it.
type overlapLog struct {
	journal  Journal
	detector *turn.Detector
}

// record reports the outcome of turn detection's last action, with its cause.
func (l overlapLog) record(outcome Outcome, now time.Time) {
	l.journal.Overlapped(Overlap{Outcome: outcome, Cause: l.detector.OverlapCause(), At: now})
}

// recordIgnored reports that a sound over an answer had no effect, once for each answer and cause. No cause is no sound.
func (l overlapLog) recordIgnored(a *answer, cause turn.OverlapCause, now time.Time) {
	if cause == "" || a == nil || a.preemptive || a.ignoredCauses[cause] {
		return
	}
	if a.ignoredCauses == nil {
		a.ignoredCauses = map[turn.OverlapCause]bool{}
	}
	a.ignoredCauses[cause] = true
	l.journal.Overlapped(Overlap{Outcome: Ignored, Cause: cause, At: now})
}
