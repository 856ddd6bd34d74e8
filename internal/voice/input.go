package voice

import (
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/voice/providers"
	"parley/internal/voice/turn"
)

// callerInput is the caller's audio on its way to turn detection and the recogniser, and the captions of what was
// recognised.
type callerInput struct {
	detector *turn.Detector
	listener Listener
	speech   *turn.SpeechTracker
	echo     echoGuard
	audio    providers.AudioBuffer
	captions captions
	class    Classification // of the last frame
}

func newCallerInput(o Options, d *turn.Detector) callerInput {
	listener := o.Listener
	if listener == nil {
		listener = newEnergyListener()
	}
	return callerInput{detector: d, listener: listener, speech: turn.NewSpeechTracker(d), captions: captions{role: dialogue.RoleUser, publish: o.Line.Caption}}
}

// pushFrame classifies a frame and buffers it for the recogniser. hasRecognition: audio without speech need not be kept
// for a replacement.
func (i *callerInput) pushFrame(pcm []int16, hasRecognition bool, now time.Time) turn.Activity {
	due := i.detector.TranscriptDue()
	clean, class := i.listener.Push(pcm, now)
	i.class = class
	i.echo.pushFrame(class, now)
	activity := i.speech.PushFrame(class, now)
	speaking := i.speech.Speaking()
	if class.Echo && !speaking {
		clean = silentFrame
	}
	i.audio.PushFrame(clean)
	switch {
	case activity.Change == audio.Started:
		i.audio.SetFinalRequested(false)
		if !due {
			i.audio.DropSentBefore(activity.Speech + providers.Preroll)
		}
	case activity.Change == audio.Ended:
		i.audio.SetFinalRequested(true)
	case !speaking && !due && hasRecognition:
		i.audio.TrimSilence()
	}
	i.audio.SetQuiet(!activity.Voiced && !speaking && !due)
	return activity
}

// replay sends a new recogniser, which replaces one that failed, the audio that has no transcript yet.
func (i *callerInput) replay(recognition dialogue.Recognition, now time.Time) {
	if !i.detector.TranscriptDue() {
		i.audio.DropAll()
		i.detector.RecognitionRestored(now)
		return
	}
	i.detector.RecognitionLost(now)
	i.audio.Replay(recognition)
	i.audio.SetFinalRequested(!i.detector.CallerSpeaks())
	i.detector.RecognitionRestored(now.Add(i.audio.Backlog()))
}

// endTurn drops the audio of a turn that ended without its transcript, which must not begin another turn.
func (i *callerInput) endTurn(recognition dialogue.Recognition) {
	if recognition == nil || i.audio.IsStale() {
		i.audio.DropAll()
	}
}

// removeEcho returns a transcript without what is the agent's echo, and whether there was any.
func (i *callerInput) removeEcho(t dialogue.Transcript, o *agentOutput, now time.Time) (_ dialogue.Transcript, found bool) {
	switch {
	case !i.echo.isPossible(o.lastPlayed, now):
		return t, false
	case t.SpeechStarted && i.echo.sound:
		t.SpeechStarted = false
		return t, true
	case len(turn.Words(t.Text)) == 0 || !i.echo.matches(t.Text, o.lastQueue()):
		return t, false
	}
	return dialogue.Transcript{Final: t.Final}, true
}
