package audio

import (
	"math"
	"time"
)

// Tone returns a sine of freq hertz at -12 dBFS peak, d long, with 5 ms ramps so that it neither clicks in nor out.
func Tone(freq float64, rate int, d time.Duration) []int16 {
	const peak = 8192
	pcm := make([]int16, int(d.Seconds()*float64(rate)+0.5))
	ramp := min(rate/200, len(pcm)/2)
	for i := range pcm {
		g := 1.0
		if edge := min(i, len(pcm)-1-i); edge < ramp {
			g = float64(edge) / float64(ramp)
		}
		pcm[i] = int16(math.Round(g * peak * math.Sin(2*math.Pi*freq*float64(i)/float64(rate))))
	}
	return pcm
}

// Power returns the part of pcm's energy that lies at freq hertz, 0 to 1, by Goertzel's algorithm: about 1 for that tone
// alone, near 0 for silence, noise and tones further off than rate/len(pcm) hertz.
func Power(pcm []int16, freq float64, rate int) float64 {
	if len(pcm) == 0 {
		return 0
	}
	coeff := 2 * math.Cos(2*math.Pi*freq/float64(rate))
	var s1, s2, energy float64
	for _, v := range pcm {
		x := float64(v)
		s1, s2 = x+coeff*s1-s2, s1
		energy += x * x
	}
	if energy == 0 {
		return 0
	}
	return 2 * (s1*s1 + s2*s2 - coeff*s1*s2) / (energy * float64(len(pcm)))
}
