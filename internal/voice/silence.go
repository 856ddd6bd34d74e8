package voice

import (
	"context"
	"time"

	"parley/internal/dialogue"
)

// silenceTracker tracks how long neither side has spoken and no tool has run.
type silenceTracker struct {
	timeout     time.Duration // the silence that ends the call; 0 for never
	since       time.Time     // of the last activity, except silence prompts
	promptSince time.Time     // of the last activity, with silence prompts
	prompts     int           // silence prompts since the caller's last turn
}

// recordActivity restarts the measurement: somebody speaks, or tools run.
func (t *silenceTracker) recordActivity(now time.Time) { t.since, t.promptSince = now, now }

// silenceInstruction is the instruction for a silence prompt; with a fixed text it only explains the text in the history.
const silenceInstruction = "The caller has been silent for a while. Ask in a few words whether they are still there."

// lateResult instructs the model to report results that no answer awaited.
const lateResult = "A function that was still running has ended; its result is above. Tell the caller what matters of it now."

// silenceTimeoutAt returns when silence ends the call; zero for never. A silence prompt does not restart the timeout, but
// is not interrupted by it.
func (s *Session) silenceTimeoutAt() time.Time {
	if s.silence.timeout <= 0 || s.held || s.transfer != nil || s.phase == operated || s.phase == closing || s.output.current != nil && s.output.current.isSilencePrompt {
		return time.Time{}
	}
	return s.silence.since.Add(s.silence.timeout)
}

// silencePromptAt returns when the silence prompt is due: the agent asks whether the caller is still there, or speaks the greeting that
// waits for the caller's first words; zero for never.
func (s *Session) silencePromptAt() time.Time {
	if s.muted {
		return time.Time{}
	}
	if s.greetingWaits && !s.held && s.isIdle() {
		return s.silence.promptSince.Add(firstWordsWait)
	}
	if s.settings.SilencePromptAfter == 0 || s.held || s.silence.prompts >= s.settings.SilencePrompts || !s.isIdle() || s.providers.Recognition() == nil {
		return time.Time{}
	}
	return s.silence.promptSince.Add(s.settings.SilencePromptAfter)
}

// speakUnprompted has the agent speak without a turn of the caller if a silence prompt is due, or a tool has ended late.
func (s *Session) speakUnprompted(ctx context.Context, now time.Time) {
	if len(s.controls) > 0 {
		s.executeWaitingControl(ctx, now)
	} else if due := s.silencePromptAt(); !due.IsZero() && !now.Before(due) {
		if s.greetingWaits {
			s.greet(ctx, openingInstruction)
			return
		}
		s.speakSilencePrompt(ctx)
	} else if due := s.lateResultAt(); !due.IsZero() && !now.Before(due) {
		s.generateOnInstruction(ctx, lateResult)
	}
}

// lateResultPause is the least silence before the agent speaks of a late result: the caller may be about to answer.
const lateResultPause = 700 * time.Millisecond

// lateResultAt returns when the agent is to speak of results that no answer awaited; zero for never.
func (s *Session) lateResultAt() time.Time {
	if s.tools.readResults == s.tools.lateResults || s.held || s.muted || !s.isIdle() {
		return time.Time{}
	}
	due := s.tools.lateAt
	for _, spoken := range []time.Time{s.output.lastPlayed, s.detector.LastSpeech()} {
		if later := spoken.Add(lateResultPause); later.After(due) {
			due = later
		}
	}
	return due
}

// speakSilencePrompt has the agent ask whether the caller is still there: in its configured words, or in the model's.
func (s *Session) speakSilencePrompt(ctx context.Context) {
	s.silence.prompts++
	text := s.router.RenderText(s.settings.SilencePrompt)
	s.reportRouting()
	if text.Text == "" {
		s.generateOnInstruction(ctx, silenceInstruction)
	} else {
		s.history.Add(dialogue.RoleSystem, silenceInstruction)
		s.speakFixedText(ctx, text)
	}
	s.output.current.isSilencePrompt = true
}
