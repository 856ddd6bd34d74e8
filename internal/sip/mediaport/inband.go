package mediaport

import "math"

// The tones of keys (ITU-T Q.23), in Hz.
var (
	lowTones  = [4]float64{697, 770, 852, 941}
	highTones = [4]float64{1209, 1336, 1477, 1633}
	toneKeys  = [4]string{"123A", "456B", "789C", "*0#D"}
)

// Limits of the detection, after ITU-T Q.24: tones of 40 ms and longer are keys, and those of 23 ms and shorter are not;
// tones may differ in level by 8 dB with the high one weaker, and by 4 dB with the low one weaker.
const (
	toneBlock = 102. / 8000 // seconds; the filters are about 80 Hz wide
	toneSteps = 2           // blocks overlap by half

	toneHits   = 4 // consecutive blocks of a key: 32 ms
	toneMisses = 5 // consecutive blocks without it that end a key: 32 ms and more

	faintestTone = -40.0 // dBFS, of either tone
	normalTwist  = 9.0   // dB; a tone leaks a little into the other's filter
	reverseTwist = 5.0
	toneContrast = 4.0 // power of a tone over each other one of its group
	toneShare    = 0.8 // of the block's energy that is in the two tones; speech has overtones
)

// toneDetector finds the tones of keys in audio (in-band DTMF), by Goertzel's algorithm.
type toneDetector struct {
	report func(Digit)
	rate   int
	coeffs [8]float32 // of the low tones, then of the high ones
	block  []float32  // the last samples
	filled int

	key     byte // of the current run of blocks; 0 for none
	hits    int
	misses  int
	pressed bool
}

func newToneDetector(rate int, report func(Digit)) *toneDetector {
	d := &toneDetector{report: report, rate: rate, block: make([]float32, int(toneBlock*float64(rate)+0.5)/2*2)}
	for i := range 4 {
		d.coeffs[i] = float32(2 * math.Cos(2*math.Pi*lowTones[i]/float64(rate)))
		d.coeffs[4+i] = float32(2 * math.Cos(2*math.Pi*highTones[i]/float64(rate)))
	}
	return d
}

// push looks at audio, and reports whether a key is pressed at its end.
func (d *toneDetector) push(pcm []int16) bool {
	hop := len(d.block) / toneSteps
	for _, v := range pcm {
		d.block[d.filled] = float32(v)
		if d.filled++; d.filled == len(d.block) {
			d.decide(d.detect())
			d.filled = copy(d.block, d.block[hop:])
		}
	}
	return d.pressed
}

func (d *toneDetector) decide(key byte) {
	if d.pressed {
		if key == d.key {
			d.misses = 0
			return
		}
		if d.misses++; d.misses < toneMisses && (key == 0 || d.misses < toneHits) {
			return
		}
		d.pressed, d.misses, d.hits = false, 0, 0
	}
	if key == 0 || key != d.key {
		d.key, d.hits = key, 0
	}
	if key == 0 {
		return
	}
	if d.hits++; d.hits >= toneHits {
		d.pressed, d.misses = true, 0
		d.report(Digit{Key: key, Source: DigitInband})
	}
}

// detect returns the key whose tones are in the block, or 0.
func (d *toneDetector) detect() byte {
	n := float32(len(d.block))
	var energy float32
	for _, v := range d.block {
		energy += v * v
	}
	least := float32(32768*32768*math.Pow(10, faintestTone/10)) * n
	if energy < 2*least {
		return 0
	}
	var power [8]float32 // of the tone's samples, summed
	for i, c := range d.coeffs {
		var s1, s2 float32
		for _, v := range d.block {
			s1, s2 = v+c*s1-s2, s1
		}
		power[i] = (s1*s1 + s2*s2 - c*s1*s2) * 2 / n
	}
	row, low, ok := strongest(power[:4])
	column, high, okHigh := strongest(power[4:])
	twist := 10 * math.Log10(float64(low/high))
	if !ok || !okHigh || low < least || high < least || twist > normalTwist || twist < -reverseTwist || low+high < toneShare*energy {
		return 0
	}
	return toneKeys[row][column]
}

// strongest returns the tone of a group that stands out from the others.
func strongest(power []float32) (tone int, value float32, ok bool) {
	for i, p := range power {
		if p > value {
			tone, value = i, p
		}
	}
	for i, p := range power {
		if i != tone && p*toneContrast > value {
			return 0, 1, false
		}
	}
	return tone, value, value > 0
}
