package voice

import "time"

// phase is where a conversation is on its way to the next agent or its end.
type phase int

const (
	// conversing: caller and agent take turns.
	conversing phase = iota
	// greetingPending: the same; an agent that got the call by a handoff has not spoken
	// yet, because the caller was speaking.
	greetingPending
	// handingOff: the call goes over to an agent whose providers are being opened.
	handingOff
	// transferring: the caller is being connected with another number.
	transferring
	// apologizing: a provider failed for good; the agent's last words are spoken.
	apologizing
	// closing: the call ends at a known time.
	closing
	phases
)

// takesTurns reports whether actions of turn detection are carried out.
func (p phase) takesTurns() bool { return p == conversing || p == greetingPending }

// ends reports whether the call is bound to end.
func (p phase) ends() bool { return p == apologizing || p == closing }

// farewellTail is how long the line stays open after the last frame, so that the
// caller's side plays it out.
const farewellTail = 300 * time.Millisecond
