// Package speech judges by spectrum, pitch and rhythm whether sound is a person speaking into the microphone.
package speech

import (
	"math"
	"math/rand/v2"

	"parley/internal/hearing/spectrum"
)

// Inputs is how many features a Network gets.
const Inputs = 34

const (
	bands   = 8
	context = 100 // frames that the slow features look at, 2 s
	recent  = 15  // and the quick ones, 300 ms
)

// edges are the bands' borders in bins of 25 Hz: 100 to 7,000 Hz.
var edges = [bands + 1]int{4, 12, 20, 32, 48, 72, 108, 160, 280}

// moment is what one frame sounds like.
type moment struct {
	level     float32 // dBFS
	harmony   float32 // 0 to 1: how nearly the sound repeats itself at the pitch
	pitch     float32 // octaves over 50 Hz
	bands     [bands]float32
	overFloor float32 // dB
}

// roomNoise, at -70 dBFS, is added to every frame: digital silence sounds like a quiet room to a Network.
var roomNoise = func() (noise [7919]float32) {
	random := rand.New(rand.NewPCG(1, 31))
	for i := range noise {
		noise[i] = float32(random.NormFloat64() * math.Pow(10, -70.0/20))
	}
	return noise
}()

// Features turns frames into what a Network judges by. It allocates nothing per frame.
type Features struct {
	plan     spectrum.Plan
	samples  [spectrum.Size]float32
	windowed [spectrum.Size]float32
	bins     [spectrum.Bins]complex64
	past     [context]moment
	n        int
	floor    float32
	out      [Inputs]float32
}

// NewFeatures makes Features.
func NewFeatures() *Features { return &Features{floor: -60} }

// Push adds a frame of 20 ms at 16 kHz and returns the features, valid until the next call.
func (f *Features) Push(frame []int16) *[Inputs]float32 {
	const hop = spectrum.Size / 2
	copy(f.samples[:hop], f.samples[hop:])
	for i := range hop {
		f.samples[hop+i] = roomNoise[(f.n*hop+i)%len(roomNoise)]
		if i < len(frame) {
			f.samples[hop+i] += float32(frame[i]) / 32768
		}
	}
	spectrum.Window(&f.windowed, &f.samples)
	f.plan.Forward(&f.bins, &f.windowed)
	m := &f.past[f.n%context]
	f.n++
	f.measure(m)
	f.summarize()
	return &f.out
}

// measure fills in a moment from the spectrum, which it replaces by the power spectrum.
func (f *Features) measure(m *moment) {
	var total float32
	for b := range bands {
		var sum float32
		for k := edges[b]; k < edges[b+1]; k++ {
			v := f.bins[k]
			sum += real(v)*real(v) + imag(v)*imag(v)
		}
		total += sum
		m.bands[b] = decibels(sum)
	}
	// A Hann window passes 3/8 of the power; the transform multiplies it by Size.
	m.level = decibels(total * 2 / (spectrum.Size * spectrum.Size * 0.375))
	if m.level < f.floor {
		f.floor += 0.3 * (m.level - f.floor)
	} else {
		f.floor += min(0.06, m.level-f.floor)
	}
	f.floor = max(f.floor, -65)
	m.overFloor = m.level - f.floor
	for k, v := range f.bins {
		power := real(v)*real(v) + imag(v)*imag(v)
		if k < 3 || k > 160 {
			power = 0
		}
		f.bins[k] = complex(power, 0)
	}
	f.plan.Inverse(&f.windowed, &f.bins)
	m.harmony, m.pitch = 0, 2
	if whole := f.windowed[0]; whole > 1e-9 {
		best := 0
		for lag := 40; lag <= 228; lag++ {
			// The window makes later lags smaller.
			share := float32(lag) / spectrum.Size
			if h := f.windowed[lag] / whole / ((1-share)*(1-share)*(1+2*share) + 0.02); h > m.harmony*1.03 && f.windowed[lag] >= f.windowed[lag-1] && f.windowed[lag] >= f.windowed[lag+1] {
				m.harmony, best = h, lag
			}
		}
		if best > 0 {
			m.harmony = min(m.harmony, 1)
			m.pitch = float32(math.Log2(16000 / float64(best) / 50))
		}
	}
}

// summarize fills in the features.
func (f *Features) summarize() {
	out := f.out[:0]
	now := f.at(0)
	var level, levels, loudest, harmony, harmonic, over, flux float32
	loudest = -100
	var means, squares [bands]float32
	var voiced, moved, slide float32
	for i := range recent {
		m := f.at(i)
		level += m.level / recent
		levels += m.level * m.level / recent
		loudest = max(loudest, m.level)
		harmony += m.harmony / recent
		over += m.overFloor / recent
		if m.harmony > 0.55 {
			harmonic += 1.0 / recent
		}
		before := f.at(i + 1)
		if m.harmony > 0.5 && before.harmony > 0.5 {
			if d := m.pitch - before.pitch; d < 0.25 && d > -0.25 {
				voiced++
				moved += max(d, -d)
				slide += d
			}
		}
		for b, v := range m.bands {
			v -= m.level
			means[b] += v / recent
			squares[b] += v * v / recent
			d := m.bands[b] - before.bands[b]
			flux += max(d, -d) / (recent * bands)
		}
	}
	out = append(out, now.level, level, deviation(level, levels), loudest, over, now.overFloor,
		harmony, harmonic, now.harmony, now.pitch, voiced/recent, moved/max(voiced, 1)*50, slide/max(voiced, 1)*50, flux)
	for b := range bands {
		out = append(out, means[b], deviation(means[b], squares[b]))
	}
	var slow, slows, song, steady, busy float32
	for i := range context - 1 {
		m, before := f.at(i), f.at(i+1)
		slow += m.level / (context - 1)
		slows += m.level * m.level / (context - 1)
		song += m.harmony / (context - 1)
		if d := m.pitch - before.pitch; m.harmony > 0.5 && d < 0.015 && d > -0.015 {
			steady += 1.0 / (context - 1)
		}
		if m.overFloor > 6 {
			busy += 1.0 / (context - 1)
		}
	}
	_ = append(out, deviation(slow, slows), song, steady, busy)
}

// at returns the frame that came i frames ago.
func (f *Features) at(i int) *moment { return &f.past[(f.n-1-i+2*context)%context] }

func deviation(mean, square float32) float32 {
	return float32(math.Sqrt(float64(max(0, square-mean*mean))))
}

func decibels(power float32) float32 {
	return float32(10 * math.Log10(float64(power)+1e-10))
}
