// Package turn detects turns: who speaks, when the caller's turn is over, and
// when the caller interrupts the agent (barge-in).
//
// A Detector receives speech activity and transcripts with the time of each,
// and answers with an Action for the session to carry out. It has no clock and
// no goroutine. What it may do in which state is the table transitions, which
// docs/turn-taking.md draws.
package turn

// State is where a conversation is between its two sides.
type State int

// The states. In the last three it is the agent's turn.
const (
	Listening      State = iota // neither side speaks, and no words of the caller wait for an answer
	CallerSpeaking              // the voice activity detector hears speech
	Transcribing                // the caller fell silent; a transcript or the endpoint is awaited
	Generating                  // the same, and an answer is generated preemptively
	AgentThinking               // the agent's answer is on the way
	AgentSpeaking               // the answer is audible
	Paused                      // the agent's audio is paused: somebody speaks over it
	states
)

var stateNames = [states]string{"Listening", "CallerSpeaking", "Transcribing", "Generating", "AgentThinking", "AgentSpeaking", "Paused"}

func (s State) String() string { return stateNames[s] }

// agentsTurn reports whether it is the agent's turn to speak.
func (s State) agentsTurn() bool { return s >= AgentThinking }

// Action is what the session has to do.
type Action int

// The actions.
const (
	// None: nothing until the next event or deadline.
	None Action = iota
	// Generate an answer to the words so far, preemptively: play none of it.
	Generate
	// Discard the preemptive answer: the caller goes on, or said nothing.
	Discard
	// Commit: the caller's turn is over. The session calls TurnTaken when it
	// takes the turn.
	Commit
	// Pause the agent's audio: somebody speaks over it.
	Pause
	// Resume the paused audio: it was a cough or a backchannel.
	Resume
	// Interrupt: barge-in. Drop the agent's audio.
	Interrupt
	// Continue what was interrupted: the interruption held no word.
	Continue
	actions
)

var actionNames = [actions]string{"", "Generate", "Discard", "Commit", "Pause", "Resume", "Interrupt", "Continue"}

func (a Action) String() string { return actionNames[a] }
