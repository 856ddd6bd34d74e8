package voice

import (
	"context"

	"parley/internal/voice/generation"
)

// handleReport handles an event of an answer that is being generated. Events of an answer that was cancelled are ignored.
func (s *Session) handleReport(ctx context.Context, r generation.Report) {
	if e, ok := r.Event.(generation.ModelReplaced); ok { // of any answer
		s.providers.RecordModelReplaced(e.Failure)
		return
	}
	a, queue := s.output.find(r.Answer)
	if a == nil {
		if e, ok := r.Event.(generation.UsageReceived); ok { // they are billed
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
		if a != s.output.current {
			s.stopSuspended(r.At) // an interrupted answer runs no tools
			return
		}
		s.tools.run(ctx, e.Round)
	case generation.UsageReceived:
		a.usage.InputTokens += e.Usage.InputTokens
		a.usage.OutputTokens += e.Usage.OutputTokens
	case generation.AudioReceived:
		if a.firstAudio.IsZero() && len(e.Speech.PCM) > 0 {
			a.firstAudio = r.At
		}
		queue.Append(e.Speech)
		a.SetBuffered(queue.Buffered())
	case generation.TextExtended:
		queue.ExtendText(e.Text)
	case generation.ConversationFailed:
		if a != s.output.current {
			s.stopSuspended(r.At)
		}
		s.handleConversationFailed(ctx, a, e)
	case generation.UtteranceEnded:
		queue.RestartWordTimes()
	case generation.AudioEnded:
		a.audioEnded = true
		queue.End()
	case generation.DropIncompleteRequested:
		e.Unspoken <- queue.DropIncomplete()
	case generation.FailureSurvived:
		p := problemOf(e.Failure)
		p.Critical = false
		s.problems.report(p)
	case generation.FunctionsMisused:
		s.problems.report(Problem{Service: ToolUse, Provider: e.Provider, Agent: a.Agent, At: r.At, Message: e.Message})
	case generation.VoiceFailed:
		if a != s.output.current {
			s.stopSuspended(r.At)
		}
		s.handleVoiceFailed(ctx, a, e)
	case generation.Failed:
		a.failure = e.Err
	}
}
