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
	filtered := make(Sound, len(s))
	var x1, x2, y1, y2 float64
	for i, x := range s {
		y := f.b0*x + f.b1*x1 + f.b2*x2 - f.a1*y1 - f.a2*y2
		x2, x1, y2, y1 = x1, x, y1, y
		filtered[i] = y
	}
	return filtered
}

func white(seed uint64, samples int) Sound {
	random := rand.New(rand.NewPCG(seed, 2))
	s := make(Sound, samples)
	for i := range s {
		s[i] = 1000 * random.NormFloat64()
	}
	return s
}

// Babble is many voices at once, of all languages, at -26 dBFS.
func Babble(seed uint64, seconds float64, people int) (Sound, error) {
	var all []Sound
	for i := range people {
		v, err := Voice(Languages[i%len(Languages)], seed*100+uint64(i), seconds, 0.2)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return Mix(all...).At(-26), nil
}

// Traffic is low noise that swells as vehicles pass, with a hum of engines, at -26 dBFS.
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

// Hum is mains hum with its harmonics and some hiss, at -26 dBFS.
func Hum(seed uint64, seconds float64) Sound {
	s := white(seed, int(seconds*Rate)).Scale(0.05)
	for i := range s {
		for h := 1; h <= 7; h += 2 {
			s[i] += 1000 / float64(h) * math.Sin(2*math.Pi*50*float64(h)*float64(i)/Rate)
		}
	}
	return s.At(-26)
}

// Typing is keys pressed and released, at -26 dBFS.
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

// Coughs are bursts of shaped noise with a voiced end, one every few seconds, at -20 dBFS.
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

// Sneezes are a drawn breath and a hiss that begins hard, one every few seconds, at -20 dBFS.
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

// Tones are DTMF digits of 120 ms, three a second, at -20 dBFS.
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

// Room convolves s with the response of a room: the direct way and random reflections that fade by 60 dB in reverb
// seconds. The level stays about the same.
func (s Sound) Room(seed uint64, reverb float64) Sound {
	random := rand.New(rand.NewPCG(seed, 8))
	type tap struct {
		at   int
		gain float64
	}
	taps := []tap{{0, 1}}
	for at := Rate / 500; at < int(reverb*Rate*0.6); at += 20 + random.IntN(40) {
		taps = append(taps, tap{at, 0.35 * random.NormFloat64() * math.Pow(10, -3*float64(at)/Rate/reverb)})
	}
	out := make(Sound, len(s))
	for _, t := range taps {
		for i := t.at; i < len(s); i++ {
			out[i] += t.gain * s[i-t.at]
		}
	}
	return out
}

// Hiss is the noise of a microphone in a quiet room, at -65 dBFS.
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
