package voice

import (
	"context"
	"time"

	"parley/internal/voice/generation"
	"parley/internal/voice/providers"
)

// handleProvidersOpened puts providers that were opened into use.
func (s *Session) handleProvidersOpened(ctx context.Context, o providers.Opened) {
	newRecognition := s.providers.ApplyOpened(ctx, o)
	if ctx.Err() != nil { // the call is over
		return
	}
	if newRecognition {
		s.input.replay(s.providers.Recognition(), time.Now())
	}
	if o.Err == nil {
		s.resumeAfterOpening(ctx)
	}
	switch {
	case o.Agent != s.router.Agent(), o.Language != s.router.Language():
		s.providers.Open(ctx, s.agentSpec())
	case o.Err != nil:
		s.failCall(ctx, problemOfError(o.Err, s.router.Agent()))
	case s.providers.CanReplaceVoice(s.router.Config()), s.providers.Recognition() == nil && !s.phase.ends():
		s.providers.Open(ctx, s.agentSpec()) // one failed meanwhile
	default:
		handlersByPhase[s.phase].onProvidersOpened(s, ctx)
	}
}

// handleRecognitionEnd replaces a recognition that ended: by one of the same
// recogniser, or of its fallback.
func (s *Session) handleRecognitionEnd(ctx context.Context, now time.Time) {
	failure, replacement := s.providers.HandleRecognitionEnd(s.agentSpec(), now)
	if ctx.Err() != nil {
		return
	}
	s.replaceRecognition(ctx, failure, replacement, now)
}

// replaceRecognition opens the replacement of a recognition that failed, or, without one, fails the call.
func (s *Session) replaceRecognition(ctx context.Context, failure providers.Failure, replacement providers.Replacement, now time.Time) {
	s.detector.RecognitionLost(now)
	switch replacement {
	case providers.NoReplacement:
		s.failCall(ctx, problemOf(failure))
		return
	case providers.Reopening:
		p := problemOf(failure)
		p.Critical = false
		s.problems.report(p)
	}
	s.providers.Open(ctx, s.agentSpec())
}

// handleVoiceFailed replaces the voice of an answer, if there is another one.
func (s *Session) handleVoiceFailed(ctx context.Context, a *answer, e generation.VoiceFailed) {
	switch s.providers.ReplaceVoice(e.Choice, s.agentSpec(), e.Err) {
	case providers.Ready:
		a.awaitsVoice = true
		s.sendReplacementVoice(ctx)
	case providers.Opening:
		a.awaitsVoice = true
		s.providers.Open(ctx, s.agentSpec())
	default:
		a.failure = providers.NewFailure(e.Choice, s.router.Agent(), e.Err)
		a.NoReplacementVoice()
	}
}

// sendReplacementVoice sends the open voice to the current answer, if that waits for one.
func (s *Session) sendReplacementVoice(context.Context) {
	if s.output.current != nil && s.output.current.awaitsVoice {
		s.output.current.awaitsVoice = false
		s.output.current.ReplaceVoice(s.speaker())
	}
}

// failCall reports a problem that ends the call.
func (s *Session) failCall(ctx context.Context, p Problem) {
	s.problems.report(p)
	handlersByPhase[s.phase].onFailure(s, ctx, p)
}

// apologize ends the call because of a provider's failure, after an apology if
// there is a voice to speak it, or its speech is cached.
func (s *Session) apologize(ctx context.Context, p Problem) {
	s.sayBeforeEnd(ctx, apologyText, ProviderError, p.Service != TTS && s.providers.HasVoice())
}

// sayBeforeEnd ends the call after a text, if there is a voice to speak it, or its speech is cached.
func (s *Session) sayBeforeEnd(ctx context.Context, t fixedText, end End, hasVoice bool) {
	s.stopAnswer(time.Now())
	s.phase, s.end = apologizing, end
	text := s.fixedText(t)
	if !hasVoice {
		s.startAnswer(ctx, "", false).SpeakCached(&s.work, s.speaker(), text)
		return
	}
	s.speakFixedText(ctx, text)
}

// closeWithoutVoice ends the call at once if the last answer waits for a voice: there is none.
func (s *Session) closeWithoutVoice(context.Context, Problem) {
	if s.output.current != nil && s.output.current.awaitsVoice {
		s.stopAnswer(time.Now())
		s.endCallAt(time.Now(), s.end)
	}
}
