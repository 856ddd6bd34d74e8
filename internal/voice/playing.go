package voice

import (
	"context"
	"time"

	"parley/internal/voice/generation"
)

// handleReport handles an event of an answer that is being generated. Events of an answer that was dropped are ignored.
func (s *Session) handleReport(ctx context.Context, r generation.Report) {
	if e, ok := r.Event.(generation.ModelReplaced); ok { // of whatever answer
		s.providers.RecordModelReplaced(e.Failure)
		return
	}
	a, queue := s.current, s.queue
	if s.suspended != nil && r.Answer == s.suspended.answer.Answer {
		a, queue = s.suspended.answer, s.suspended.queue
	}
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
		if a != s.current {
			s.stopSuspended(r.At) // tools are for a caller who lets the agent speak
			return
		}
		s.runTools(ctx, e.Round)
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
		if a != s.current {
			s.stopSuspended(r.At)
		}
		s.handleConversationFailed(ctx, e)
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
		if a != s.current {
			s.stopSuspended(r.At)
		}
		s.handleVoiceFailed(ctx, a, e)
	case generation.Failed:
		a.failure = e.Err
	}
}

// sendFrame sends a frame of the agent's audio to the line.
func (s *Session) sendFrame(pcm []int16) error {
	s.listener.Played(pcm, time.Now())
	return s.options.Line.Play(pcm)
}

// playDueFrames plays the frames that are due.
func (s *Session) playDueFrames(ctx context.Context, now time.Time) {
	before := s.queue.Played()
	if err := s.queue.PlayDue(now); err != nil {
		s.options.Log.DebugContext(ctx, "line refuses audio", "error", err)
	}
	if s.queue.Played() == before {
		return
	}
	s.lastPlayed = now
	if s.current.isSilencePrompt {
		s.silence.promptSince = now
	} else {
		s.silence.recordActivity(now)
	}
	s.current.SetBuffered(s.queue.Buffered())
	if before == 0 {
		s.current.firstPlayed = now
		s.detector.AgentAudible(now)
	}
	s.agentState.set(Speaking)
	if s.agentCaptions.isDue(now) {
		s.agentCaptions.update(s.queue.SpokenText(), now)
	}
}

// handlePlayoutEnd handles the end of an answer's playout.
func (s *Session) handlePlayoutEnd(ctx context.Context, now time.Time) {
	a := s.current
	next := a.followUp
	a.followUp = nil
	s.stopAnswer(now)
	a.followUp = next
	if a.failure != nil {
		s.failCall(ctx, problemOfError(a.failure, s.router.Agent()))
	}
	if answered := handlersByPhase[s.phase].onAnswered; answered != nil {
		answered(s, ctx, a, now)
	}
}

// closeAfterApology ends the call after the apology.
func (s *Session) closeAfterApology(_ context.Context, _ *answer, now time.Time) {
	if s.current == nil {
		s.endCallAt(now.Add(farewellTail), s.end)
	}
}
