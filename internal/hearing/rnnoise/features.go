package rnnoise

import (
	"math"

	"parley/internal/hearing/spectrum"
)

// The features of RNNoise, for audio at 16 kHz: the bands over 8 kHz are silent.
const (
	features = bands + 3*deltas + 2
	bands    = 22
	deltas   = 6 // of the cepstrum, and of the pitch's correlation
	memory   = 8 // cepstra that their variability is measured over

	hop       = 160  // samples, 10 ms
	size      = 320  // of a window
	minPeriod = 20   // of the pitch, samples
	maxPeriod = 256  // the same
	silence   = 0.04 // energy of a window that counts as silent
	ratio     = 3    // of the rate of models, 48 kHz, to ours
	bin       = 2    // bins of 25 Hz, which package spectrum has, in one of 50 Hz
	doubling  = 0.85 // share of the highest correlation that a fraction of its period must have

	// Of the high-pass filter: its poles of 48 kHz, 0.998 at an angle of 0.00245, to the third power.
	highPassA = 1.98796
	highPassB = 0.98805
)

// edges are the bands' borders in bins of 50 Hz.
var edges = [bands]int{0, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 136, 160, 160, 160, 160, 160}

var (
	window [size]float32
	cosine [bands][bands]float32
)

func init() {
	for i := range size / 2 {
		sin := math.Sin(math.Pi / 2 * (float64(i) + 0.5) / (size / 2))
		window[i] = float32(math.Sin(math.Pi / 2 * sin * sin))
		window[size-1-i] = window[i]
	}
	for i := range bands {
		for j := range bands {
			cosine[i][j] = float32(math.Cos((float64(j)+0.5)*float64(i)*math.Pi/bands) * math.Sqrt(2.0/bands))
			if i == 0 {
				cosine[i][j] *= math.Sqrt2 / 2
			}
		}
	}
}

// extractor makes features of audio.
type extractor struct {
	plan    spectrum.Plan
	past    [maxPeriod + size]float32 // the latest samples, in the range of int16
	half    [(maxPeriod + size) / 2]float32
	buffer  [spectrum.Size]float32
	now     [spectrum.Bins]complex64
	before  [spectrum.Bins]complex64 // a period of the pitch earlier
	x1, x2  float32                  // memory of the high-pass filter
	y1, y2  float32
	cepstra [memory][bands]float32 // a ring
	n       int
	out     [features]float32
}

// push adds 10 ms of audio. It returns nil for silence.
func (e *extractor) push(pcm []int16) *[features]float32 {
	copy(e.past[:], e.past[hop:])
	for i := range hop {
		x := float32(0)
		if i < len(pcm) {
			x = float32(pcm[i])
		}
		y := x - 2*e.x1 + e.x2 + highPassA*e.y1 - highPassB*e.y2
		e.x2, e.x1, e.y2, e.y1 = e.x1, x, e.y1, y
		e.past[len(e.past)-hop+i] = y
	}
	e.transform(&e.now, 0)
	var power, earlier, correlation [bands]float32
	share(&power, &e.now, &e.now)
	period := e.period()
	e.transform(&e.before, period)
	share(&earlier, &e.before, &e.before)
	share(&correlation, &e.now, &e.before)
	var total float32
	for b, v := range power {
		total += v
		correlation[b] /= float32(math.Sqrt(float64(0.001 + v*earlier[b])))
	}
	if total < silence {
		return nil
	}
	e.fill(&power, &correlation, period)
	return &e.out
}

// fill makes the features of what was measured.
func (e *extractor) fill(power, correlation *[bands]float32, period int) {
	var levels [bands]float32
	loudest, follow := float32(-2), float32(-2)
	for b, v := range power {
		levels[b] = max(loudest-7, follow-1.5, float32(math.Log10(0.01+float64(v))))
		loudest, follow = max(loudest, levels[b]), max(follow-1.5, levels[b])
	}
	latest, second, third := &e.cepstra[e.n%memory], &e.cepstra[(e.n+memory-1)%memory], &e.cepstra[(e.n+memory-2)%memory]
	e.n++
	cepstrum(latest[:], &levels)
	latest[0] -= 12
	latest[1] -= 4
	copy(e.out[:], latest[:])
	for i := range deltas {
		a, b, c := latest[i], second[i], third[i]
		e.out[i], e.out[bands+i], e.out[bands+deltas+i] = a+b+c, a-c, a-2*b+c
	}
	cepstrum(e.out[bands+2*deltas:bands+3*deltas], correlation)
	e.out[bands+2*deltas] -= 1.3
	e.out[bands+2*deltas+1] -= 0.9
	e.out[bands+3*deltas] = 0.01 * float32(ratio*period-300)
	e.out[bands+3*deltas+1] = e.variability() - 2.1
}

// variability returns the mean distance of each cepstrum from the one most like it.
func (e *extractor) variability() (mean float32) {
	for i := range e.cepstra {
		least := float32(math.MaxFloat32)
		for j := range e.cepstra {
			if i == j {
				continue
			}
			var distance float32
			for k, v := range e.cepstra[i] {
				d := v - e.cepstra[j][k]
				distance += d * d
			}
			least = min(least, distance)
		}
		mean += least / memory
	}
	return mean
}

// transform makes the spectrum of the window that ended so many samples ago. Every second bin of twice the length is one
// of the window alone.
func (e *extractor) transform(to *[spectrum.Bins]complex64, ago int) {
	clear(e.buffer[size:])
	for i, w := range window {
		e.buffer[i] = w * e.past[maxPeriod-ago+i] / size
	}
	e.plan.Forward(to, &e.buffer)
}

// share adds the product of two spectra up in triangular bands that overlap.
func share(to *[bands]float32, a, b *[spectrum.Bins]complex64) {
	for i := range bands - 1 {
		width := edges[i+1] - edges[i]
		for j := range width {
			k := bin * (edges[i] + j)
			product := real(a[k])*real(b[k]) + imag(a[k])*imag(b[k])
			part := float32(j) / float32(width)
			to[i] += (1 - part) * product
			to[i+1] += part * product
		}
	}
	to[0] *= 2
	to[bands-1] *= 2
}

// cepstrum transforms bands by a cosine transform.
func cepstrum(to []float32, from *[bands]float32) {
	for i := range to {
		to[i] = 0
		for j, v := range from {
			to[i] += v * cosine[i][j]
		}
	}
}

// period returns the period of the pitch in samples: where the sound is most like itself, or a fraction of that. It is
// searched at half the rate, then refined.
func (e *extractor) period() int {
	for i := range e.half {
		e.half[i] = 0.5 * (e.past[2*i] + e.past[2*i+1])
	}
	half := e.half[:]
	lag, highest := peak(half, minPeriod*3/2, maxPeriod/2)
	for fraction := maxPeriod / minPeriod; fraction > 1; fraction-- {
		shorter := (lag + fraction/2) / fraction
		if _, c := peak(half, shorter, shorter); 2*shorter >= minPeriod && c > doubling*highest {
			lag = shorter
			break
		}
	}
	lag, _ = peak(e.past[:], max(minPeriod, 2*lag-1), min(maxPeriod, 2*lag+1))
	return lag
}

// peak returns the lag between two at which the last 20 ms of samples are most like what was before them, and their
// normalised correlation there.
func peak(samples []float32, least, most int) (best int, highest float32) {
	from := len(samples) - len(samples)*size/(maxPeriod+size)
	late := samples[from:]
	energy, earlier := dot(late, late), dot(samples[from-least:], samples[from-least:len(samples)-least])
	best = least
	for lag := least; lag <= most; lag++ {
		if c := dot(late, samples[from-lag:]) / float32(math.Sqrt(float64(1+energy*max(0, earlier)))); c > highest {
			best, highest = lag, c
		}
		if lag < most {
			in, out := samples[from-lag-1], samples[len(samples)-lag-1]
			earlier += in*in - out*out
		}
	}
	return best, highest
}

// dot returns the sum of products over the shorter of two rows.
func dot(a, b []float32) (sum float32) {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
