package voice

import "time"

// isHeldSilent reports whether nobody hears the agent: the caller's phone has the call on hold, and no person is spoken to.
func (s *Session) isHeldSilent() bool { return s.held && s.transfer.playsTo() == nil }

// setHeld puts the conversation on hold, or resumes it. On hold the caller hears nothing: the agent's speech stops and goes on later,
// the caller's audio counts as silence, and silence of the call ends nothing.
func (s *Session) setHeld(held bool, now time.Time) {
	if held == s.held {
		return
	}
	s.held = held
	s.silence.recordActivity(now)
	s.latency.exclude(now)
	s.options.Journal.HoldChanged(held, now)
}
