// Package hearing turns the caller's frames, and what the agent plays at the same time, into evidence about who makes
// the sound: the caller, the agent's own voice coming back as echo, or noise.
//
// The caller's audio is 16 kHz, the agent's 24 kHz; a frame is 20 ms.
package hearing

import (
	"math"
	"time"

	"parley/internal/audio"
	"parley/internal/hearing/speech"
)

// Classification is what is known after a frame of the caller's audio.
type Classification struct {
	// Activity is voice activity after echo and noise floor are taken into account.
	audio.Activity
	// Echo: the sound of this frame is explained by what the agent plays.
	Echo bool
	// Noise: the frame holds sound above the floor that is not speech: music, traffic, typing, a cough.
	Noise bool
	// Speech is the probability, 0 to 1, that a person speaks into the microphone now, over the last 300 ms or so.
	Speech float64
	// SureSpeech: sustained speech of the caller, for which the recogniser's word is not needed.
	SureSpeech bool
}

// Classifier is a second opinion on whether a frame holds speech. It belongs to one call.
type Classifier interface {
	// Classify returns the probability, 0 to 1, that a frame of 20 ms at 16 kHz holds speech. Frames come in order; it
	// neither keeps the frame nor allocates.
	Classify(frame []int16) float64
}

// Options are the settings of a Listener.
type Options struct {
	// SuppressNoise takes steady noise out of the audio that Push returns.
	SuppressNoise bool
	// Network judges whether sound is speech; nil for the built-in one.
	Network *speech.Network
	// Classifier is the second opinion; nil for none besides the one built in.
	Classifier Classifier
}

// Listener listens to one call. It is not safe for concurrent use, and allocates nothing per frame.
type Listener struct {
	options   Options
	vad       *audio.VAD
	built     *speech.Classifier
	reference reference
	block     [hop]float32
	canceller *canceller
	quieter   suppressor
	leveller  leveller
	speech    float64
	certainty float64 // frames of clear speech, less others
	sure      bool
}

// New makes a Listener.
func New(o Options) *Listener {
	network := o.Network
	if network == nil {
		network = speech.BuiltIn()
	}
	return &Listener{options: o, vad: audio.NewVAD(audio.VADOptions{Quiet: quietest}), built: speech.NewClassifier(network), canceller: newCanceller()}
}

// SetSuppressNoise switches noise suppression on or off, from the next frame on.
func (l *Listener) SetSuppressNoise(on bool) {
	if on && !l.options.SuppressNoise {
		l.quieter = suppressor{}
	}
	l.options.SuppressNoise = on
}

// Played adds a frame of the agent's audio, 20 ms at 24 kHz, that was sent to the caller at a time. Times without a
// frame are silence. It keeps nothing of pcm.
func (l *Listener) Played(pcm []int16, at time.Time) { l.reference.play(pcm, at) }

// Push adds a frame of the caller's audio, 20 ms at 16 kHz, that came at a time. Clean is what goes to the recogniser:
// without the echo, and without noise if that is asked for; it is valid until the next Push, and may be mic itself.
func (l *Listener) Push(mic []int16, at time.Time) (clean []int16, e Classification) {
	l.reference.next(&l.block, at)
	clean, v := l.canceller.cancel(mic, &l.block)
	e.Activity, e.Echo = l.vad.Push(clean), v.echo
	p := l.built.Classify(clean)
	if l.options.Classifier != nil {
		p = math.Sqrt(p * l.options.Classifier.Classify(clean))
	}
	if v.echo {
		p = 0
	}
	l.judge(p, &e)
	if l.options.SuppressNoise {
		clean = l.quieter.suppress(clean)
	}
	return l.leveller.push(clean, e.Voiced && l.speech > likely, e.Level), e
}

// What a Listener goes by.
const (
	quietest = -58  // dBFS under which nothing is speech; above it, the network decides
	rise     = 0.6  // share of a new frame in Speech that raises it
	fall     = 0.4  // and that lowers it
	likely   = 0.93 // Speech from which the caller is likely to speak
	unlikely = 0.5  // and under which no longer
)

// A caller is sure to speak after so many frames of clear speech, 1.5 s, from which those of other sound are subtracted:
// a song or one of many voices is as clear for a moment, but not for long. A word interrupts the agent earlier.
const (
	clearSpeech  = 0.95
	certainFrom  = 75
	mostCertain  = 85
	lessByUnsure = 1   // subtracted for a frame that is rather speech
	lessByNoise  = 4   // for one that is rather not
	lessBySilent = 0.5 // for one without sound
)

// judge fills in what the probability that a frame is speech leads to.
func (l *Listener) judge(p float64, e *Classification) {
	share := fall
	if p > l.speech {
		share = rise
	}
	l.speech += share * (p - l.speech)
	e.Speech = l.speech
	switch {
	case !e.Voiced:
		l.certainty -= lessBySilent
	case p > clearSpeech:
		l.certainty++
	case p > unlikely:
		l.certainty -= lessByUnsure
	default:
		l.certainty -= lessByNoise
	}
	l.certainty = min(max(l.certainty, 0), mostCertain)
	switch {
	case l.speech < unlikely || !e.Speaking:
		l.sure = false
	case l.certainty >= certainFrom:
		l.sure = true
	}
	e.SureSpeech = l.sure
	e.Noise = e.Voiced && !e.Echo && l.speech < unlikely
}
