package voice

import (
	"context"
	"time"

	"parley/internal/dialogue"
)

// silenceInstruction gives the model, and the history, the reason for a silence prompt.
const silenceInstruction = "The caller has been silent for a while. Ask in a few words whether they are still there."

// lateResult instructs the model to report results that came late.
const lateResult = "A function that was still running has ended; its result is above. Tell the caller what matters of it now."

// silenceTimeoutAt returns when silence ends the call; zero for never. A silence prompt is no sign of life of the
// caller: the timeout does not count it, but waits for its end.
func (s *Session) silenceTimeoutAt() time.Time {
	if s.silence.timeout <= 0 || s.phase == closing || s.current != nil && s.current.isSilencePrompt {
		return time.Time{}
	}
	return s.silence.since.Add(s.silence.timeout)
}

// silencePromptAt returns when the agent asks whether the caller is still there; zero for never.
func (s *Session) silencePromptAt() time.Time {
	if s.settings.SilencePromptAfter == 0 || s.silence.prompts >= s.settings.SilencePrompts || !s.isIdle() || s.providers.Recognition() == nil {
		return time.Time{}
	}
	return s.silence.promptSince.Add(s.settings.SilencePromptAfter)
}

// speakUnprompted has the agent speak without a turn of the caller, if there is a reason: silence, or late results of
// tools.
func (s *Session) speakUnprompted(ctx context.Context, now time.Time) {
	if due := s.silencePromptAt(); !due.IsZero() && !now.Before(due) {
		s.speakSilencePrompt(ctx)
	} else if s.lateResults {
		s.generateOnInstruction(ctx, lateResult)
	}
}

// speakSilencePrompt has the agent ask whether the caller is still there.
func (s *Session) speakSilencePrompt(ctx context.Context) {
	s.silence.prompts++
	text := s.router.Render(s.settings.SilencePrompt)
	s.reportWarnings(s.router.Agent())
	if text == "" {
		s.generateOnInstruction(ctx, silenceInstruction)
	} else {
		s.history.Add(dialogue.RoleSystem, silenceInstruction)
		s.speakFixedText(ctx, text)
	}
	s.current.isSilencePrompt = true
}
