package voice

import (
	"context"
	"time"
)

// budgetPatience is how long the agent may still speak, and a handoff may take, once the call has cost as much as it may.
const budgetPatience = 15 * time.Second

// budgetDueAt returns when the agent is stopped for the sentence that ends the call; zero for never.
func (s *Session) budgetDueAt() time.Time {
	if s.spentAt.IsZero() || s.phase.ends() {
		return time.Time{}
	}
	return s.spentAt.Add(budgetPatience)
}

// keepBudget ends the call when it has cost as much as it may: with a sentence after what the agent is saying, or at once where the caller
// does not hear the agent.
func (s *Session) keepBudget(ctx context.Context, now time.Time) {
	due := s.budgetDueAt()
	if due.IsZero() {
		return
	}
	a := s.output.current
	switch {
	case s.held, s.phase == transferring, s.phase == holding, s.phase == bridged, s.phase.writesDown(), s.phase.detectsAnswer():
		s.stopAnswer(now)
		s.endCallAt(now, Budget)
	case now.Before(due) && (!s.phase.takesTurns() || a != nil && !a.preemptive):
	default:
		s.sayBeforeEnd(ctx, budgetText, Budget, s.providers.HasVoice())
	}
}
