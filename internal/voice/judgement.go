package voice

import (
	"fmt"
	"time"

	"parley/internal/voice/generation"
)

// maxRefusedTurns is how many turns in a row a model may refuse without giving a reason before it counts as failed.
const maxRefusedTurns = 2

// judgements counts the turns in a row that the model did not answer because of what they say.
type judgements struct {
	refused  int // without a reason
	byPrompt int
}

// handleTurnDeclined handles a turn that the model did not answer.
func (s *Session) handleTurnDeclined(a *answer, e generation.TurnDeclined) {
	a.declinedByPrompt = e.ByPrompt
	if e.Refused {
		s.judgements.refused++
	}
}

// withholdDeclined leaves words that the model's vendor rejects out of later prompts. When it rejects those, too, they have the last turn
// alone.
func (s *Session) withholdDeclined(a *answer) {
	if !a.declinedByPrompt || a.replyTo == "" {
		s.judgements.byPrompt = 0
		return
	}
	s.judgements.byPrompt++
	s.history.Withhold(s.judgements.byPrompt > 1)
}

// handlePromptShortened keeps later prompts as short as one had to be for the model.
func (s *Session) handlePromptShortened(a *answer, e generation.PromptShortened) {
	s.shortened = e.Characters
	s.problems.report(Problem{Service: LLM, Provider: s.providers.LLM(), Agent: a.Agent, At: time.Now(),
		Message: fmt.Sprintf("the prompt was too long for the model: prompts have the newest turns of at most %d characters", e.Characters)})
}
