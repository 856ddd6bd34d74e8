package audio

import "math"

const (
	// noiseWindow is the samples that are judged together.
	noiseWindow = 480
	// noiseLevel is the root mean square, and noiseLikeness the correlation of neighbouring samples, that no speech reaches together:
	// compressed data, floats or bytes in the wrong order, taken for PCM, are louder and have no likeness.
	noiseLevel    = 13000
	noiseLikeness = 0.3
)

// NoiseDetector finds sound that is no sound: data of another format that was taken for PCM. The zero value is ready.
type NoiseDetector struct {
	samples         int
	energy, product float64
	last            float64
}

// Push takes PCM and reports whether it is such data.
func (d *NoiseDetector) Push(pcm []int16) bool {
	for _, v := range pcm {
		x := float64(v)
		d.energy += x * x
		d.product += x * d.last
		d.last = x
		if d.samples++; d.samples == noiseWindow {
			loud := d.energy > noiseLevel*noiseLevel*noiseWindow
			unlike := math.Abs(d.product) < noiseLikeness*d.energy
			if loud && unlike {
				return true
			}
			d.samples, d.energy, d.product = 0, 0, 0
		}
	}
	return false
}
