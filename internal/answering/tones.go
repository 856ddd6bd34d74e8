package answering

import (
	"math"
	"time"

	"parley/internal/hearing/spectrum"
)

// frame is the duration of a frame of sound, at 16 kHz.
const frame = 20 * time.Millisecond

// tone is a stretch of sound with one line in its spectrum, or two.
type tone struct {
	frequency  float64 // hertz, of the stronger line
	start, end time.Time
	level      float64 // dBFS
	steady     bool    // frequency and level did not change: no voice holds a note so well
}

func (t tone) duration() time.Duration { return t.end.Sub(t.start) }

const (
	quietBelow  = -48.0 // dBFS: a frame below holds no tone
	lineShare   = 0.85  // of the energy, that one line of a tone has
	pairShare   = 0.88  // that two lines have
	sameTone    = 0.04  // relative difference of frequency up to which frames are of one tone
	steadyTone  = 0.012 // and up to which it is steady
	steadyLevel = 2.5   // dB
	binHertz    = 25.0
	leastTone   = 3 // frames
)

// toneFinder finds tones in the frames of a line.
type toneFinder struct {
	plan     spectrum.Plan
	samples  [spectrum.Size]float32 // the last two frames
	windowed [spectrum.Size]float32
	bins     [spectrum.Bins]complex64

	current    tone
	frames     int // of the current tone; 0 for none
	gap        int // frames without it
	low, high  float64
	soft, loud float64
	level      float64 // of the last frame, dBFS
}

// push adds a frame, which ended at a time. It returns a tone that is over.
func (f *toneFinder) push(pcm []int16, at time.Time) (ended tone, ok bool) {
	copy(f.samples[:], f.samples[spectrum.Size/2:])
	sum := 0.0
	for i, v := range pcm[:min(len(pcm), spectrum.Size/2)] {
		f.samples[spectrum.Size/2+i] = float32(v)
		sum += float64(v) * float64(v)
	}
	f.level = -100
	if sum > 0 {
		f.level = 10 * math.Log10(sum/float64(len(pcm))/(32768*32768))
	}
	frequency, isTone := 0.0, false
	if f.level > quietBelow {
		frequency, isTone = f.line()
	}
	switch {
	case isTone && f.frames > 0 && math.Abs(frequency-f.current.frequency) <= sameTone*f.current.frequency:
		f.extend(frequency, at)
	case isTone:
		ended, ok = f.finish()
		f.current, f.frames, f.gap = tone{frequency: frequency, start: at.Add(-frame), end: at}, 1, 0
		f.low, f.high, f.soft, f.loud = frequency, frequency, math.Inf(1), math.Inf(-1)
	case f.frames > 0:
		if f.gap++; f.gap > 1 {
			ended, ok = f.finish()
		}
	}
	return ended, ok
}

// extend adds a frame to the current tone. Its first frame and the last one are partly of what surrounds it.
func (f *toneFinder) extend(frequency float64, at time.Time) {
	if f.frames == 1 {
		f.current.frequency, f.low, f.high = frequency, frequency, frequency
	}
	f.frames++
	f.gap = 0
	f.current.end = at
	f.low, f.high = min(f.low, frequency), max(f.high, frequency)
	if f.frames > 2 {
		f.soft, f.loud = min(f.soft, f.current.level), max(f.loud, f.current.level)
	}
	f.current.level = f.level
}

// finish ends the current tone.
func (f *toneFinder) finish() (tone, bool) {
	t, frames := f.current, f.frames
	f.current, f.frames, f.gap = tone{}, 0, 0
	t.steady = f.high-f.low <= max(steadyTone*t.frequency, 8) && f.loud-f.soft <= steadyLevel
	t.level = max(f.loud, t.level)
	return t, frames >= leastTone
}

// sounding returns the tone that has not ended.
func (f *toneFinder) sounding() (tone, bool) {
	t := f.current
	t.steady = f.high-f.low <= max(steadyTone*t.frequency, 8) && f.loud-f.soft <= steadyLevel
	return t, f.frames >= leastTone && f.gap == 0
}

// inTone reports whether the last frame is of a tone.
func (f *toneFinder) inTone() bool { return f.frames > 0 && f.gap == 0 }

// line returns the frequency of the strongest line of the last two frames, and whether it is a tone: nearly all of the
// energy is in it, or in it and another one.
func (f *toneFinder) line() (hertz float64, ok bool) {
	spectrum.Window(&f.windowed, &f.samples)
	f.plan.Forward(&f.bins, &f.windowed)
	var power [spectrum.Bins]float64
	total := 0.0
	const lowest, highest = 12, 150 // 300 to 3,750 Hz
	for k := 5; k <= highest; k++ {
		re, im := float64(real(f.bins[k])), float64(imag(f.bins[k]))
		power[k] = re*re + im*im
		total += power[k]
	}
	if total == 0 {
		return 0, false
	}
	first := strongest(&power, lowest, highest-2)
	share := take(&power, first) / total
	if share < lineShare {
		second := strongest(&power, lowest, highest-2)
		if share+take(&power, second)/total < pairShare || share < 0.3 {
			return 0, false
		}
	}
	return f.interpolate(first), true
}

func strongest(power *[spectrum.Bins]float64, from, to int) (at int) {
	at = from
	for k := from; k <= to; k++ {
		if power[k] > power[at] {
			at = k
		}
	}
	return at
}

// take returns the energy of the line at a bin, and removes it.
func take(power *[spectrum.Bins]float64, at int) (sum float64) {
	for k := at - 2; k <= at+2; k++ {
		sum += power[k]
		power[k] = 0
	}
	return sum
}

// interpolate returns the frequency of a line by the magnitudes of its bin and the two beside it.
func (f *toneFinder) interpolate(k int) float64 {
	magnitude := func(k int) float64 { return math.Hypot(float64(real(f.bins[k])), float64(imag(f.bins[k]))) }
	a, b, c := magnitude(k-1), magnitude(k), magnitude(k+1)
	if curve := a - 2*b + c; curve != 0 {
		return binHertz * (float64(k) + 0.5*(a-c)/curve)
	}
	return binHertz * float64(k)
}
