package turn

import (
	"strings"
	"time"

	"parley/internal/dialogue"
)

// staleBackchannel is how long before the agent's end a backchannel must have
// been said to mean nothing; said later it may answer the agent's question.
const staleBackchannel = time.Second

// maxContinued is how often in a turn the agent continues after noise that
// interrupted it: a caller who coughs gets an answer, a television does not hear
// its beginning again and again.
const maxContinued = 3

// NewDetector makes a detector for a call.
func NewDetector(o Options) *Detector {
	return &Detector{options: o, transcript: transcript{backchannel: true}}
}

// SetOptions changes the times that turns are detected by.
func (d *Detector) SetOptions(o Options) { d.options = o }

// State is whose turn it is.
func (d *Detector) State() State { return d.state }

// Text is what the caller said in the turn so far.
func (d *Detector) Text() string { return d.text }

// LastSpeech is when the caller was last heard.
func (d *Detector) LastSpeech() time.Time { return d.lastSpeech }

// CallerSpeaks reports whether the caller is speaking.
func (d *Detector) CallerSpeaks() bool { return d.callerSpeaks }

// TranscriptDue reports whether the caller may have said something of which no
// final transcript has come.
func (d *Detector) TranscriptDue() bool { return d.callerSpeaks || d.finalDue || d.interim != "" }

// SpeechStarted handles speech of the caller that began at start.
func (d *Detector) SpeechStarted(start, now time.Time) Action {
	if d.state.agentsTurn() && d.backchannel && start.Sub(d.lastSpeech) > staleBackchannel {
		d.setWords("", "")
	}
	d.callerSpeaks, d.finalDue, d.complete = true, false, false
	d.accepted = ""
	d.speechStart, d.lastSpeech = start, now
	d.overlapping = d.state.agentsTurn()
	return d.Elapsed(now)
}

// SpeechContinues handles a frame of the caller's speech.
func (d *Detector) SpeechContinues(now time.Time) Action {
	d.lastSpeech, d.complete = now, false
	return d.Elapsed(now)
}

// SpeechEnded handles the end of the caller's speech, whose last sound was at
// last. A final transcript of it has been requested.
func (d *Detector) SpeechEnded(last, now time.Time) Action {
	d.callerSpeaks, d.lastSpeech = false, last
	d.finalDue = !d.complete || d.completeAt.Before(last)
	return d.Elapsed(now)
}

// TranscriptReceived handles a transcript of the recogniser.
func (d *Detector) TranscriptReceived(t dialogue.Transcript, now time.Time) Action {
	text := strings.TrimSpace(t.Text)
	if len(words(text)) == 0 {
		text = "" // punctuation alone is nothing
	}
	text = d.withoutAccepted(text)
	if text != "" && !d.callerSpeaks && now.After(d.finalGivenUpAt()) {
		d.lastSpeech = now // speech too soft for the voice activity detector
	}
	if t.Final {
		text = d.addFinal(text, t.EndOfTurn, now)
	} else {
		d.setInterim(text, now)
		d.likelyComplete = t.LikelyEndOfTurn && text != "" && text == d.interim
	}
	return d.evaluate(text != "" && !d.backchannel, now)
}

// TextTyped handles a text that the caller wrote: it interrupts the agent, and
// completes the caller's turn.
func (d *Detector) TextTyped(text string, now time.Time) Action {
	d.finalDue, d.accepted, d.lastFinal = false, "", text
	d.setWords(join(d.text, text), "")
	d.backchannel, d.unfinished = false, false
	d.complete, d.completeAt = true, now
	if !d.callerSpeaks {
		d.lastSpeech = now
	}
	return d.evaluate(true, now)
}

// RecognitionLost handles the failure of the recogniser. Its last interim
// transcript counts until a replacement hears it better.
func (d *Detector) RecognitionLost(now time.Time) {
	d.noRecognizer, d.waitFrom, d.orphaned = true, now, d.interim != ""
	if d.interim != "" && !d.callerSpeaks {
		d.finalDue = true
	}
}

// RecognitionRestored says when the recogniser's replacement will have received
// all of the caller's audio.
func (d *Detector) RecognitionRestored(at time.Time) { d.noRecognizer, d.waitFrom = false, at }

// Elapsed handles the passing of time. It is called at Deadline at the latest.
func (d *Detector) Elapsed(now time.Time) Action { return d.evaluate(false, now) }

// evaluate decides what an input leads to; word: it holds a word that interrupts
// the agent.
func (d *Detector) evaluate(word bool, now time.Time) Action {
	if !d.state.agentsTurn() && !d.callerSpeaks && d.finalDue && d.gaveUp(now) {
		d.acceptInterim()
	}
	d.wordHeard = word
	action := d.step(onInput, now)
	switch action {
	case Generate:
		d.generatedFor = d.text
	case Discard:
		d.generatedFor = ""
	case Resume:
		d.finalDue = false
		d.setWords("", "") // a backchannel is no turn
	case Interrupt:
		d.overlapping, d.byNoise = false, d.final == "" && d.continued < maxContinued
	case Continue:
		d.byNoise = false
		d.continued++
	}
	return action
}

// TurnTaken begins the agent's turn with the caller's words, as Commit asks for.
func (d *Detector) TurnTaken(now time.Time) {
	d.setWords("", "")
	d.complete, d.continued, d.lastFinal = false, 0, ""
	d.beginAgentsTurn(onTurnTaken, now)
}

// AgentStarted begins the agent's turn without words of the caller.
func (d *Detector) AgentStarted(now time.Time) {
	if !d.state.agentsTurn() {
		d.beginAgentsTurn(onAgentStarted, now)
	}
}

func (d *Detector) beginAgentsTurn(on trigger, now time.Time) {
	d.generatedFor, d.audible, d.byNoise = "", false, false
	d.overlapping = d.callerSpeaks
	d.step(on, now)
}

// AgentAudible handles the first audio of the agent's answer.
func (d *Detector) AgentAudible(now time.Time) {
	d.audible = true
	d.step(onAgentAudible, now)
}

// AgentStopped ends the agent's turn: its answer is over, or was dropped.
func (d *Detector) AgentStopped(now time.Time) {
	if !d.state.agentsTurn() {
		return
	}
	d.overlapping, d.byNoise = false, false
	if !d.callerSpeaks && d.backchannel && now.Sub(d.lastSpeech) > staleBackchannel {
		d.setWords("", "")
	}
	d.step(onAgentStopped, now)
}

// GenerationDropped undoes Generate: there is no preemptive answer.
func (d *Detector) GenerationDropped(now time.Time) {
	d.generatedFor = ""
	d.step(onGenerationDropped, now)
}

// Deadline is when Elapsed has to be called at the latest; zero for never.
func (d *Detector) Deadline() time.Time {
	switch {
	case d.callerSpeaks:
		return time.Time{} // the next frame comes first
	case d.state == Paused:
		return d.lastSpeech.Add(d.options.ResumeAfter)
	case d.state.agentsTurn():
		return time.Time{}
	case d.finalDue && d.interim != "" && !SameWords(d.text, d.generatedFor):
		return earlier(d.interimFirmAt(), d.finalGivenUpAt())
	case d.finalDue && d.noRecognizer && d.text == "":
		return time.Time{}
	case d.finalDue:
		return d.finalGivenUpAt()
	case d.final != "":
		return d.lastSpeech.Add(d.endpoint())
	}
	return time.Time{}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
