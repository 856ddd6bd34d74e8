package voice

import "time"

// phase is where a conversation is on its way to the next agent or its end.
type phase int

const (
	// conversing: caller and agent take turns.
	conversing phase = iota
	// greetingPending: the same; the agent that received the call by a handoff has not
	// greeted the caller yet, because the caller was speaking.
	greetingPending
	// handingOff: the providers of the agent that receives the call are being opened.
	handingOff
	// changingLanguage: the caller's turn is over, and the providers of the language that they speak now are being opened.
	changingLanguage
	// transferring: the caller is being connected with a phone number.
	transferring
	// holding: the caller is on hold while a person is dialled and briefed.
	holding
	// bridged: the caller and a person hear each other.
	bridged
	// observing: the same, and the agent writes down what both say.
	observing
	// operated: a person of the tenant has taken the call over, and speaks with the caller.
	operated
	// detectingAnswer: the phone was answered, and it is not known by whom. The opening is generated, and nothing is audible.
	detectingAnswer
	// identifying: the agent tells an assistant who is calling.
	identifying
	// leavingMessage: the agent waits for its turn to speak on a mailbox, then leaves its message.
	leavingMessage
	// navigating: the agent finds its way through a menu.
	navigating
	// apologizing: a provider failed without a replacement, or the call has cost as much as it may; the agent says so.
	apologizing
	// closing: the call ends at Session.endAt.
	closing
	phases
)

// takesTurns reports whether actions of turn detection are executed.
func (p phase) takesTurns() bool { return p == conversing || p == greetingPending }

// talks reports whether caller and agent speak with each other, and neither is on hold or connected with a person.
func (p phase) talks() bool {
	return p != transferring && p != holding && p != bridged && !p.writesDown()
}

// writesDown reports whether the agent writes down what the caller says, and says nothing.
func (p phase) writesDown() bool { return p == observing || p == operated }

// detectsAnswer reports whether the other side is not known to be a person yet.
func (p phase) detectsAnswer() bool {
	return p == detectingAnswer || p == identifying || p == leavingMessage || p == navigating
}

// ends reports whether the call ends after this phase.
func (p phase) ends() bool { return p == apologizing || p == closing }

// farewellTail is how long the line stays open after the agent's last frame: the
// caller's side still plays what it has buffered.
const farewellTail = 300 * time.Millisecond
