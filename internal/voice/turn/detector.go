package turn

import (
	"strings"
	"time"

	"parley/internal/dialogue"
)

// staleBackchannel is how long before the end of the agent's answer a backchannel still counts as the caller's turn: it
// may answer the agent's question. An earlier one is ignored.
const staleBackchannel = time.Second

// speechReportValid is how long a recogniser's report of the beginning of speech may precede the voice activity detector's.
const speechReportValid = time.Second

// NewDetector makes a detector for a call.
func NewDetector(o Options) *Detector {
	return &Detector{options: o, vocabulary: vocabularyOf(""), transcript: transcript{backchannel: true}}
}

// SetOptions replaces the settings.
func (d *Detector) SetOptions(o Options) { d.options = o }

// SetLanguage sets the language that the caller speaks, a tag such as "pt-BR"; "" if it is unknown.
func (d *Detector) SetLanguage(language string) { d.vocabulary = vocabularyOf(language) }

// State returns the current state.
func (d *Detector) State() State { return d.state }

// Text returns the transcript of the turn so far.
func (d *Detector) Text() string { return d.text }

// IsTooLong reports whether words of the turn were dropped because it has more than MaxText characters.
func (d *Detector) IsTooLong() bool { return d.tooLong }

// LastSpeech returns when the caller last spoke.
func (d *Detector) LastSpeech() time.Time { return d.lastSpeech }

// CallerSpeaks reports whether the caller is speaking.
func (d *Detector) CallerSpeaks() bool { return d.callerSpeaks }

// TranscriptDue reports whether the caller may have spoken words that have no final transcript yet.
func (d *Detector) TranscriptDue() bool { return d.callerSpeaks || d.finalDue || d.interim != "" }

// SpeechStarted handles speech of the caller that began at start. sure: it is speech
// beyond doubt.
func (d *Detector) SpeechStarted(start, now time.Time, sure bool) Action {
	d.accepted = ""
	if d.state.agentsTurn() && (d.backchannel || d.doubtful) && start.Sub(d.lastSpeech) > staleBackchannel {
		d.dropWords()
	}
	d.notePause(start)
	d.callerSpeaks, d.finalDue, d.complete, d.speechEnded = true, false, false, false
	d.speechStart, d.lastSpeech = start, now
	d.sure, d.dismissed = false, false
	d.recordSureSpeech(sure, now)
	d.overlapping = d.state.agentsTurn()
	return d.Elapsed(now)
}

// SpeechContinues handles a frame of the caller's speech.
func (d *Detector) SpeechContinues(now time.Time, sure bool) Action {
	d.lastSpeech, d.complete, d.speechEnded = now, false, false
	d.recordSureSpeech(sure, now)
	return d.Elapsed(now)
}

// consumeSpeechReport reports, once for each report of the recogniser, whether it has just reported the beginning of
// speech. In a sound that is mostly noise the report does not count: some recognisers report coughs.
func (d *Detector) consumeSpeechReport(now time.Time) bool {
	if d.speechReportedAt.IsZero() || d.noisy || now.Sub(d.speechReportedAt) > speechReportValid {
		return false
	}
	d.speechReportedAt = time.Time{}
	return true
}

// recordSureSpeech records that the caller's sound is speech beyond doubt, by its sound or by the recogniser's report.
func (d *Detector) recordSureSpeech(bySound bool, now time.Time) {
	switch {
	case bySound:
		d.sureFrom = d.speechStart
	case !d.consumeSpeechReport(now):
		return
	case !d.isSureSpeech(now):
		d.sureFrom = now
	}
	d.sure, d.sureAt = true, now
	d.confirmed, d.doubtful = d.confirmed || d.doubtful, false
}

// SpeechEnded handles the end of the caller's speech; last is when its last sound
// was. A final transcript has been requested.
func (d *Detector) SpeechEnded(last, now time.Time) Action {
	d.callerSpeaks, d.lastSpeech = false, last
	d.finalDue = !d.complete && !d.speechEnded || d.endedAt.Before(last)
	return d.Elapsed(now)
}

// SpeechDismissed handles sound that continues, but counts as noise from now on. A
// final transcript has been requested.
func (d *Detector) SpeechDismissed(last, now time.Time) Action {
	d.dismissed, d.waitFrom = true, now
	return d.SpeechEnded(last, now)
}

// IsNoise reports whether the caller's current sound counts as noise: for transcript_wait_ms, or wordlessWait once it has interrupted
// the agent, it was not surely speech and had no new word.
func (d *Detector) IsNoise(now time.Time) bool {
	wait := d.options.TranscriptWait
	if d.byNoise {
		wait = min(wait, wordlessWait)
	}
	return d.callerSpeaks && !d.noRecognizer && now.Sub(d.lastSpeechSign()) >= wait
}

// lastSpeechSign returns when the caller's current sound last had a new word, or was speech beyond doubt, or began.
func (d *Detector) lastSpeechSign() time.Time {
	last := d.speechStart
	for _, t := range [...]time.Time{d.wordAt, d.sureAt} {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// TranscriptReceived handles a transcript of the recogniser.
func (d *Detector) TranscriptReceived(t dialogue.Transcript, now time.Time) Action {
	if t.SpeechStarted {
		d.speechReportedAt = now
		if d.callerSpeaks {
			d.recordSureSpeech(false, now)
		}
		return d.Elapsed(now)
	}
	text := strings.TrimSpace(t.Text)
	if len(Words(text)) == 0 {
		text = "" // punctuation without words
	}
	text = d.withoutAccepted(text)
	if text != "" && !d.callerSpeaks && (now.After(d.finalTimeoutAt()) || d.dismissed && !t.Final && text != d.interim) {
		d.lastSpeech = now // speech too soft for the voice activity detector, or within noise
	}
	if text != "" && text != d.interim {
		d.wordAt = now
	}
	if t.Final {
		text = d.addFinal(text, t, now)
	} else {
		d.setInterim(text, now)
		d.likelyComplete = t.LikelyEndOfTurn && text != "" && text == d.interim
	}
	if text != "" && !d.backchannel && d.wordAt.Equal(now) {
		d.pauses.recordWord(d.options.EndpointMax)
		d.misjudged.recordWord(d.options.EndpointMax)
	}
	d.doubtful = d.state.agentsTurn() && d.noisy && isShortWord(d.text) && !d.backchannel
	if d.doubtful && text != "" && !d.callerSpeaks {
		d.lastSpeech = now // the pause for a second word counts from here
	}
	return d.evaluate(text != "" && !d.backchannel && !d.doubtful, now)
}

// TextTyped handles a text message of the caller: it interrupts the agent and
// completes the caller's turn.
func (d *Detector) TextTyped(text string, now time.Time) Action {
	d.finalDue, d.accepted, d.lastFinal = false, "", text
	d.setWords(join(d.text, text), "")
	d.backchannel, d.unfinished, d.doubtful = false, false, false
	d.complete, d.endedAt = true, now
	if !d.callerSpeaks {
		d.lastSpeech = now
	}
	return d.evaluate(true, now)
}

// RecognitionLost handles the failure of the recogniser. Its last interim transcript counts until a replacement sends
// another.
func (d *Detector) RecognitionLost(now time.Time) {
	d.noRecognizer, d.waitFrom, d.interimOrphaned = true, now, d.interim != ""
	if d.interim != "" && !d.callerSpeaks {
		d.finalDue = true
	}
}

// RecognitionRestored handles a replacement of the recogniser; at is when it will have received the audio that was
// buffered meanwhile.
func (d *Detector) RecognitionRestored(at time.Time) { d.noRecognizer, d.waitFrom = false, at }

// Elapsed handles the passing of time. It is called at Deadline at the latest.
func (d *Detector) Elapsed(now time.Time) Action { return d.evaluate(false, now) }

// evaluate makes the transitions that an input causes. word: it has a word that interrupts the agent.
func (d *Detector) evaluate(word bool, now time.Time) Action {
	if !d.state.agentsTurn() && !d.callerSpeaks && d.finalDue && d.finalTimedOut(now) {
		d.acceptInterim()
	}
	if d.state == Ducked || d.state == Paused {
		d.uncertainDuckLevel = max(d.uncertainDuckLevel, d.loudest)
	}
	word = word || d.confirmed
	d.wordRecognized, d.confirmed = word, false
	action := d.runTransitions(onInput, now)
	switch action {
	case Generate:
		d.generatedFor = d.text
	case Discard:
		d.generatedFor = ""
	case Duck:
		d.duckedAt, d.uncertainDuckAt, d.uncertainDuckLevel = now, now, d.loudest
	case Pause:
		d.pausedAt = now
		if d.doubtful {
			d.uncertainDuckAt = now
		}
	case Resume:
		d.cause = d.wordlessCause()
		if !d.isSureSpeech(now) {
			d.uncertainDuckAt = now
		}
		d.reported = d.cause == Backchannel
		d.finalDue = d.reported && d.interim != ""
		if !d.reported { // a backchannel within the agent's last second is an answer
			d.dropWords()
		}
	case Interrupt:
		d.cause = SureSpeech
		if word {
			d.cause, d.uncertainDuckAt = Word, time.Time{}
		}
		d.overlapping, d.byNoise = false, d.final == ""
	case ResumeInterrupted:
		d.cause, d.byNoise = Noise, false
		d.falseInterruptions++
	}
	return action
}

// wordlessCause returns what the caller's last sound was, given that it was no words to the agent.
func (d *Detector) wordlessCause() OverlapCause {
	switch {
	case d.doubtful:
		return Noise
	case d.text != "":
		return Backchannel
	case d.echo:
		return Echo
	}
	return Noise
}

// TurnCommitted begins the agent's turn after Commit.
func (d *Detector) TurnCommitted(now time.Time) {
	d.endTurnOfPauses()
	d.setWords("", "")
	d.complete, d.speechEnded, d.falseInterruptions, d.lastFinal = false, false, 0, ""
	d.beginAgentsTurn(onTurnCommitted, now)
}

// IgnoredCause returns what a sound over the agent is that has no effect: a backchannel, or a noise too soon after
// another; "" without such a sound.
func (d *Detector) IgnoredCause(now time.Time) OverlapCause {
	switch {
	case d.state != AgentThinking && d.state != AgentSpeaking:
	case d.text != "" && d.backchannel && !d.reported:
		return Backchannel
	case d.text != "" && d.doubtful && !d.mayDuckAgain(now):
		return Noise
	case d.overlaps(d.options.PauseAfter) && !d.isSureSpeech(now) && !d.uncertainSoundOverAgent(now):
		return Noise
	}
	return ""
}

// OverlapCause returns the cause of the last Resume, Interrupt or ResumeInterrupted.
func (d *Detector) OverlapCause() OverlapCause { return d.cause }

// MayResumeInterrupted reports whether ResumeInterrupted may follow the Interrupt that was just returned: no word has been recognised in it.
func (d *Detector) MayResumeInterrupted() bool { return d.byNoise }

// AgentStarted begins the agent's turn without a turn of the caller.
func (d *Detector) AgentStarted(now time.Time) {
	if !d.state.agentsTurn() {
		d.beginAgentsTurn(onAgentStarted, now)
	}
}

func (d *Detector) beginAgentsTurn(on trigger, now time.Time) {
	d.generatedFor, d.audible, d.byNoise = "", false, false
	d.overlapping = d.callerSpeaks
	d.runTransitions(on, now)
}

// AgentAudible handles the first audio of the agent's answer.
func (d *Detector) AgentAudible(now time.Time) {
	if !d.audible {
		d.audible, d.audibleFrom = true, now
	}
	d.runTransitions(onAgentAudible, now)
}

// AgentStopped ends the agent's turn: its answer is over, or was dropped.
func (d *Detector) AgentStopped(now time.Time) {
	if !d.state.agentsTurn() {
		return
	}
	d.overlapping, d.byNoise = false, false
	if !d.callerSpeaks && (d.backchannel || d.doubtful) && now.Sub(d.lastSpeech) > staleBackchannel {
		d.dropWords()
	}
	d.runTransitions(onAgentStopped, now)
}

// GenerationDropped handles that the session did not execute Generate.
func (d *Detector) GenerationDropped(now time.Time) {
	d.generatedFor = ""
	d.runTransitions(onGenerationDropped, now)
}

// Deadline returns when Elapsed has to be called at the latest; zero for never.
func (d *Detector) Deadline() time.Time {
	switch {
	case d.callerSpeaks:
		return time.Time{} // the next frame comes first
	case d.state == Paused:
		return d.lastSpeech.Add(d.options.ResumeAfter)
	case d.state.agentsTurn():
		return time.Time{}
	case d.finalDue && d.interim != "" && !SameWords(d.text, d.generatedFor):
		return earlier(d.interimFirmAt(), d.finalTimeoutAt())
	case d.finalDue && d.noRecognizer && d.text == "":
		return time.Time{}
	case d.finalDue:
		return d.finalTimeoutAt()
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
