package voice

import (
	"time"

	"parley/internal/voice/generation"
	"parley/internal/voice/routing"
)

// waitTextRepeat is the least silence before each further text of on_wait.
const waitTextRepeat = 4 * time.Second

// roundInSilence returns the round that the current answer waits for while nothing is audible; nil for none.
func (t *toolRunner) roundInSilence(o *agentOutput) *generation.Round {
	if o.current == nil || o.queue.Paused() || o.queue.Ready() {
		return nil
	}
	return t.executor.RoundOf(o.current.Answer)
}

// waitAfter returns after how much silence the agent says something while it waits for a round: its tool's filler or texts of on_wait,
// or else, once an answer, a fixed text; 0 for never.
func (s *Session) waitAfter(r *generation.Round) time.Duration {
	x := r.SpeaksOnWait()
	switch {
	case x == nil && s.output.current.fillers == 0, x != nil && x.Tool.Config.Filler != nil && s.output.current.fillers == 0 && *x.Tool.Config.Filler != "":
		return s.settings.FillerAfter
	case x == nil || x.Tool.Config.OnWait == nil || r.WaitTexts >= len(x.Tool.Config.OnWait.Text):
		return 0
	}
	after := s.settings.FillerAfter
	if ms := x.Tool.Config.OnWait.AfterMS; ms != nil {
		after = time.Duration(*ms) * time.Millisecond
	}
	if r.WaitTexts > 0 && after > 0 {
		after = max(after, waitTextRepeat)
	}
	return after
}

// waitText returns the text that waitAfter is about.
func (s *Session) waitText(r *generation.Round) routing.Rendered {
	x := r.SpeaksOnWait()
	switch {
	case x == nil:
		return s.fixedText(waitText)
	case x.Tool.Config.Filler != nil:
		return routing.Rendered{Text: *x.Tool.Config.Filler, Fixed: true}
	}
	text := x.Tool.Config.OnWait.Text[r.WaitTexts]
	filled := x.Tool.Config.WaitText(text, x.Call.Arguments, s.router.ToolScope(x.Round.Answer.Agent, x.Tool))
	return routing.Rendered{Text: filled, Fixed: filled == text}
}

// waitTextAt returns when the next text is due; zero for never.
func (s *Session) waitTextAt() time.Time {
	r := s.tools.roundInSilence(s.output)
	if r == nil || s.providers.UsesRealtime() {
		return time.Time{}
	}
	after := s.waitAfter(r)
	if after <= 0 {
		return time.Time{}
	}
	since := r.StartedAt
	for _, later := range []time.Time{s.output.lastPlayed, r.WaitTextAt} {
		if later.After(since) {
			since = later
		}
	}
	return since.Add(after)
}

// speakOnWait has the agent speak the next text when it is due.
func (s *Session) speakOnWait(now time.Time) {
	r := s.tools.roundInSilence(s.output)
	if r == nil {
		return
	}
	s.agentState.set(Thinking)
	if due := s.waitTextAt(); due.IsZero() || now.Before(due) {
		return
	}
	text := s.waitText(r)
	r.WaitTexts, r.WaitTextAt = r.WaitTexts+1, now
	if text.Text != "" {
		s.output.current.fillers++
		s.output.current.SayFiller(text)
	}
}
