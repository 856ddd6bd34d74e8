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
	answer  *answer
	queue   *playout.Queue
	stopped bool // its providers were, before it was complete
}

// interrupt carries out an interruption of the current answer. That of a realtime model ends at once: the model needs
// to know how much of it was played before it answers again.
func (s *Session) interrupt(now time.Time) {
	s.latency.turn.Interrupted = true
	s.noteOverlap(Interrupted, now)
	a := s.current
	if s.detector.MayContinue() && !s.providers.UsesRealtime() && a != nil && a.failure == nil && !a.mute && s.tools.RoundOf(a.Answer) == nil {
		s.queue.Pause()
		s.suspended = &suspension{answer: a, queue: s.queue}
		s.current, s.queue = nil, playout.NewQueue(s.play)
	} else {
		s.settleAnswer(now)
	}
	s.client.set(Listening)
}

// continueAnswer resumes the answer that noise interrupted: where it stopped, or in the model's words if it is not
// complete any more.
func (s *Session) continueAnswer(ctx context.Context, now time.Time) {
	s.noteOverlap(Resumed, now)
	x := s.suspended
	if x == nil || x.stopped {
		s.instruct(ctx, "A noise interrupted you; the caller said nothing. Go on where you stopped.")
		return
	}
	s.dropAnswer()
	s.suspended = nil
	s.current, s.queue = x.answer, x.queue
	s.latency.turn.Interrupted = false
	s.detector.AgentStarted(now)
	if !x.answer.firstPlayed.IsZero() {
		s.detector.AgentAudible(now)
	}
	s.queue.Resume()
	s.client.set(Thinking)
}

// stopSuspended stops the providers of an interrupted answer, so that the next one can use them.
func (s *Session) stopSuspended() {
	if x := s.suspended; x != nil && !x.answer.audioEnded {
		x.answer.Cancel(x.queue.PlayedTime())
		x.stopped = true
	}
}

// settleSuspended ends an interrupted answer for good, and writes the part of it that was played.
func (s *Session) settleSuspended(now time.Time) {
	x := s.suspended
	if x == nil {
		return
	}
	current, queue := s.current, s.queue
	s.suspended, s.current, s.queue = nil, x.answer, x.queue
	s.settleAnswer(now)
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
	if x.answer.next != nil {
		messages = append(messages, dialogue.Message{Role: dialogue.RoleSystem, Content: fmt.Sprintf(notDone, x.answer.next.action)})
	}
	return messages
}

// noteOverlap writes to the journal what turn detection decided about sound of the caller over the agent.
func (s *Session) noteOverlap(outcome Outcome, now time.Time) {
	s.o.Journal.Overlapped(Overlap{Outcome: outcome, Cause: s.detector.Cause(), At: now})
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
	s.o.Journal.Overlapped(Overlap{Outcome: Ignored, Cause: cause, At: now})
}
