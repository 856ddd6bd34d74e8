package voice

import (
	"fmt"
	"time"
)

// keepBudget tells of a turn that was answered later than its budget allows,
// and which stage took the longest.
func (s *Session) keepBudget(t Turn, now time.Time) {
	if s.options.Budget == 0 || t.VoiceToVoice <= s.options.Budget {
		return
	}
	slowest := lap{STT, "", "waiting for the end of the turn", t.Endpointing - t.STT}
	for _, other := range []lap{
		{STT, t.Providers.STT, "speech to text", t.STT},
		{LLM, t.Providers.LLM, "the language model", t.LLM},
		{TTS, t.Providers.TTS, "text to speech", t.TTS},
	} {
		if other.took > slowest.took {
			slowest = other
		}
	}
	s.problem(Problem{Service: slowest.service, Provider: slowest.provider, Agent: t.Agent, At: now,
		Message: fmt.Sprintf("the caller waited %d ms for the answer, over the budget of %d ms; the slowest stage was %s (%d ms)",
			t.VoiceToVoice.Milliseconds(), s.options.Budget.Milliseconds(), slowest.name, slowest.took.Milliseconds())})
}

// lap is a part of a turn.
type lap struct {
	service  Service
	provider string
	name     string
	took     time.Duration
}
