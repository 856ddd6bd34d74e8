package turn

import "time"

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
