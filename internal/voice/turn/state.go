// Package turn detects turns: who speaks, when the caller's turn is over, and
// when the caller interrupts the agent (barge-in).
//
// A Detector receives speech activity and transcripts with the time of each,
// and returns the Action that the session has to execute. It has no clock and no
// goroutine. The table transitions defines it; docs/turn-taking.md shows it.
package turn

import "time"

// State is the turn state of a conversation.
type State int

// The states. The last four are the agent's turn.
const (
	Listening      State = iota // neither side speaks, and no words of the caller are unanswered
	CallerSpeaking              // the voice activity detector reports speech
	Transcribing                // the caller fell silent; a transcript or the endpoint is awaited
	Generating                  // the same, while an answer is generated preemptively
	AgentThinking               // the agent's answer is being generated
	AgentSpeaking               // the answer is audible
	Ducked                      // the same at a lower volume: there is a sound over it
	Paused                      // the answer is paused: somebody speaks over it
	states
)

var stateNames = [states]string{"Listening", "CallerSpeaking", "Transcribing", "Generating", "AgentThinking", "AgentSpeaking", "Ducked", "Paused"}

func (s State) String() string { return stateNames[s] }

// agentsTurn reports whether it is the agent's turn to speak.
func (s State) agentsTurn() bool { return s >= AgentThinking }

// Action is what the session has to do next.
type Action int

// The actions.
const (
	// None: wait for the next event or deadline.
	None Action = iota
	// Generate an answer to the words so far preemptively: do not play it.
	Generate
	// Discard the preemptive answer: the caller continues, or the words were retracted.
	Discard
	// Commit: the caller's turn is over. The session calls TurnCommitted when the
	// answer has started.
	Commit
	// Duck the agent's audio, that is lower its volume: a sound over it may be speech.
	Duck
	// Pause the agent's audio: somebody speaks over it.
	Pause
	// Resume the ducked or paused audio: it was a cough or a backchannel.
	Resume
	// Interrupt: barge-in. Drop the agent's audio.
	Interrupt
	// ResumeInterrupted: resume the answer that was interrupted. It was a false interruption, without a word.
	ResumeInterrupted
	actions
)

var actionNames = [actions]string{"", "Generate", "Discard", "Commit", "Duck", "Pause", "Resume", "Interrupt", "ResumeInterrupted"}

func (a Action) String() string { return actionNames[a] }

// OverlapCause is the reason for an action, or none, while the caller made a sound over the agent.
type OverlapCause string

// The causes.
const (
	Echo        OverlapCause = "echo"        // the agent's own voice
	Noise       OverlapCause = "noise"       // sound without a word
	Backchannel OverlapCause = "backchannel" // words that need no answer
	Word        OverlapCause = "word"        // a recognised word
	SureSpeech  OverlapCause = "sure"        // speech beyond doubt, before a word of it was recognised
)

// stableInterim is how long an interim transcript must be unchanged, once the
// caller is silent, before an answer to it is generated preemptively.
const stableInterim = 150 * time.Millisecond

// lateInterim is the same for an interim transcript that arrived while the caller
// still spoke, and so lacks the last words; counted from the last sound. A final
// transcript that was requested usually arrives earlier.
const lateInterim = 300 * time.Millisecond

// maxFalseInterruptions is how often in a turn sound without a recognised word may interrupt
// the agent: after that, as with a television, only words do.
const maxFalseInterruptions = 3

// uncertainDuckInterval is the least time before sound that may be no speech ducks or
// pauses the agent again.
const uncertainDuckInterval = 30 * time.Second

// louderBy is how much louder than the last such sound, in dB, another one has to be to duck the agent within that time: a
// caller is closer to the microphone than the people around.
const louderBy = 6

// wordlessWait is how long after an interruption without a word the caller's sound may go on without one before it counts
// as noise.
const wordlessWait = 1500 * time.Millisecond

// listenerPause is how long after "okay" in a sound that goes on no other word has to come for the agent to resume.
const listenerPause = 100 * time.Millisecond

// Detector detects turns of one call. It is not safe for concurrent use.
type Detector struct {
	options    Options
	vocabulary vocabulary
	state      State

	callerSpeaks bool
	speechStart  time.Time // of the caller's current or last speech
	lastSpeech   time.Time // last moment of the caller's speech

	transcript
	pauses       pauses
	misjudged    pauses // those after words that the recogniser judged complete
	generatedFor string // the words that the preemptive answer replies to

	audible            bool      // the agent's answer is audible, or was before it was paused
	audibleFrom        time.Time // when it became so
	overlapping        bool      // the caller's current speech began or continued in the agent's turn
	sure               bool      // the caller's current sound is speech beyond doubt
	wordRecognized     bool      // the current input has a word that interrupts the agent
	byNoise            bool      // the agent was interrupted, without a final transcript of a word so far
	falseInterruptions int       // how often ResumeInterrupted was returned in this turn
	cause              OverlapCause
	echo               bool // the caller's last sound was the agent's echo
	noisy              bool // most of the caller's last sound is no speech
	doubtful           bool // text is one short word in a noisy sound over the agent
	confirmed          bool // the current input confirms a doubtful word

	duckedAt, pausedAt time.Time
	uncertainDuckAt    time.Time // when a sound that may be no speech last ducked or paused the agent
	uncertainDuckLevel float64   // of the loudest frame of that sound, dBFS
	loudest            float64   // the loudest frame of the caller's current or last sound, dBFS
	sureFrom           time.Time // from when on the caller's current sound is speech beyond doubt
	wordAt             time.Time // when the recogniser last had a new word
	speechReportedAt   time.Time // when the recogniser reported the beginning of speech; zero once that was used
	sureAt             time.Time // when the caller last spoke beyond doubt
	dismissed          bool      // the caller's current sound counts as noise
}

// transcript is the transcript of the caller's turn so far.
type transcript struct {
	final          string    // all final transcripts
	lastFinal      string    // the last of them
	interim        string    // the newest interim transcript
	interimChanged time.Time // when its text last changed
	interimSeen    time.Time // when it last arrived, changed or not
	likelyComplete bool      // the recogniser expects interim to be the whole turn
	text           string    // final and interim together
	ignored        string    // final words over the agent that had no effect
	ignoredAt      time.Time // when the last of them were said
	reported       bool      // text is a backchannel for which the agent has resumed
	tooLong        bool      // words beyond MaxText were dropped
	unfinished     bool      // text ends in words after which a caller usually continues
	expects        expectation
	part           bool      // text is a part of what the agent has asked for
	backchannel    bool      // text needs no answer
	complete       bool      // the recogniser judges the utterance complete, by its meaning
	wordsComplete  bool      // the recogniser judged the final transcript complete
	speechEnded    bool      // the recogniser measured a silence after the words
	endedAt        time.Time // when the recogniser reported either

	finalDue        bool      // a final transcript is awaited
	waitFrom        time.Time // the wait for it starts here, if that is later than the last speech
	accepted        string    // the interim transcript that was accepted because its final one did not come in time
	interimOrphaned bool      // interim is from a recogniser that has failed
	noRecognizer    bool
}

// trigger is the kind of event of a transition: an input (speech, a transcript,
// time), or a call of the session.
type trigger int

const (
	onInput trigger = iota
	onTurnCommitted
	onAgentStarted
	onAgentAudible
	onAgentStopped
	onGenerationDropped
)

// transition is a row of the state table.
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
	agentsTurn  = []State{AgentThinking, AgentSpeaking, Ducked, Paused}
	notDucked   = []State{AgentThinking, AgentSpeaking, Paused} // the caller may be silent
)

// transitions defines turn detection. Of the rows for a state and trigger the first
// whose condition holds applies. After a transition on input without an action
// another one is made, until there is an action or none applies.
var transitions = []transition{
	{[]State{Listening, Transcribing}, onInput, (*Detector).callerIsSpeaking, CallerSpeaking, None, "60 ms of speech"},
	{[]State{Generating}, onInput, (*Detector).callerIsSpeaking, CallerSpeaking, Discard, "60 ms of speech"},
	{[]State{CallerSpeaking}, onInput, (*Detector).callerIsSilent, Transcribing, None, "200 ms of silence"},
	{[]State{Listening}, onInput, (*Detector).turnIsOpen, Transcribing, None, "a transcript of soft speech"},
	{[]State{Listening}, onInput, (*Detector).wasInterruptedByNoise, Listening, ResumeInterrupted, "an interruption held no word"},
	{[]State{Transcribing}, onInput, (*Detector).turnIsEmpty, Listening, None, "nothing was said"},
	{[]State{Generating}, onInput, (*Detector).wordsRetractedAndDue, Transcribing, Discard, "the words are retracted"},
	{[]State{Generating}, onInput, (*Detector).wordsRetracted, Listening, Discard, "the words are retracted"},
	{[]State{Transcribing}, onInput, (*Detector).endpointReached, Transcribing, Commit, "endpoint"},
	{[]State{Generating}, onInput, (*Detector).endpointReached, Generating, Commit, "endpoint"},
	{[]State{Transcribing}, onInput, (*Detector).worthGenerating, Generating, Generate, "final transcript, or an interim one that stood for 150 ms"},
	{[]State{Generating}, onInput, (*Detector).worthGenerating, Generating, Generate, "other words"},
	{agentsTurn, onInput, (*Detector).wordsOverAgent, CallerSpeaking, Interrupt, "a word, or interrupt_after_ms of sure speech"},
	{notDucked, onInput, (*Detector).wordsWithoutSpeech, Transcribing, Interrupt, "a word in a late transcript, or typed"},
	{[]State{AgentThinking, AgentSpeaking}, onInput, (*Detector).speechOverAgent, Paused, Pause, "pause_after_ms of sure speech"},
	{[]State{AgentThinking, AgentSpeaking, Ducked}, onInput, (*Detector).wordInNoise, Paused, Pause, "one short word in noise"},
	{[]State{AgentThinking, AgentSpeaking}, onInput, (*Detector).uncertainSoundOverAgent, Ducked, Duck, "pause_after_ms of sound"},
	{[]State{Ducked}, onInput, (*Detector).speechOverAgent, Paused, Pause, "sure speech"},
	{[]State{Ducked}, onInput, (*Detector).soundContinues, Paused, Pause, "duck_ms of sound"},
	{[]State{Ducked}, onInput, (*Detector).soundEndedBeforeAudio, AgentThinking, Resume, "200 ms of silence before the first audio"},
	{[]State{Ducked}, onInput, (*Detector).soundEnded, AgentSpeaking, Resume, "200 ms of silence"},
	{[]State{Paused}, onInput, (*Detector).mayResumeBeforeAudio, AgentThinking, Resume, "resume_after_ms of silence, or pause_limit_ms without a word, before the first audio"},
	{[]State{Paused}, onInput, (*Detector).mayResume, AgentSpeaking, Resume, "resume_after_ms of silence, or pause_limit_ms without a word"},

	{[]State{Transcribing, Generating}, onTurnCommitted, nil, AgentThinking, None, "the turn is committed"},
	{callersTurn, onAgentStarted, nil, AgentThinking, None, "the agent speaks first"},
	{[]State{AgentThinking}, onAgentAudible, nil, AgentSpeaking, None, "first audio"},
	{agentsTurn, onAgentStopped, (*Detector).callerIsSpeaking, CallerSpeaking, None, "the answer ends while the caller speaks"},
	{notDucked, onAgentStopped, (*Detector).turnIsOpen, Transcribing, None, "the answer ends, and the caller said something"},
	{notDucked, onAgentStopped, nil, Listening, None, "the answer ends"},
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

// runTransitions makes the transitions that a trigger causes, and returns the action.
func (d *Detector) runTransitions(on trigger, now time.Time) Action {
	for {
		t := d.findTransition(on, now)
		if t == nil {
			return None
		}
		d.state = t.to
		if t.action != None || on != onInput {
			return t.action
		}
	}
}

func (d *Detector) findTransition(on trigger, now time.Time) *transition {
	for _, t := range rows[d.state][on] {
		if t.when == nil || t.when(d, now) {
			return t
		}
	}
	return nil
}

// The conditions of the table.

func (d *Detector) callerIsSpeaking(time.Time) bool { return d.callerSpeaks }

func (d *Detector) callerIsSilent(time.Time) bool { return !d.callerSpeaks }

func (d *Detector) turnIsOpen(time.Time) bool {
	return !d.callerSpeaks && (d.finalDue || d.text != "")
}

func (d *Detector) turnIsEmpty(time.Time) bool {
	return !d.callerSpeaks && !d.finalDue && d.text == ""
}

func (d *Detector) wasInterruptedByNoise(time.Time) bool { return d.byNoise }

func (d *Detector) wordsRetracted(time.Time) bool { return d.text == "" }

func (d *Detector) wordsRetractedAndDue(time.Time) bool { return d.text == "" && d.finalDue }

// endpointReached reports whether the silence that ends the turn has passed.
func (d *Detector) endpointReached(now time.Time) bool {
	return !d.finalDue && d.final != "" && now.Sub(d.lastSpeech) >= d.endpoint()
}

// endpoint returns the silence that ends the current turn (endpointing).
func (d *Detector) endpoint() time.Duration {
	switch {
	case d.part:
		return d.pauses.endpoint(d.options.EndpointUnfinished, d.options.EndpointMax)
	case d.complete:
		return d.misjudged.endpoint(d.options.EndpointComplete, d.options.EndpointMax)
	case d.unfinished:
		return d.pauses.endpoint(d.options.EndpointUnfinished, d.options.EndpointMax)
	case d.speechEnded:
		return d.pauses.endpoint(d.options.EndpointComplete, d.options.EndpointMax)
	default:
		return d.pauses.endpoint(d.options.EndpointDefault, d.options.EndpointMax)
	}
}

// worthGenerating reports whether there are new words that are unlikely to change:
// an answer to them is generated preemptively.
func (d *Detector) worthGenerating(now time.Time) bool {
	firm := !d.finalDue
	if d.interim != "" {
		firm = !now.Before(d.interimFirmAt())
	}
	return firm && d.text != "" && !SameWords(d.text, d.generatedFor)
}

// interimFirmAt returns from when on the interim transcript is unlikely to change.
func (d *Detector) interimFirmAt() time.Time {
	if d.likelyComplete {
		return d.interimSeen
	}
	at := d.interimChanged.Add(stableInterim)
	if missed := d.lastSpeech.Add(lateInterim); d.interimSeen.Before(d.lastSpeech) && missed.After(at) {
		return missed
	}
	return at
}

func (d *Detector) wordsOverAgent(now time.Time) bool {
	if !d.callerSpeaks {
		return false
	}
	return d.wordRecognized || d.overlapsSurely(now) && !d.listens()
}

func (d *Detector) wordsWithoutSpeech(time.Time) bool { return d.wordRecognized }

// wordInNoise reports whether the input is a word that may be a cough, and the agent may pause for it.
func (d *Detector) wordInNoise(now time.Time) bool {
	return d.doubtful && d.wordAt.Equal(now) && d.mayDuckAgain(now)
}

// mayDuckAgain reports whether a sound that may be no speech may duck or pause the agent: the last one that did was long
// ago, or softer.
func (d *Detector) mayDuckAgain(now time.Time) bool {
	return d.state == Ducked || d.uncertainDuckAt.IsZero() || now.Sub(d.uncertainDuckAt) >= uncertainDuckInterval || d.loudest >= d.uncertainDuckLevel+louderBy
}

func (d *Detector) speechOverAgent(now time.Time) bool {
	least := d.options.PauseAfter
	if d.sureFrom.After(d.speechStart) { // the recogniser reports coughs and "okay", too
		least += d.options.DuckFor
	}
	return d.overlaps(least) && d.isSureSpeech(now)
}

// uncertainSoundOverAgent reports whether a sound that may be no speech ducks the agent.
func (d *Detector) uncertainSoundOverAgent(now time.Time) bool {
	return d.overlaps(d.options.PauseAfter) && d.mayDuckAgain(now)
}

func (d *Detector) soundContinues(time.Time) bool {
	return d.callerSpeaks && d.lastSpeech.Sub(d.duckedAt) >= d.options.DuckFor
}

func (d *Detector) soundEnded(time.Time) bool { return !d.callerSpeaks }

func (d *Detector) soundEndedBeforeAudio(time.Time) bool { return !d.audible && !d.callerSpeaks }

// overlaps reports whether the caller is speaking, and has spoken over the agent for
// at least so long.
func (d *Detector) overlaps(least time.Duration) bool {
	return d.callerSpeaks && d.overlapping && d.lastSpeech.Sub(d.speechStart) >= least
}

// overlapsSurely reports whether the caller's speech interrupts the agent without a word. Sound before it was speech beyond doubt
// is not counted.
func (d *Detector) overlapsSurely(now time.Time) bool {
	least := d.options.InterruptAfter
	return d.overlaps(least) && d.isSureSpeech(now) && d.lastSpeech.Sub(d.sureFrom) >= least
}

// listens reports whether the caller has only said what a listener does, and the agent has not resumed for it yet.
func (d *Detector) listens() bool { return d.text != "" && d.backchannel && !d.reported }

// isSureSpeech reports whether the caller's current sound is speech beyond doubt; no longer than pause_limit_ms after its
// last sign, such as the recogniser's report. After maxFalseInterruptions in a turn, no sound without a word is.
func (d *Detector) isSureSpeech(now time.Time) bool {
	return d.sure && now.Sub(d.sureAt) <= max(d.options.PauseLimit, d.options.InterruptAfter) && d.falseInterruptions < maxFalseInterruptions
}

func (d *Detector) mayResume(now time.Time) bool {
	if d.callerSpeaks {
		return !d.isSureSpeech(now) && (now.Sub(d.pausedAt) >= d.options.PauseLimit || d.listens() && now.Sub(d.wordAt) >= listenerPause)
	}
	return d.listens() || now.Sub(d.lastSpeech) >= d.options.ResumeAfter
}

func (d *Detector) mayResumeBeforeAudio(now time.Time) bool { return !d.audible && d.mayResume(now) }
