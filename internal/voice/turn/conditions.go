package turn

import "time"

// stableInterim is how long an interim transcript must have stood, once the
// caller is silent, to be worth a preemptive answer.
const stableInterim = 150 * time.Millisecond

// lateInterim is the same for an interim transcript that came while the caller
// still spoke and so lacks the last words, counted from the last sound. A final
// transcript that is sent on request has come by then.
const lateInterim = 300 * time.Millisecond

// Detector detects turns of one call. It is not safe for concurrent use.
type Detector struct {
	options Options
	state   State

	callerSpeaks bool
	speechStart  time.Time // of the caller's current or last speech
	lastSpeech   time.Time // last moment of the caller's speech

	transcript
	generatedFor string // the words that the preemptive answer is for

	audible     bool // the agent's answer is, or was before it was paused
	overlapping bool // the caller's current speech is over the agent's
	wordHeard   bool // the input holds a word that interrupts
	byNoise     bool // the agent was interrupted, and no final word of it has come
	continued   int  // how often the agent continued in this turn
}

// transcript is what the caller said in the turn so far.
type transcript struct {
	final          string    // all final transcripts
	lastFinal      string    // the last of them
	interim        string    // the newest interim transcript
	interimChanged time.Time // when its text last changed
	interimSeen    time.Time // when it last came, changed or not
	text           string    // final and interim together
	unfinished     bool      // text ends where a caller usually goes on
	backchannel    bool      // text asks for no answer
	complete       bool      // the recogniser judges the utterance complete
	completeAt     time.Time

	finalDue     bool      // a final transcript is awaited
	waitFrom     time.Time // the wait for it counts from here, if that is later than the last speech
	accepted     string    // the interim transcript that was accepted when its final one was given up
	orphaned     bool      // interim is of a recogniser that failed
	noRecognizer bool
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

// endpoint is the silence that ends the turn as it stands.
func (d *Detector) endpoint() time.Duration {
	switch {
	case d.complete:
		return d.options.EndpointComplete
	case d.unfinished:
		return d.options.EndpointUnfinished
	default:
		return d.options.EndpointDefault
	}
}

// worthAnswering reports whether there are words that are new and firm enough
// for a preemptive answer.
func (d *Detector) worthAnswering(now time.Time) bool {
	firm := !d.finalDue
	if d.interim != "" {
		firm = !now.Before(d.interimFirmAt())
	}
	return firm && d.text != "" && !SameWords(d.text, d.generatedFor)
}

// interimFirmAt is when an interim transcript is worth a preemptive answer.
func (d *Detector) interimFirmAt() time.Time {
	at := d.interimChanged.Add(stableInterim)
	if missed := d.lastSpeech.Add(lateInterim); d.interimSeen.Before(d.lastSpeech) && missed.After(at) {
		return missed
	}
	return at
}

func (d *Detector) spokenOverByWords(time.Time) bool {
	return d.callerSpeaks && (d.wordHeard || d.overlapping && d.overlap() >= d.options.InterruptAfter)
}

func (d *Detector) wordsWithoutSpeech(time.Time) bool { return d.wordHeard }

func (d *Detector) spokenOver(time.Time) bool {
	return d.callerSpeaks && d.overlapping && d.overlap() >= d.options.PauseAfter
}

// overlap is how long the caller has spoken over the agent.
func (d *Detector) overlap() time.Duration { return d.lastSpeech.Sub(d.speechStart) }

func (d *Detector) silentAgain(now time.Time) bool {
	return !d.callerSpeaks && now.Sub(d.lastSpeech) >= d.options.ResumeAfter
}

func (d *Detector) silentAgainBeforeAudio(now time.Time) bool {
	return !d.audible && d.silentAgain(now)
}
