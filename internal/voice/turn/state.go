// Package turn detects turns: who speaks, when the caller's turn is over, and
// when the caller interrupts the agent (barge-in).
//
// A Detector receives speech activity and transcripts with the time of each,
// and answers with an Action for the session to carry out. It has no clock and
// no goroutine. What it may do in which state is the table transitions, which
// docs/turn-taking.md draws.
package turn

import "time"

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

// trigger is what makes a transition possible: an input (speech, a transcript,
// time), or something that the session did.
type trigger int

const (
	onInput trigger = iota
	onTurnTaken
	onAgentStarted
	onAgentAudible
	onAgentStopped
	onGenerationDropped
)

// transition is one row of the state table.
type transition struct {
	from   []State
	on     trigger
	when   func(d *Detector, now time.Time) bool // nil: always
	to     State
	action Action
	label  string // in the diagram
}

var (
	callersTurn = []State{Listening, CallerSpeaking, Transcribing, Generating}
	agentsTurn  = []State{AgentThinking, AgentSpeaking, Paused}
)

// transitions is turn detection as a whole. Of the rows for a state and trigger
// the first whose condition holds applies. After a transition on input without
// an action the next one is looked for, until there is an action or none applies.
var transitions = []transition{
	{[]State{Listening, Transcribing}, onInput, (*Detector).callerIsSpeaking, CallerSpeaking, None, "60 ms of speech"},
	{[]State{Generating}, onInput, (*Detector).callerIsSpeaking, CallerSpeaking, Discard, "60 ms of speech"},
	{[]State{CallerSpeaking}, onInput, (*Detector).callerIsSilent, Transcribing, None, "200 ms of silence"},
	{[]State{Listening}, onInput, (*Detector).turnIsOpen, Transcribing, None, "a transcript of soft speech"},
	{[]State{Listening}, onInput, (*Detector).wasInterruptedByNoise, Listening, Continue, "an interruption held no word"},
	{[]State{Transcribing}, onInput, (*Detector).turnIsEmpty, Listening, None, "nothing was said"},
	{[]State{Generating}, onInput, (*Detector).wordsRetractedAndDue, Transcribing, Discard, "the words are taken back"},
	{[]State{Generating}, onInput, (*Detector).wordsRetracted, Listening, Discard, "the words are taken back"},
	{[]State{Transcribing}, onInput, (*Detector).endpointReached, Transcribing, Commit, "endpoint"},
	{[]State{Generating}, onInput, (*Detector).endpointReached, Generating, Commit, "endpoint"},
	{[]State{Transcribing}, onInput, (*Detector).worthAnswering, Generating, Generate, "final transcript, or an interim one that stood for 150 ms"},
	{[]State{Generating}, onInput, (*Detector).worthAnswering, Generating, Generate, "other words"},
	{agentsTurn, onInput, (*Detector).spokenOverByWords, CallerSpeaking, Interrupt, "a word, or interrupt_after_ms of speech"},
	{agentsTurn, onInput, (*Detector).wordsWithoutSpeech, Transcribing, Interrupt, "a word in a late transcript, or typed"},
	{[]State{AgentThinking, AgentSpeaking}, onInput, (*Detector).spokenOver, Paused, Pause, "pause_after_ms of speech"},
	{[]State{Paused}, onInput, (*Detector).silentAgainBeforeAudio, AgentThinking, Resume, "resume_after_ms of silence before the first audio"},
	{[]State{Paused}, onInput, (*Detector).silentAgain, AgentSpeaking, Resume, "resume_after_ms of silence"},

	{[]State{Transcribing, Generating}, onTurnTaken, nil, AgentThinking, None, "the turn is taken"},
	{callersTurn, onAgentStarted, nil, AgentThinking, None, "the agent speaks first"},
	{[]State{AgentThinking}, onAgentAudible, nil, AgentSpeaking, None, "first audio"},
	{agentsTurn, onAgentStopped, (*Detector).callerIsSpeaking, CallerSpeaking, None, "the answer ends while the caller speaks"},
	{agentsTurn, onAgentStopped, (*Detector).turnIsOpen, Transcribing, None, "the answer ends, and the caller said something"},
	{agentsTurn, onAgentStopped, nil, Listening, None, "the answer ends"},
	{[]State{Generating}, onGenerationDropped, nil, Transcribing, None, "nothing is generated"},
}

// rows are the transitions by state and trigger.
var rows = func() (rows [states][onGenerationDropped + 1][]*transition) {
	for i := range transitions {
		t := &transitions[i]
		for _, from := range t.from {
			rows[from][t.on] = append(rows[from][t.on], t)
		}
	}
	return rows
}()

// step makes the transitions that a trigger leads to, and returns the action.
func (d *Detector) step(on trigger, now time.Time) Action {
	for {
		t := d.next(on, now)
		if t == nil {
			return None
		}
		d.state = t.to
		if t.action != None || on != onInput {
			return t.action
		}
	}
}

func (d *Detector) next(on trigger, now time.Time) *transition {
	for _, t := range rows[d.state][on] {
		if t.when == nil || t.when(d, now) {
			return t
		}
	}
	return nil
}
