package voice

import (
	"context"
	"time"

	"parley/internal/dialogue"
)

// silenceInstruction tells the model, and the history, why the agent speaks.
const silenceInstruction = "The caller has been silent for a while. Ask in a few words whether they are still there."

// silenceTracker is how long nobody has been heard.
type silenceTracker struct {
	timeout    time.Duration // that ends the call; 0 for never
	since      time.Time     // when either side was heard last, silence prompts not counted
	quietSince time.Time     // the same, counting them
	prompts    int           // since the caller's last turn
}

// interrupt notes that somebody is heard, or at work.
func (t *silenceTracker) interrupt(now time.Time) { t.since, t.quietSince = now, now }

// silenceTimeoutAt is when silence ends the call; zero for never as things stand.
// A silence prompt is no sign of life of the caller: the timeout does not count
// it, but lets it be heard to its end.
func (s *Session) silenceTimeoutAt() time.Time {
	if s.silence.timeout <= 0 || s.phase == closing || s.current != nil && s.current.asksSilent {
		return time.Time{}
	}
	return s.silence.since.Add(s.silence.timeout)
}

// silencePromptAt is when the agent asks whether the caller is still there; zero
// for not as things stand.
func (s *Session) silencePromptAt() time.Time {
	if s.settings.SilencePromptAfter == 0 || s.silence.prompts >= s.settings.SilencePrompts || !s.isIdle() || s.providers.Recognition() == nil {
		return time.Time{}
	}
	return s.silence.quietSince.Add(s.settings.SilencePromptAfter)
}

// speakUnprompted has the agent speak without a word of the caller, where there is
// a reason: silence, or results of tools that came late.
func (s *Session) speakUnprompted(ctx context.Context, now time.Time) {
	if due := s.silencePromptAt(); !due.IsZero() && !now.Before(due) {
		s.promptSilence(ctx)
	} else if s.lateResults {
		s.instruct(ctx, lateResult)
	}
}

// promptSilence asks whether the caller is still there.
func (s *Session) promptSilence(ctx context.Context) {
	s.silence.prompts++
	text := s.router.Render(s.settings.SilencePrompt)
	s.reportWarnings(s.router.Agent())
	if text == "" {
		s.instruct(ctx, silenceInstruction)
	} else {
		s.history.Add(dialogue.RoleSystem, silenceInstruction)
		s.speak(ctx, text)
	}
	s.current.asksSilent = true
}
