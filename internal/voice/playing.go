package voice

import (
	"context"
	"time"

	"parley/internal/voice/generation"
)

// handleReport handles an event of an answer in the making. Events of an answer
// that was dropped are late and do nothing.
func (s *Session) handleReport(ctx context.Context, r generation.Report) {
	if e, ok := r.Event.(generation.ModelReplaced); ok { // of whatever answer
		s.providers.ModelReplaced(e.Failure)
		return
	}
	a := s.current
	if a == nil || r.Answer != a.Answer {
		if e, ok := r.Event.(generation.UsageReceived); ok { // paid for all the same
			s.reportUsage(r.Answer.Agent, e.Usage)
		}
		return
	}
	switch e := r.Event.(type) {
	case generation.FirstToken:
		if a.firstToken.IsZero() {
			a.firstToken = r.At
		}
	case generation.TextSent:
		a.firstText = r.At
	case generation.CallsReceived:
		a.calls = append(a.calls, e.Calls...)
	case generation.ToolsRequested:
		s.runTools(ctx, e.Round)
	case generation.UsageReceived:
		a.usage.InputTokens += e.Usage.InputTokens
		a.usage.OutputTokens += e.Usage.OutputTokens
	case generation.AudioReceived:
		if a.firstAudio.IsZero() && len(e.Speech.PCM) > 0 {
			a.firstAudio = r.At
		}
		s.queue.Append(e.Speech)
		a.SetBuffered(s.queue.Buffered())
	case generation.UtteranceEnded:
		s.queue.RestartWordTimes()
	case generation.AudioEnded:
		a.audioEnded = true
		s.queue.End()
	case generation.IncompleteDropped:
		e.Unspoken <- s.queue.DropIncomplete()
	case generation.Warned:
		p := problemOf(e.Failure)
		p.Critical = false
		s.problems.report(p)
	case generation.FunctionsMisused:
		s.problems.report(Problem{Service: ToolUse, Provider: e.Provider, Agent: a.Agent, At: r.At, Message: e.Message})
	case generation.VoiceFailed:
		s.handleVoiceFailed(ctx, a, e)
	case generation.Failed:
		a.failure = e.Err
	}
}

// playDue plays the frames that are due.
func (s *Session) playDue(ctx context.Context, now time.Time) {
	before := s.queue.Played()
	if err := s.queue.PlayDue(now); err != nil {
		s.o.Log.DebugContext(ctx, "line refuses audio", "error", err)
	}
	if s.queue.Played() == before {
		return
	}
	s.lastPlayed = now
	if s.current.asksSilent {
		s.silence.quietSince = now
	} else {
		s.silence.interrupt(now)
	}
	s.current.SetBuffered(s.queue.Buffered())
	if before == 0 {
		s.current.firstPlayed = now
		s.detector.AgentAudible(now)
	}
	s.client.set(Speaking)
	if s.agentCaptions.isDue(now) {
		s.agentCaptions.update(s.queue.SpokenText(), now)
	}
}

// finishAnswer follows an answer that was played to its end.
func (s *Session) finishAnswer(ctx context.Context, now time.Time) {
	a := s.current
	next := a.next
	a.next = nil
	s.settleAnswer(now)
	a.next = next
	if a.failure != nil {
		s.fail(ctx, problemOfError(a.failure, s.router.Agent()))
	}
	if answered := reactions[s.phase].answered; answered != nil {
		answered(s, ctx, a, now)
	}
}

// closeAfterApology ends the call once nothing more is to be said.
func (s *Session) closeAfterApology(_ context.Context, _ *answer, now time.Time) {
	if s.current == nil {
		s.closeAt(now.Add(farewellTail), s.end)
	}
}
