package hearing

import (
	"math"

	"parley/internal/hearing/spectrum"
)

// suppressor takes steady noise out of audio by the gain that Wiener's filter gives each bin. What it returns is 20 ms
// late.
type suppressor struct {
	plan     spectrum.Plan
	samples  [spectrum.Size]float32
	windowed [spectrum.Size]float32
	overlap  [hop]float32
	bins     bins
	noise    [spectrum.Bins]float32 // power
	smooth   [spectrum.Bins]float32 // power of the frames, smoothed
	clear    [spectrum.Bins]float32 // power of the frame before, without noise
	n        int
	out      [hop]int16
}

const (
	leastGain = 0.18  // of a bin, -15 dB: less sounds like drips
	noiseFall = 0.3   // share of a quieter frame in the noise
	noiseRise = 1.012 // most that noise rises in a frame: 2.6 dB a second
)

func (s *suppressor) suppress(pcm []int16) []int16 {
	copy(s.samples[:hop], s.samples[hop:])
	for i := range hop {
		s.samples[hop+i] = 0
		if i < len(pcm) {
			s.samples[hop+i] = float32(pcm[i]) / 32768
		}
	}
	spectrum.Root(&s.windowed, &s.samples)
	s.plan.Forward(&s.bins, &s.windowed)
	s.n++
	for k, v := range s.bins {
		power := abs2(v)
		s.smooth[k] += 0.3 * (power - s.smooth[k])
		switch {
		case s.n <= 5:
			s.noise[k] = max(s.noise[k], s.smooth[k])
		case s.smooth[k] < s.noise[k]:
			s.noise[k] += noiseFall * (s.smooth[k] - s.noise[k])
		default:
			s.noise[k] = min(s.smooth[k], s.noise[k]*noiseRise)
		}
		noise := 1.5*s.noise[k] + 1e-9
		prior := 0.9*s.clear[k]/noise + 0.1*max(0, power/noise-1)
		gain := max(leastGain, prior/(1+prior))
		s.clear[k] = gain * gain * power
		s.bins[k] = complex(real(v)*gain, imag(v)*gain)
	}
	s.plan.Inverse(&s.windowed, &s.bins)
	spectrum.Root(&s.windowed, &s.windowed)
	for i := range s.out {
		s.out[i] = clip(s.overlap[i] + s.windowed[i])
	}
	copy(s.overlap[:], s.windowed[hop:])
	return s.out[:]
}

// leveller raises the audio of soft callers for the recogniser.
type leveller struct {
	level float64 // of the caller's speech, dBFS
	gain  float32
	out   [hop]int16
}

const (
	wantedLevel = -30 // dBFS; speech that is louder stays as it is
	mostGain    = 24  // dB
)

// push raises a frame; speech says that it holds the caller's.
func (l *leveller) push(pcm []int16, speech bool, level float64) []int16 {
	if speech {
		if l.level == 0 {
			l.level = wantedLevel // the first soft consonants do not say that the caller is soft
		}
		if level > l.level {
			l.level += 0.5 * (level - l.level)
		} else {
			l.level += 0.05 * (level - l.level)
		}
	}
	wanted := float32(1)
	if l.level < wantedLevel {
		wanted = float32(math.Pow(10, min(mostGain, wantedLevel-l.level)/20))
	}
	if l.gain == 0 {
		l.gain = 1
	}
	before := l.gain
	if wanted < before {
		l.gain = wanted // what is loud must not be clipped
	} else {
		l.gain += 0.05 * (wanted - l.gain)
	}
	if before < 1.01 && l.gain < 1.01 {
		return pcm
	}
	for i, v := range pcm[:min(hop, len(pcm))] {
		g := before + (l.gain-before)*float32(i)/hop
		l.out[i] = clip(float32(v) / 32768 * g)
	}
	return l.out[:min(hop, len(pcm))]
}
