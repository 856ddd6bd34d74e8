package voice

import (
	"fmt"
	"time"
)

// turnLatency measures the latency of the caller's turn that is being answered.
type turnLatency struct {
	turn       Turn
	lastSpeech time.Time // the caller's last sound in the turn
	finalAt    time.Time // when the last final transcript came
	holdAt     time.Time // when a hold last began or ended
}

// startTurn starts the measurement of a turn that is committed now.
func (l *turnLatency) startTurn(agent, stt string, lastSpeech, now time.Time) {
	l.lastSpeech = lastSpeech
	l.turn = Turn{Agent: agent, Endpointing: now.Sub(lastSpeech), STT: since(lastSpeech, l.finalAt), Providers: ProviderNames{STT: stt}}
}

// exclude leaves the answer's latency out of the turn: the call was on hold meanwhile.
func (l *turnLatency) exclude(now time.Time) { l.lastSpeech, l.holdAt = time.Time{}, now }

// answerTimes are when an answer reached its stages; zero for a stage not reached.
type answerTimes struct {
	started, firstToken, firstText, firstAudio, firstPlayed time.Time
}

// measure returns the turn's latencies with those of its answer.
func (l *turnLatency) measure(a answerTimes) Turn {
	if a.firstToken.IsZero() {
		a.firstToken = a.firstText // a fixed text in place of the model's
	}
	t := l.turn
	t.LLM = since(a.started, a.firstToken)
	t.TTS = since(a.firstText, a.firstAudio)
	t.VoiceToVoice = since(l.lastSpeech, a.firstPlayed)
	return t
}

// since returns the time between two moments; 0 unless both are known and in order.
func since(from, to time.Time) time.Duration {
	if from.IsZero() || to.Before(from) {
		return 0
	}
	return to.Sub(from)
}

// latencyStage is one stage of a turn's latency.
type latencyStage struct {
	service  Service
	provider string
	name     string
	took     time.Duration
}

// slowTurn returns the problem of a turn whose voice-to-voice latency exceeds the budget; it names the slowest stage.
func slowTurn(t Turn, budget time.Duration, now time.Time) (p Problem, slow bool) {
	if budget == 0 || t.VoiceToVoice <= budget {
		return Problem{}, false
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
	return Problem{Service: slowest.service, Provider: slowest.provider, Agent: t.Agent, At: now,
		Message: fmt.Sprintf("the caller waited %d ms for the answer, over the budget of %d ms; the slowest stage was %s (%d ms)",
			t.VoiceToVoice.Milliseconds(), budget.Milliseconds(), slowest.name, slowest.took.Milliseconds())}, true
}

// silentAnswer returns the problem of an answer that ended before its first audio, as when the caller leaves, later after
// from than the budget allows.
func silentAnswer(a answerTimes, from time.Time, budget time.Duration, names ProviderNames, now time.Time) (p Problem, late bool) {
	waited := now.Sub(from)
	if budget == 0 || waited <= budget {
		return Problem{}, false
	}
	p = missingAnswer(a, names, now)
	p.Message = fmt.Sprintf("the caller waited %d ms and heard no answer, over the budget of %d ms; %s", waited.Milliseconds(), budget.Milliseconds(), p.Message)
	return p, true
}

// missingAnswer returns the problem of an answer without audio: its message is what is missing.
func missingAnswer(a answerTimes, names ProviderNames, now time.Time) Problem {
	p := Problem{Service: LLM, Provider: names.LLM, Cause: TimedOut, At: now, Message: "the language model had said nothing yet"}
	switch {
	case !a.firstText.IsZero():
		p.Service, p.Provider, p.Message = TTS, names.TTS, "text to speech had given no audio yet"
	case !a.firstToken.IsZero():
		p.Message = "the language model had given no text yet"
	}
	return p
}
