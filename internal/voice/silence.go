package voice

import (
	"context"
	"time"

	"parley/internal/dialogue"
)

// silenceCue tells the model, and the history, why the agent speaks.
const silenceCue = "The caller has been silent for a while. Ask in a few words whether they are still there."

// quiet is how long nobody has been heard.
type quiet struct {
	since    time.Time // when either side was heard last, silence prompts not counted
	prompted time.Time // the same, counting them
	prompts  int       // since the caller's last turn
}

// broken notes that somebody is heard, or at work.
func (q *quiet) broken(now time.Time) { q.since, q.prompted = now, now }

// silenceDue is when silence ends the call; zero for never as things stand.
func (s *Session) silenceDue() time.Time {
	if s.o.SilenceTimeout <= 0 || !s.endAt.IsZero() || s.prompting() {
		return time.Time{}
	}
	return s.quiet.since.Add(s.o.SilenceTimeout)
}

// prompting reports whether a silence prompt is being made or spoken. It is no
// sign of life of the caller: the silence timeout does not count it, but lets it
// be heard to its end.
func (s *Session) prompting() bool { return s.current != nil && s.current.prompts }

// promptDue is when the agent asks whether the caller is still there; zero for
// not as things stand.
func (s *Session) promptDue() time.Time {
	if s.options.SilencePromptAfter == 0 || s.quiet.prompts >= s.options.SilencePrompts || !s.idle() || s.cast.recognition == nil || s.listen.Speaking() {
		return time.Time{}
	}
	return s.quiet.prompted.Add(s.options.SilencePromptAfter)
}

// promptSilence asks, when it is time, whether the caller is still there.
func (s *Session) promptSilence(ctx context.Context, now time.Time) {
	due := s.promptDue()
	if due.IsZero() || now.Before(due) {
		return
	}
	s.quiet.prompts++
	if text := s.render(s.options.SilencePrompt); text == "" {
		s.cue(ctx, silenceCue)
	} else {
		s.history = append(s.history, dialogue.Message{Role: dialogue.RoleSystem, Content: silenceCue})
		s.recite(ctx, text)
	}
	s.current.prompts = true
}
