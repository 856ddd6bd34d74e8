package corpus

import (
	"math"
	"math/rand/v2"
)

// biquad is a filter of second order, by the Audio EQ Cookbook.
type biquad struct{ b0, b1, b2, a1, a2 float64 }

func lowPass(hertz float64) biquad {
	sin, cos := math.Sincos(2 * math.Pi * hertz / Rate)
	alpha := sin / math.Sqrt2
	return biquad{(1 - cos) / 2 / (1 + alpha), (1 - cos) / (1 + alpha), (1 - cos) / 2 / (1 + alpha), -2 * cos / (1 + alpha), (1 - alpha) / (1 + alpha)}
}

func highPass(hertz float64) biquad {
	sin, cos := math.Sincos(2 * math.Pi * hertz / Rate)
	alpha := sin / math.Sqrt2
	return biquad{(1 + cos) / 2 / (1 + alpha), -(1 + cos) / (1 + alpha), (1 + cos) / 2 / (1 + alpha), -2 * cos / (1 + alpha), (1 - alpha) / (1 + alpha)}
}

func bandPass(hertz, q float64) biquad {
	sin, cos := math.Sincos(2 * math.Pi * hertz / Rate)
	alpha := sin / 2 / q
	return biquad{alpha / (1 + alpha), 0, -alpha / (1 + alpha), -2 * cos / (1 + alpha), (1 - alpha) / (1 + alpha)}
}

func (s Sound) filter(f biquad) Sound {
	filtered := s.Scale(1)
	(&running{biquad: f}).apply(filtered)
	return filtered
}

// running is a filter with its past.
type running struct {
	biquad
	x1, x2, y1, y2 float64
}

func (f *running) apply(s Sound) {
	for i, x := range s {
		y := f.b0*x + f.b1*f.x1 + f.b2*f.x2 - f.a1*f.y1 - f.a2*f.y2
		f.x2, f.x1, f.y2, f.y1 = f.x1, x, f.y1, y
		s[i] = y
	}
}

// Telephone leaves what a telephone carries, 300 to 3,400 Hz, of sounds that follow each other.
type Telephone [4]running

// NewTelephone makes a Telephone.
func NewTelephone() *Telephone {
	return &Telephone{{biquad: highPass(300)}, {biquad: highPass(250)}, {biquad: lowPass(3400)}, {biquad: lowPass(3500)}}
}

// Apply filters s in its place.
func (t *Telephone) Apply(s Sound) {
	for i := range t {
		t[i].apply(s)
	}
}

func white(seed uint64, samples int) Sound {
	random := rand.New(rand.NewPCG(seed, 2))
	s := make(Sound, samples)
	for i := range s {
		s[i] = 1000 * random.NormFloat64()
	}
	return s
}

// Babble returns many voices at once, of all languages, at -26 dBFS.
func Babble(set Set, seed uint64, seconds float64, people int) (Sound, error) {
	var all Sound
	for i := range people {
		v, err := Voice(set, Languages[i%len(Languages)], seed*100+uint64(i), seconds, 0.2)
		if err != nil {
			return nil, err
		}
		all = Mix(all, v)
	}
	return all.At(-26), nil
}

// Traffic returns low noise that swells as vehicles pass, with a hum of engines, at -26 dBFS.
func Traffic(seed uint64, seconds float64) Sound {
	n := int(seconds * Rate)
	random := rand.New(rand.NewPCG(seed, 3))
	s := white(seed, n).filter(lowPass(500)).filter(lowPass(900))
	hiss := white(seed+1, n).filter(bandPass(1200, 0.5))
	swell, target, phase, pitch := 0.2, 0.3, 0.0, 60.0
	for i := range s {
		if i%(Rate/2) == 0 && random.IntN(3) == 0 {
			target = 0.15 + random.Float64()
			pitch = 45 + 60*random.Float64()
		}
		swell += (target - swell) / Rate
		phase += 2 * math.Pi * pitch / Rate
		s[i] = swell * (s[i] + 0.25*hiss[i] + 150*math.Sin(phase) + 100*math.Sin(2*phase))
	}
	return s.At(-26)
}

// Song returns music made from random numbers, at -26 dBFS: a melody with vibrato, chords, a bass and a drum, whose tempo,
// scale and instruments change every 15 s.
func Song(seed uint64, seconds float64) Sound {
	n := int(seconds * Rate)
	random := rand.New(rand.NewPCG(seed, 10))
	s := make(Sound, n)
	for from := 0; from < n; from += 15 * Rate {
		play(s[from:min(n, from+15*Rate)], random)
	}
	return s.At(-26)
}

// play fills s with a song.
func play(s Sound, random *rand.Rand) {
	scale := [...]float64{0, 2, 4, 5, 7, 9, 11, 12, 14, 16}
	if random.IntN(2) == 0 {
		scale = [...]float64{0, 2, 3, 5, 7, 8, 10, 12, 14, 15}
	}
	beat := int(60 / (60 + 90*random.Float64()) * Rate)
	root := 110 * math.Pow(2, random.Float64())
	hertz := func(step float64) float64 { return root * math.Pow(2, step/12) }
	tune, chord, bass, drum := newInstrument(random), newInstrument(random), newInstrument(random), random.Float64()
	melody := random.IntN(3) > 0
	for at, bar := 0, 0; at < len(s); at, bar = at+beat, bar+1 {
		degree := 0
		if bar%2 == 0 {
			degree = random.IntN(5)
			for third := 0; third <= 4; third += 2 {
				tone := chord.tone(hertz(scale[degree+third]), 2*beat)
				add(s, tone.Scale(0.4), at)
			}
		}
		add(s, bass.tone(hertz(scale[degree])/2, beat*9/10), at)
		for k := 0; melody && k < 2; k++ {
			if random.IntN(4) > 0 {
				add(s, tune.tone(2*hertz(scale[random.IntN(8)]), beat*(1+random.IntN(2))/2).Scale(1.2), at+k*beat/2)
			}
		}
		if drum > 0.4 {
			add(s, white(random.Uint64(), Rate/5).filter(highPass(2000+3000*random.Float64())).decay(0.03).Scale(drum), at+beat/2)
			add(s, white(random.Uint64(), Rate/5).filter(lowPass(150)).decay(0.06).Scale(6*drum), at)
		}
	}
}

// instrument is a timbre.
type instrument struct{ fade, vibrato, attack, decay float64 }

func newInstrument(random *rand.Rand) instrument {
	return instrument{fade: 0.6 + 1.8*random.Float64(), vibrato: max(0, 0.012*random.Float64()-0.003), attack: 0.005 + 0.06*random.Float64(),
		decay: 0.15 + 1.5*random.Float64()}
}

func (t instrument) tone(hertz float64, samples int) Sound {
	s := make(Sound, samples)
	phase := 0.0
	for i := range s {
		at := float64(i) / Rate
		phase += 2 * math.Pi * hertz / Rate * (1 + t.vibrato*math.Sin(2*math.Pi*5.5*at))
		v := 0.0
		for h := 1.0; h <= 8 && h*hertz < 7000; h++ {
			v += math.Sin(h*phase) / math.Pow(h, t.fade)
		}
		end := min(1, float64(samples-i)/(0.02*Rate))
		s[i] = 500 * v * min(1, at/t.attack) * math.Exp(-at/t.decay) * end
	}
	return s
}

// Hum returns mains hum with its harmonics and some hiss, at -26 dBFS.
func Hum(seed uint64, seconds float64) Sound {
	s := white(seed, int(seconds*Rate)).Scale(0.05)
	for i := range s {
		for h := 1; h <= 7; h += 2 {
			s[i] += 1000 / float64(h) * math.Sin(2*math.Pi*50*float64(h)*float64(i)/Rate)
		}
	}
	return s.At(-26)
}

// Typing returns the sound of keys pressed and released, at -26 dBFS.
func Typing(seed uint64, seconds float64) Sound {
	n := int(seconds * Rate)
	random := rand.New(rand.NewPCG(seed, 4))
	s := make(Sound, n)
	for at := 0; at < n; at += int((0.06 + 0.2*random.ExpFloat64()) * Rate) {
		for _, stroke := range []struct{ delay, loud float64 }{{0, 1}, {0.07, 0.5}} {
			burst := white(random.Uint64(), Rate/25).filter(bandPass(1500+3000*random.Float64(), 1.5))
			add(s, burst.decay(0.005+0.006*random.Float64()).Scale(stroke.loud), at+int(stroke.delay*Rate))
		}
	}
	return s.At(-26)
}

// Coughs returns bursts of shaped noise with a voiced end, one every few seconds, at -20 dBFS.
func Coughs(seed uint64, seconds float64) Sound {
	n := int(seconds * Rate)
	random := rand.New(rand.NewPCG(seed, 5))
	s := make(Sound, n)
	for at := Rate / 2; at < n; at += int((2 + 3*random.Float64()) * Rate) {
		for range 1 + random.IntN(3) {
			length := 0.15 + 0.2*random.Float64()
			burst := white(random.Uint64(), int(length*Rate))
			throat := Mix(burst.filter(bandPass(500+300*random.Float64(), 2)).Scale(2), burst.filter(bandPass(1500+700*random.Float64(), 2)), burst.filter(bandPass(3200, 1.5)).Scale(0.5))
			pitch := 110 + 120*random.Float64()
			phase := 0.0
			for i := range throat { // the glottis flutters towards the end
				phase += pitch / Rate * (1 + 0.1*random.NormFloat64())
				throat[i] += 300 * (phase - math.Floor(phase) - 0.5) * float64(i) / float64(len(throat))
			}
			add(s, throat.decay(length/3), at)
			at += int((length + 0.1) * Rate)
		}
	}
	return s.At(-20)
}

// Sneezes returns breaths drawn in, each with a hiss that begins hard, one every few seconds, at -20 dBFS.
func Sneezes(seed uint64, seconds float64) Sound {
	n := int(seconds * Rate)
	random := rand.New(rand.NewPCG(seed, 6))
	s := make(Sound, n)
	for at := Rate / 2; at < n; at += int((2.5 + 3*random.Float64()) * Rate) {
		breath := white(random.Uint64(), Rate*3/10).filter(bandPass(1200, 0.8)).Scale(0.1)
		add(s, breath, at)
		burst := white(random.Uint64(), Rate/2)
		burst = Mix(burst.filter(bandPass(2500+1500*random.Float64(), 1)), burst.filter(bandPass(900, 2)))
		add(s, burst.decay(0.1+0.08*random.Float64()), at+Rate*35/100)
	}
	return s.At(-20)
}

// Tones returns DTMF digits of 120 ms, three a second, at -20 dBFS.
func Tones(seed uint64, seconds float64) Sound {
	random := rand.New(rand.NewPCG(seed, 7))
	s := make(Sound, int(seconds*Rate))
	low, high := [4]float64{697, 770, 852, 941}, [4]float64{1209, 1336, 1477, 1633}
	for at := 0; at+Rate/8 < len(s); at += Rate / 3 {
		a, b := low[random.IntN(4)], high[random.IntN(4)]
		for i := range Rate * 12 / 100 {
			s[at+i] = 1000 * (math.Sin(2*math.Pi*a*float64(i)/Rate) + math.Sin(2*math.Pi*b*float64(i)/Rate))
		}
	}
	return s.At(-20)
}

func (s Sound) decay(seconds float64) Sound {
	for i := range s {
		attack := min(1, float64(i)/(0.004*Rate))
		s[i] *= attack * math.Exp(-float64(i)/Rate/seconds)
	}
	return s
}

func add(to, s Sound, at int) {
	for i := range s {
		if at+i < len(to) {
			to[at+i] += s[i]
		}
	}
}

// Tap is one way of sound through a room.
type Tap struct {
	Delay int // samples
	Gain  float64
}

// RoomTaps returns the response of a room: the direct way and random reflections that fade by 60 dB in reverb seconds; of
// 0 seconds, the direct way alone.
func RoomTaps(seed uint64, reverb float64) []Tap {
	random := rand.New(rand.NewPCG(seed, 8))
	taps := []Tap{{0, 1}}
	for at := Rate / 500; at < int(reverb*Rate*0.6); at += 20 + random.IntN(40) {
		taps = append(taps, Tap{at, 0.35 * random.NormFloat64() * math.Pow(10, -3*float64(at)/Rate/reverb)})
	}
	return taps
}

// Room convolves s with the response of a room. The level stays about the same.
func (s Sound) Room(seed uint64, reverb float64) Sound {
	out := make(Sound, len(s))
	for _, t := range RoomTaps(seed, reverb) {
		for i := t.Delay; i < len(s); i++ {
			out[i] += t.Gain * s[i-t.Delay]
		}
	}
	return out
}

// Hiss returns the noise of a microphone in a quiet room, at -65 dBFS.
func Hiss(seed uint64, seconds float64) Sound {
	return white(seed, int(seconds*Rate)).Scale(0.0185)
}

// Upsample returns s at 24 kHz, by straight lines between samples.
func Upsample(s Sound) Sound {
	up := make(Sound, len(s)*3/2)
	for i := range up {
		at := i * 2 / 3
		part := float64(i*2%3) / 3
		next := min(at+1, len(s)-1)
		up[i] = s[at]*(1-part) + s[next]*part
	}
	return up
}
