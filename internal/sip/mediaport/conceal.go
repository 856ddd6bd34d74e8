package mediaport

import (
	"math"
	"time"
)

const (
	// minPitch and maxPitch are the periods of voices that the concealment repeats: 66 to 200 Hz, as in G.711 Appendix I.
	minPitch, maxPitch = 5 * time.Millisecond, 15 * time.Millisecond

	// pitchWindow is the audio that a period is looked for in.
	pitchWindow = 20 * time.Millisecond

	// concealFull is how long a concealment keeps its level, and concealMost when it has faded to silence.
	concealFull, concealMost = 10 * time.Millisecond, 60 * time.Millisecond

	// overlap is the length of the transition from concealed to received audio.
	overlap = 5 * time.Millisecond
)

// concealer replaces lost audio of a codec that has no concealment of its own: it repeats the last period of the voice and
// fades (in the spirit of G.711 Appendix I, without its delay).
type concealer struct {
	rate    int
	history []int16   // the last audio, received or concealed
	period  []float32 // being repeated
	at      int       // in the period
	emitted int       // samples of the concealment; 0 while audio is received
	step    float32   // between the last received sample and the first repeated one
}

func newConcealer(rate int) *concealer {
	return &concealer{rate: rate, history: make([]int16, samples(rate, pitchWindow+2*maxPitch)), period: make([]float32, 0, samples(rate, 2*maxPitch))}
}

// received blends audio that was received after a concealment with it, in place, and remembers it.
func (c *concealer) received(pcm []int16) {
	if c.emitted > 0 {
		n := min(samples(c.rate, overlap), len(pcm))
		for i := range n {
			w := float32(i+1) / float32(n+1)
			pcm[i] = int16(w*float32(pcm[i]) + (1-w)*c.next())
		}
		c.emitted = 0
	}
	c.remember(pcm)
}

func (c *concealer) remember(pcm []int16) {
	if len(pcm) >= len(c.history) {
		copy(c.history, pcm[len(pcm)-len(c.history):])
		return
	}
	copy(c.history, c.history[len(pcm):])
	copy(c.history[len(c.history)-len(pcm):], pcm)
}

// conceal appends n samples that replace lost ones.
func (c *concealer) conceal(n int, pcm []int16) []int16 {
	if c.emitted == 0 {
		c.begin()
	}
	start := len(pcm)
	for range n {
		pcm = append(pcm, int16(c.next()))
	}
	c.remember(pcm[start:])
	return pcm
}

// begin takes the last two periods of the history, joined to themselves by a cross-fade of a quarter of a period.
func (c *concealer) begin() {
	pitch := c.pitch()
	end := len(c.history)
	c.period, c.at = c.period[:0], pitch // the more recent period first
	for _, v := range c.history[end-2*pitch:] {
		c.period = append(c.period, float32(v))
	}
	quarter := pitch / 4
	for i := range quarter {
		w := float32(i+1) / float32(quarter+1)
		k := len(c.period) - quarter + i
		c.period[k] = (1-w)*c.period[k] + w*float32(c.history[end-2*pitch-quarter+i])
	}
	c.step = float32(c.history[end-1]) - c.period[pitch-1]
}

// next returns the next sample of the concealment.
func (c *concealer) next() float32 {
	most, smooth := samples(c.rate, concealMost), c.rate/500
	i := c.emitted
	c.emitted++
	if i >= most {
		return 0
	}
	v := c.period[c.at]
	if c.at++; c.at == len(c.period) {
		c.at = 0
	}
	if i < smooth {
		v += c.step * (1 - float32(i)/float32(smooth))
	}
	return max(-32768, min(32767, v*fade(i, c.rate)))
}

// fade returns the gain of a sample of a concealment.
func fade(i, rate int) float32 {
	full, most := samples(rate, concealFull), samples(rate, concealMost)
	return max(0, min(1, float32(most-i)/float32(most-full)))
}

// pitch returns the period in samples at which the history repeats itself best. Every second sample is compared at most,
// which is enough for a voice.
func (c *concealer) pitch() int {
	shortest, longest, window := samples(c.rate, minPitch), samples(c.rate, maxPitch), samples(c.rate, pitchWindow)
	stride := max(1, c.rate/8000)
	tail := c.history[len(c.history)-window:]
	best, bestScore := longest, math.Inf(-1)
	for lag := shortest; lag <= longest; lag += stride {
		before := c.history[len(c.history)-window-lag:]
		var product, energy float64
		for i := 0; i < window; i += 2 * stride {
			product += float64(tail[i]) * float64(before[i])
			energy += float64(before[i]) * float64(before[i])
		}
		if score := product / math.Sqrt(energy+1); score > bestScore {
			best, bestScore = lag, score
		}
	}
	return best
}
