package audio

import (
	"math"
	"time"
)

// vadRate is the rate of a VAD's frames, in hertz.
const vadRate = 16000

// VADOptions are the thresholds of a VAD; the zero value of each is its default.
type VADOptions struct {
	Onset   time.Duration // speech that starts an utterance; default 60 ms
	Silence time.Duration // silence after which it has ended; default 200 ms
	Rise    float64       // dB above the noise floor that count as speech; default 6
	Fall    float64       // dB above the noise floor under which speech is over; default 4.5
	Quiet   float64       // dBFS under which nothing is speech; default -50
}

// Change says what a frame did to the state of a VAD.
type Change uint8

// The changes. Ended is a candidate for the end of the caller's turn, not the end itself.
const (
	Unchanged Change = iota
	Started
	Ended
)

// Activity is what a VAD knows after a frame.
type Activity struct {
	Change   Change
	Speaking bool          // between Started and Ended
	Voiced   bool          // this very frame holds speech
	Speech   time.Duration // since the first frame of the utterance, while Speaking; the onset counts
	Silence  time.Duration // since the last frame of speech; since the beginning, if there was none
	Level    float64       // of this frame, in dBFS
}

// VAD detects speech by energy above an adaptive noise floor. The floor is the quietest 60 ms of the last two
// seconds, which speech does not raise, because it has gaps. Constant sound counts as noise however loud: hiss
// (uncorrelated samples, as in noise and in unvoiced consonants) immediately, so that noise switched on is no onset;
// other sound after 600 ms, so that a hum or a fan ends what it started. Gaps in transmission do not change the floor;
// after longer digital silence, as of a muted microphone, it is the lowest again.
//
// It uses energy rather than a trained classifier, because WebRTC's misses most speech in loud noise, while this
// one misses none at 10 dB; distinguishing words from coughs is left to the recogniser.
type VAD struct {
	options VADOptions
	onset   int // frames
	silence int // frames

	dc, last float64 // of the filter that removes offset and rumble

	recent  [30]float64 // levels of the latest frames, dBFS; a ring
	heard   int         // frames other than digital silence
	minima  [8]float64  // of quarter seconds; a ring
	digital int         // frames of digital silence, without another between them
	quarter int         // frames since the current quarter began
	slot    int
	floor   float64 // dBFS

	speaking  bool
	rising    int // frames of speech towards an onset
	hissing   int // of these, those that are hiss
	utterance int // frames since the first of the utterance
	quiet     int // frames since the last of speech
}

const (
	quarterFrames = 12  // about 250 ms
	hissFrames    = 10  // 200 ms: how long hiss is looked at
	hissSpread    = 3.5 // dB between the loudest and softest frame of steady hiss
	humSpread     = 5   // dB, the same for any sound over all recent frames
	hissCoherence = 0.3 // correlation of neighbouring samples; white noise has 0, a vowel over 0.7
	vadFloor      = -62 // dBFS: the floor of a room never counts as lower
	unknownFrames = 25  // 500 ms of digital silence, longer than between packets of DTX: what follows may come through a gate
)

// NewVAD returns a VAD for frames of 20 ms at 16 kHz.
func NewVAD(o VADOptions) *VAD {
	if o.Onset == 0 {
		o.Onset = 60 * time.Millisecond
	}
	if o.Silence == 0 {
		o.Silence = 200 * time.Millisecond
	}
	if o.Rise == 0 {
		o.Rise = 6
	}
	if o.Fall == 0 {
		o.Fall = 4.5
	}
	if o.Quiet == 0 {
		o.Quiet = -50
	}
	v := &VAD{options: o, onset: max(1, int(o.Onset/frame)), silence: max(1, int(o.Silence/frame)), floor: vadFloor}
	for i := range v.minima {
		v.minima[i] = math.Inf(1)
	}
	return v
}

// forgetFloor has the quietest room count as the last two seconds, so that a word after digital silence is not taken for
// the floor.
func (v *VAD) forgetFloor() {
	for i := range v.minima {
		v.minima[i] = vadFloor
	}
	v.floor, v.heard = vadFloor, 0
}

// Push adds a frame and returns the current state. It neither retains frame nor allocates.
func (v *VAD) Push(pcm []int16) Activity {
	level, coherence := v.measure(pcm)
	if level > Silence {
		v.follow(level, coherence)
	} else if v.digital++; v.digital == unknownFrames {
		v.forgetFloor()
	}
	threshold := v.floor + v.options.Rise
	if v.speaking {
		threshold = v.floor + v.options.Fall
	}
	voiced := level > threshold && level > v.options.Quiet
	a := Activity{Voiced: voiced, Level: level, Change: v.advance(voiced, coherence < hissCoherence)}
	a.Speaking = v.speaking
	if v.speaking {
		a.Speech = time.Duration(v.utterance) * frame
	}
	a.Silence = time.Duration(v.quiet) * frame
	return a
}

// advance moves on by a frame between silence, onset and speech.
func (v *VAD) advance(voiced, hiss bool) Change {
	v.quiet++
	if voiced {
		v.quiet = 0
	}
	if v.speaking {
		v.utterance++
		if v.quiet < v.silence {
			return Unchanged
		}
		v.speaking, v.rising, v.hissing = false, 0, 0
		return Ended
	}
	switch {
	case !voiced && v.rising > 0:
		v.rising--
		v.hissing = min(v.hissing, v.rising)
		return Unchanged
	case !voiced:
		return Unchanged
	}
	v.rising++
	if hiss {
		v.hissing++
	}
	// Hiss alone is an onset only after it could have been found steady.
	if v.rising < v.onset || v.hissing == v.rising && v.rising <= hissFrames {
		return Unchanged
	}
	v.speaking, v.utterance = true, v.rising
	return Started
}

// measure returns the level of pcm in dBFS and the correlation of its neighbouring samples, both without offset and
// rumble below some 80 Hz.
func (v *VAD) measure(pcm []int16) (level, coherence float64) {
	const pole = 0.97
	var energy, product float64
	for _, s := range pcm {
		x := float64(s)
		y := x - v.last + pole*v.dc
		product += y * v.dc
		energy += y * y
		v.last, v.dc = x, y
	}
	if len(pcm) == 0 || energy == 0 {
		return Silence, 0
	}
	return decibels(math.Sqrt(energy / float64(len(pcm)))), product / energy
}

// follow moves the noise floor on by a frame that is not digital silence.
func (v *VAD) follow(level, coherence float64) {
	v.digital = 0
	v.recent[v.heard%len(v.recent)] = level
	v.heard++

	softest := level
	if n := min(v.heard, 3); n == 3 {
		softest = v.mean(3)
	}
	v.minima[v.slot] = min(v.minima[v.slot], softest)
	if v.quarter++; v.quarter == quarterFrames {
		v.quarter, v.slot = 0, (v.slot+1)%len(v.minima)
		v.minima[v.slot] = math.Inf(1)
	}
	floor := math.Inf(1)
	for _, m := range v.minima {
		floor = min(floor, m)
	}
	if coherence < hissCoherence && v.steady(hissFrames, hissSpread) {
		floor = v.settle(hissFrames)
	} else if v.steady(len(v.recent), humSpread) {
		floor = v.settle(len(v.recent))
	}
	v.floor = max(floor, vadFloor)
}

// settle forgets the floor of the past for the level of the last n frames, which were found steady.
func (v *VAD) settle(n int) float64 {
	level := v.mean(n)
	for i, m := range v.minima {
		if !math.IsInf(m, 1) {
			v.minima[i] = max(m, level)
		}
	}
	return level
}

func (v *VAD) mean(n int) float64 {
	var sum float64
	for i := range n {
		sum += v.recent[(v.heard-1-i)%len(v.recent)]
	}
	return sum / float64(n)
}

func (v *VAD) steady(n int, spread float64) bool {
	if v.heard < n {
		return false
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range n {
		level := v.recent[(v.heard-1-i)%len(v.recent)]
		low, high = min(low, level), max(high, level)
	}
	return high-low < spread
}
