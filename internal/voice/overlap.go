package voice

import (
	"context"
	"fmt"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/playout"
	"parley/internal/voice/turn"
)

// suspension is an answer that was interrupted by sound in which no word has been recognised; it is continued if none
// comes.
type suspension struct {
	answer   *answer
	queue    *playout.Queue
	canceled bool // its providers were, before it was complete
}

// interruptAnswer carries out an interruption of the current answer. That of a realtime model ends at once: the model needs
// to know how much of it was played before it answers again.
func (s *Session) interruptAnswer(now time.Time) {
	s.latency.turn.Interrupted = true
	s.noteOverlap(Interrupted, now)
	a := s.current
	if s.detector.MayContinue() && !s.providers.UsesRealtime() && a != nil && a.failure == nil && !a.awaitsVoice && s.tools.RoundOf(a.Answer) == nil {
		s.queue.Pause()
		s.suspended = &suspension{answer: a, queue: s.queue}
		s.current, s.queue = nil, playout.NewQueue(s.sendFrame)
	} else {
		s.stopAnswer(now)
	}
	s.agentState.set(Listening)
}

// resumeInterrupted resumes the answer that noise interrupted: where it stopped, or in the model's words if it is not
// complete any more.
func (s *Session) resumeInterrupted(ctx context.Context, now time.Time) {
	s.noteOverlap(Resumed, now)
	x := s.suspended
	if x == nil || x.canceled {
		s.generateOnInstruction(ctx, "A noise interrupted you; the caller said nothing. Go on where you stopped.")
		return
	}
	s.cancelAnswer()
	s.suspended = nil
	s.current, s.queue = x.answer, x.queue
	s.latency.turn.Interrupted = false
	s.detector.AgentStarted(now)
	if !x.answer.firstPlayed.IsZero() {
		s.detector.AgentAudible(now)
	}
	s.queue.Resume()
	s.agentState.set(Thinking)
}

// cancelSuspended stops the providers of an interrupted answer, so that the next one can use them.
func (s *Session) cancelSuspended() {
	if x := s.suspended; x != nil && !x.answer.audioEnded {
		x.answer.Cancel(x.queue.PlayedTime())
		x.canceled = true
	}
}

// stopSuspended ends an interrupted answer for good, and writes the part of it that was played.
func (s *Session) stopSuspended(now time.Time) {
	x := s.suspended
	if x == nil {
		return
	}
	current, queue := s.current, s.queue
	s.suspended, s.current, s.queue = nil, x.answer, x.queue
	s.stopAnswer(now)
	s.current, s.queue = current, queue
}

// suspendedMessages returns the messages for the model of an interrupted answer that is not in the history yet.
func (s *Session) suspendedMessages() (messages []dialogue.Message) {
	x := s.suspended
	if x == nil {
		return nil
	}
	if heard := x.queue.SpokenText(); heard != "" {
		messages = append(messages, dialogue.Message{Role: dialogue.RoleAssistant, Content: heard})
	}
	if x.answer.followUp != nil {
		messages = append(messages, dialogue.Message{Role: dialogue.RoleSystem, Content: fmt.Sprintf(followUpNotDone, x.answer.followUp.action)})
	}
	return messages
}

// noteOverlap writes to the journal what turn detection decided about sound of the caller over the agent.
func (s *Session) noteOverlap(outcome Outcome, now time.Time) {
	s.options.Journal.Overlapped(Overlap{Outcome: outcome, Cause: s.detector.Cause(), At: now})
}

// noteIgnored writes to the journal that sound over the agent had no effect, once for each answer and cause.
func (s *Session) noteIgnored(cause turn.Cause, now time.Time) {
	s.noteIgnoredOver(s.current, cause, now)
}

// noteIgnoredOver is like noteIgnored, for a sound over an answer that may have ended.
func (s *Session) noteIgnoredOver(a *answer, cause turn.Cause, now time.Time) {
	if cause == "" || a == nil || a.preemptive || a.ignoredCauses[cause] {
		return
	}
	if a.ignoredCauses == nil {
		a.ignoredCauses = map[turn.Cause]bool{}
	}
	a.ignoredCauses[cause] = true
	s.options.Journal.Overlapped(Overlap{Outcome: Ignored, Cause: cause, At: now})
}
