package voice

import (
	"fmt"
	"time"
	"unicode/utf8"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

// Limits bound what a caller can have the tenant pay for. docs/limits.md has their names. 0 is no limit.
type Limits struct {
	TextsPerMinute    int // text messages of the caller, evenly
	TextsAtOnce       int // of TextsPerMinute
	TextCharacters    int // of one text message
	Preemptive        int // answers generated preemptively in one turn
	HistoryCharacters int // of the messages of a prompt, where the agent sets none
	Transfers         int // attempts to transfer the call
	generation.Limits
}

// DefaultLimits are the limits of calls.
var DefaultLimits = Limits{
	TextsPerMinute: 30, TextsAtOnce: 10, TextCharacters: 4_000, Preemptive: 10, HistoryCharacters: 100_000, Transfers: 5,
	Limits: generation.Limits{RequestsPerMinute: 60, RequestsAtOnce: 30, Requests: 3_000, RoundCalls: 16, ToolCalls: 1_000},
}

// limitLog reports each limit that a call reaches, once.
type limitLog struct {
	problems problemLog
	reported map[string]bool
}

// report reports that a limit was reached, with what follows from it.
func (l limitLog) report(service Service, limit, message, agent string) {
	if l.reported[limit] {
		return
	}
	l.reported[limit] = true
	l.problems.report(Problem{Service: service, Agent: agent, At: time.Now(), Message: fmt.Sprintf("%s (limit %s)", message, limit)})
}

// textLimiter bounds the rate of the caller's text messages.
type textLimiter struct {
	perMinute, atOnce int
	available         float64
	at                time.Time
}

// allow reports whether one more text message is within the rate.
func (l *textLimiter) allow(now time.Time) bool {
	if l.perMinute == 0 {
		return true
	}
	if l.at.IsZero() {
		l.available = float64(l.atOnce)
	} else {
		l.available = min(float64(l.atOnce), l.available+now.Sub(l.at).Minutes()*float64(l.perMinute))
	}
	l.at = now
	if l.available < 1 {
		return false
	}
	l.available--
	return true
}

// admitText returns a text message of the caller, at most as long as one may be; admitted is false for one beyond the rate.
func (s *Session) admitText(text string, now time.Time) (_ string, admitted bool) {
	if !s.texts.allow(now) {
		s.limits.report(Workflow, "texts_per_minute", fmt.Sprintf("the caller sends more than %d text messages a minute: those beyond are ignored", s.texts.perMinute), s.router.Agent())
		return "", false
	}
	most := s.options.Limits.TextCharacters
	if most == 0 || utf8.RuneCountInString(text) <= most {
		return text, true
	}
	s.limits.report(Workflow, "text_characters", fmt.Sprintf("a text message of the caller has more than %d characters: the rest is ignored", most), s.router.Agent())
	return string([]rune(text)[:most]), true
}

// reportLongTurn reports a turn of which words were dropped.
func (s *Session) reportLongTurn() {
	if s.detector.IsTooLong() {
		s.limits.report(Workflow, "turn_characters", fmt.Sprintf("a turn of the caller has more than %d characters: the rest is ignored", turn.MaxText), s.router.Agent())
	}
}

// mayGeneratePreemptively reports whether one more answer may be generated before the turn is over, and counts it.
func (s *Session) mayGeneratePreemptively() bool {
	if most := s.options.Limits.Preemptive; most > 0 && s.preemptive >= most || !s.budget.AllowsPreemptive() {
		return false
	}
	s.preemptive++
	return true
}

// promptMessages returns the history for a prompt.
func (s *Session) promptMessages() []dialogue.Message {
	most := s.options.Limits.HistoryCharacters
	if own := s.router.Config().LLM.HistoryCharacters; own != nil {
		most = *own
	}
	if s.shortened > 0 && (most == 0 || s.shortened < most) {
		most = s.shortened
	}
	messages, firstLeftOut := s.history.Window(most)
	if firstLeftOut {
		s.limits.report(LLM, "history_characters", fmt.Sprintf("the conversation has more than %d characters: prompts have its newest turns alone", most), s.router.Agent())
	}
	return messages
}

// reportHandoffLimits reports that no agent can hand the call over any more, until the caller speaks, or for the rest of the call.
func (s *Session) reportHandoffLimits() {
	agent := s.router.Agent()
	if s.router.AtHandoffLimit() {
		s.problems.report(Problem{Service: Workflow, Agent: agent, At: time.Now(),
			Message: fmt.Sprintf("the call was handed over %d times without a word of the caller; no agent can hand it over until they speak", routing.MaxHandoffs)})
	}
	if s.router.AtCallHandoffLimit() {
		s.limits.report(Workflow, "handoffs", fmt.Sprintf("the call was handed over %d times: no agent can hand it over any more", routing.MaxCallHandoffs), agent)
	}
}
