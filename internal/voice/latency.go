package voice

import (
	"fmt"
	"time"
)

// turnLatency measures the caller's turn that is being answered.
type turnLatency struct {
	turn    Turn
	spokeAt time.Time // the caller's last sound in it
	finalAt time.Time // when the last final transcript came
}

// begin starts to measure a turn that was committed now.
func (l *turnLatency) begin(agent, stt string, lastSpeech, now time.Time) {
	l.spokeAt = lastSpeech
	l.turn = Turn{Agent: agent, Endpointing: now.Sub(lastSpeech), STT: since(lastSpeech, l.finalAt), Providers: Played{STT: stt}}
}

// measure is the turn's latencies with those of its answer.
func (l *turnLatency) measure(a *answer) Turn {
	if a.firstToken.IsZero() {
		a.firstToken = a.firstText // of what is said because no token came
	}
	t := l.turn
	t.LLM = since(a.begun, a.firstToken)
	t.TTS = since(a.firstText, a.firstAudio)
	t.VoiceToVoice = since(l.spokeAt, a.firstPlayed)
	t.Usage = a.usage
	return t
}

// since is the time between two moments; 0 when they are not both known or not in
// order.
func since(from, to time.Time) time.Duration {
	if from.IsZero() || to.Before(from) {
		return 0
	}
	return to.Sub(from)
}

// reportSlowTurn reports a turn that was answered later than its budget allows,
// and which stage took the longest.
func (s *Session) reportSlowTurn(t Turn, now time.Time) {
	if s.settings.Budget == 0 || t.VoiceToVoice <= s.settings.Budget {
		return
	}
	slowest := latencyStage{STT, "", "waiting for the end of the turn", t.Endpointing - t.STT}
	for _, other := range []latencyStage{
		{STT, t.Providers.STT, "speech to text", t.STT},
		{LLM, t.Providers.LLM, "the language model", t.LLM},
		{TTS, t.Providers.TTS, "text to speech", t.TTS},
	} {
		if other.took > slowest.took {
			slowest = other
		}
	}
	s.problems.report(Problem{Service: slowest.service, Provider: slowest.provider, Agent: t.Agent, At: now,
		Message: fmt.Sprintf("the caller waited %d ms for the answer, over the budget of %d ms; the slowest stage was %s (%d ms)",
			t.VoiceToVoice.Milliseconds(), s.settings.Budget.Milliseconds(), slowest.name, slowest.took.Milliseconds())})
}

// latencyStage is a part of a turn's latency.
type latencyStage struct {
	service  Service
	provider string
	name     string
	took     time.Duration
}

// reportUnheard reports an answer of which nothing was heard when it ended, as
// when the caller leaves, though its budget was over.
func (s *Session) reportUnheard(a *answer, now time.Time) {
	from := a.begun
	if a.to != "" {
		from = s.latency.spokeAt
	}
	waited := now.Sub(from)
	if s.settings.Budget == 0 || waited <= s.settings.Budget || a.failure != nil {
		return
	}
	p := Problem{Service: LLM, Provider: s.providers.LLM(), Agent: a.Agent, Cause: TimedOut, At: now}
	missing := "the language model had said nothing yet"
	switch {
	case !a.firstText.IsZero():
		p.Service, p.Provider, missing = TTS, s.providers.TTS(), "text to speech had given no audio yet"
	case !a.firstToken.IsZero():
		missing = "the language model had given no text yet"
	}
	p.Message = fmt.Sprintf("the caller waited %d ms and heard no answer, over the budget of %d ms; %s", waited.Milliseconds(), s.settings.Budget.Milliseconds(), missing)
	s.problems.report(p)
}
