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

// reportSilence tells of an answer of which nothing was heard when it ended, as
// when the caller leaves, though its budget was over.
func (s *Session) reportSilence(a *answer, now time.Time) {
	from := a.begun
	if a.to != "" {
		from = s.spokeAt
	}
	waited := now.Sub(from)
	if s.options.Budget == 0 || waited <= s.options.Budget || a.failure != nil {
		return
	}
	p := Problem{Service: LLM, Provider: s.models()[0].Provider, Agent: a.agent, Cause: TimedOut, At: now}
	missing := "the language model had said nothing yet"
	switch {
	case !a.firstText.IsZero():
		p.Service, p.Provider, missing = TTS, s.cast.tts.Provider, "text to speech had given no audio yet"
	case !a.firstToken.IsZero():
		missing = "the language model had given no text yet"
	}
	p.Message = fmt.Sprintf("the caller waited %d ms and heard no answer, over the budget of %d ms; %s", waited.Milliseconds(), s.options.Budget.Milliseconds(), missing)
	s.problem(p)
}

// lap is a part of a turn.
type lap struct {
	service  Service
	provider string
	name     string
	took     time.Duration
}
