package hearing

import (
	"math"

	"parley/internal/hearing/spectrum"
)

const (
	partitions = 8  // of the filter, 20 ms each: 160 ms of echo
	delays     = 31 // that are looked for, 20 ms each: up to 600 ms
	history    = delays + partitions
	lowBin     = 12 // 300 Hz
	delayBins  = 31 // every fourth bin up to 3,400 Hz
	echoBands  = 16
	// echoMemory is the share of a new frame in the powers that delays are compared by: 300 ms.
	echoMemory = 0.06
	// leastCoherence is the mean coherence of caller and agent at a delay that is an echo. Independent sounds reach
	// 0.08 at the best of all delays.
	leastCoherence = 0.13
	// activeReference is the power in a band, of a windowless transform, that what the agent plays must have to tell
	// something of its echo.
	activeReference = 1e-2
	// audibleReference is the power that what the agent plays has within a sentence.
	audibleReference = 10
	// mostExcess is the share of an echo's power that the agent's audio may leave unexplained.
	mostExcess = 0.25
	// mostHarm is how many frames in a row a filter may make louder before it is dropped.
	mostHarm = 5
	// audibleNear is the energy of a frame of the caller that is sound: -60 dBFS.
	audibleNear = hop * 1e-6
)

var echoEdges = [echoBands + 1]int{4, 8, 12, 16, 20, 24, 30, 36, 44, 54, 66, 80, 98, 120, 150, 200, 280}

type (
	bins = [spectrum.Bins]complex64
	// filter is an adaptive filter in the frequency domain, by partitions of a frame.
	filter = [partitions]bins
)

// canceller takes the echo of what the agent plays out of the caller's audio. Two filters run at once: one adapts to every
// frame, the other takes its coefficients over when they have proved better, so that a caller who talks at the same time
// does not spoil the result. What the filter leaves is compared, by bands, with what the agent's audio left in the past.
type canceller struct {
	plan     spectrum.Plan
	buffer   [spectrum.Size]float32
	far      [spectrum.Size]float32 // the latest two frames of the agent
	near     [spectrum.Size]float32 // and of the caller
	left     [spectrum.Size]float32 // and of what the filter leaves
	played   [history]bins          // spectra of the agent, a ring
	power    [history][echoBands]float32
	compared [history][delayBins]complex64 // of played, what delays are looked for in
	smooth   [history][delayBins]float32   // power of the agent, smoothed
	caller   [delayBins]float32            // power of the caller, smoothed
	cross    [delays][delayBins]complex64
	fading   float32 // factor by which cross is to be multiplied yet
	score    [delays]float32
	n        int // frames
	silent   int // frames since the last sound of the agent
	offset   int // delay of the filter's first partition, in frames
	best     int // delay of the highest coherence
	steady   int // frames for which it has been the same
	front    filter
	back     filter
	spec     bins
	errors   bins
	step     int // of the partition whose length is kept next
	frontDB  float32
	backDB   float32
	band     [echoBands]float32 // of what is left
	tail     [echoBands]float32 // of the agent, with its reverberation
	leak     [echoBands]float32 // dB: what is left of the agent's power, at most
	heard    [echoBands]float32 // of the caller, echo included
	path     [echoBands]float32 // dB: what comes back of the agent's power, at most
	loudest  [echoBands]float32 // of the agent at any delay, with its reverberation
	learned  int                // frames that leak and path were learned from
	sentence
	harm  int     // audible frames in a row that the front filter made louder
	floor float32 // dB of what is left when nobody speaks
	gain  float32
	out   [hop]int16
}

func newCanceller() *canceller {
	c := &canceller{silent: 1000, floor: -20, gain: 1, fading: 1}
	for b := range c.leak {
		c.leak[b], c.path[b] = -6, -6
	}
	return c
}

// sentence is how far the filter can be trusted since the agent last paused: networks change their delay in pauses.
type sentence struct {
	quiet  int // frames since the agent was last on the line
	length int // frames that it was
	proved int // of which the filter took the echo out
}

const (
	pauseFrames  = 8  // after which a sentence is a new one
	provedFrames = 5  // after which the filter is trusted
	trialFrames  = 30 // after which the filter is trusted anyway
)

// isNew reports whether the filter may be wrong about the echo.
func (s *sentence) isNew() bool { return s.proved < provedFrames && s.length < trialFrames }

// follow counts a frame. Active: the agent may be on the line; cancelled: the filter took most of the sound out.
func (s *sentence) follow(active, cancelled bool) {
	if !active {
		if s.quiet++; s.quiet >= pauseFrames {
			s.length, s.proved = 0, 0
		}
		return
	}
	s.quiet = 0
	s.length++
	if cancelled {
		s.proved++
	}
}

// verdict is what is known of a frame's echo.
type verdict struct {
	echo      bool    // the agent explains the sound
	coherence float32 // of caller and agent, at the best delay
}

func (c *canceller) cancel(mic []int16, played *[hop]float32) ([]int16, verdict) {
	var loud float32
	for _, v := range played {
		loud += v * v
	}
	c.silent++
	if loud > 1e-5 {
		c.silent = 0
	}
	if c.silent > 2*history { // nothing of the agent is on its way
		c.gain = 1
		return mic, verdict{}
	}
	c.n++
	copy(c.far[:hop], c.far[hop:])
	copy(c.far[hop:], played[:])
	copy(c.near[:hop], c.near[hop:])
	for i := range hop {
		c.near[hop+i] = 0
		if i < len(mic) {
			c.near[hop+i] = float32(mic[i]) / 32768
		}
	}
	slot := c.n % history
	x := &c.played[slot]
	c.plan.Forward(x, &c.far)
	bandPowers(&c.power[slot], x)
	c.findDelay(slot)
	if quiet := energy(c.near[:hop]) <= audibleNear && energy(c.near[hop:]) <= audibleNear; quiet {
		c.left = c.near // nothing to adapt to, and spec is the spectrum of what is left, too
	} else {
		c.adapt()
		c.plan.Forward(&c.spec, &c.left)
	}
	return c.suppress(mic)
}

// findDelay follows the coherence of caller and agent at every delay.
func (c *canceller) findDelay(slot int) {
	c.plan.Forward(&c.spec, &c.near)
	bandPowers(&c.heard, &c.spec)
	before := &c.smooth[(c.n-1+history)%history]
	for i := range delayBins {
		k := lowBin + 4*i
		x, y := c.played[slot][k], c.spec[k]
		c.compared[slot][i] = x
		c.smooth[slot][i] = before[i] + echoMemory*(abs2(x)-before[i])
		c.caller[i] += echoMemory * (abs2(y) - c.caller[i])
	}
	c.updateCross()
	if c.n%4 != 0 {
		return
	}
	best := c.mostCoherent()
	if best != c.best {
		c.best, c.steady = best, 0
	} else {
		c.steady++
	}
	if c.score[best] > leastCoherence && c.steady >= 2 && (best < c.offset || best > c.offset+2) {
		c.move(max(0, best-1))
	}
}

// updateCross updates the cross spectra of caller and agent. A frame of the caller that nobody hears only lets them fade.
func (c *canceller) updateCross() {
	c.fading *= 1 - echoMemory
	if energy(c.near[hop:]) <= audibleNear {
		return
	}
	fading := c.fading
	c.fading = 1
	var near [delayBins]complex64
	for i := range near {
		v := c.spec[lowBin+4*i]
		near[i] = complex(echoMemory*real(v), echoMemory*imag(v))
	}
	for d := range delays {
		x, cross := &c.compared[(c.n-d+history)%history], &c.cross[d]
		for i, b := range near {
			a, old := x[i], cross[i]
			cross[i] = complex(fading*real(old)+real(a)*real(b)+imag(a)*imag(b), fading*imag(old)+real(a)*imag(b)-imag(a)*real(b))
		}
	}
}

// mostCoherent rates the delays and returns the one at which caller and agent are most coherent.
func (c *canceller) mostCoherent() (best int) {
	for d := range delays {
		smooth := &c.smooth[(c.n-d+history)%history]
		var score float32
		for i, v := range c.cross[d] {
			score += abs2(v) / (smooth[i]*c.caller[i] + 1e-12)
		}
		c.score[d] = c.fading * c.fading * score / delayBins
		if c.score[d] > c.score[best] {
			best = d
		}
	}
	return best
}

// move shifts the filters to another delay.
func (c *canceller) move(offset int) {
	by := offset - c.offset
	c.offset = offset
	for _, f := range []*filter{&c.front, &c.back} {
		old := *f
		for p := range f {
			f[p] = bins{}
			if from := p + by; from >= 0 && from < partitions {
				f[p] = old[from]
			}
		}
	}
}

// adapt filters a frame, leaves the rest in left and moves the filters on.
func (c *canceller) adapt() {
	const forget = 0.3
	near := c.near[hop:]
	copy(c.left[:hop], c.left[hop:])
	raw := energy(near)
	if raw <= audibleNear { // no echo that anybody notices, and nothing to adapt to
		copy(c.left[hop:], near)
		return
	}
	c.estimate(&c.front)
	for i, v := range near {
		c.left[hop+i] = v - c.buffer[hop+i]
	}
	front := energy(c.left[hop:])
	if front > 1.5*raw {
		copy(c.left[hop:], near)
		front = raw
		if raw > audibleNear { // what is left of a soft frame says nothing about the filter
			c.harm++
		}
		if c.harm > mostHarm {
			c.front, c.harm = filter{}, 0
		}
	} else if raw > audibleNear {
		c.harm = 0
	}
	c.estimate(&c.back)
	for i, v := range near {
		c.buffer[i], c.buffer[hop+i] = 0, v-c.buffer[hop+i]
	}
	back := energy(c.buffer[hop:])
	c.frontDB += forget * (front - c.frontDB)
	c.backDB += forget * (back - c.backDB)
	switch {
	case c.backDB < 0.85*c.frontDB:
		c.front, c.frontDB = c.back, c.backDB
	case c.backDB > 2*c.frontDB+1e-9:
		c.back, c.backDB = c.front, c.frontDB
		return
	}
	c.plan.Forward(&c.errors, &c.buffer)
	const speed = 0.5
	var filtered [partitions]*bins
	for p := range partitions {
		filtered[p] = &c.played[c.at(p)]
	}
	for k := range c.errors {
		var power float32
		for _, x := range filtered {
			power += abs2(x[k])
		}
		e := c.errors[k]
		by := speed / (power + 0.05)
		c.errors[k] = complex(real(e)*by, imag(e)*by)
	}
	for p := range partitions {
		x, w := filtered[p], &c.back[p]
		for k, e := range c.errors {
			xr, xi := real(x[k]), imag(x[k])
			w[k] += complex(xr*real(e)+xi*imag(e), xr*imag(e)-xi*real(e))
		}
	}
	c.step = (c.step + 1) % partitions
	c.plan.Inverse(&c.buffer, &c.back[c.step])
	clear(c.buffer[hop:])
	c.plan.Forward(&c.back[c.step], &c.buffer)
}

// at returns the slot of what partition p filters.
func (c *canceller) at(p int) int { return (c.n - c.offset - p + 2*history) % history }

// estimate leaves a filter's echo in the second half of buffer.
func (c *canceller) estimate(f *filter) {
	clear(c.spec[:])
	for p := range partitions {
		x, w := &c.played[c.at(p)], &f[p]
		for k := range c.spec {
			xr, xi, wr, wi := real(x[k]), imag(x[k]), real(w[k]), imag(w[k])
			c.spec[k] += complex(xr*wr-xi*wi, xr*wi+xi*wr)
		}
	}
	c.plan.Inverse(&c.buffer, &c.spec)
}

// suppress judges by bands how much of what is left the agent explains, and takes that away.
func (c *canceller) suppress(mic []int16) ([]int16, verdict) {
	const margin = 6 // dB
	v := verdict{coherence: c.score[c.best]}
	bandPowers(&c.band, &c.spec)
	known := v.coherence > leastCoherence
	gate := min(1, max(0, (v.coherence-0.09)/0.08))
	var total, excess, heard float32
	step := float32(1.0)
	if c.learned < 100 {
		step = 3
	}
	active := false
	for b := range echoBands {
		everywhere := c.latest(b, 0, delays)
		latest := everywhere
		if known || c.learned >= 100 {
			latest = c.latest(b, max(0, c.best-1), c.best+4)
		}
		c.tail[b], c.loudest[b] = max(latest, 0.8*c.tail[b]), max(everywhere, 0.8*c.loudest[b])
		total += c.band[b]
		explained := c.tail[b] * exp10(c.leak[b]+margin)
		if c.sentence.isNew() {
			explained = max(explained, c.loudest[b]*exp10(c.path[b]+margin))
		}
		if c.tail[b] > activeReference {
			active = true
			learn(&c.leak[b], c.band[b]/c.tail[b], step, gate)
			learn(&c.path[b], c.heard[b]/c.tail[b], step, gate)
		}
		excess += max(0, c.band[b]-explained)
		heard += min(c.band[b], explained)
	}
	if active {
		c.learned++
	}
	level := decibels(total)
	near := energy(c.near[hop:])
	c.sentence.follow(sum(&c.power[c.at(0)]) > audibleReference, near > audibleNear && energy(c.left[hop:]) < 0.25*near)
	if level < c.floor {
		c.floor += 0.2 * (level - c.floor)
	} else {
		c.floor += min(0.05, level-c.floor)
	}
	share := float32(1)
	if total > 0 {
		share = excess / total
	}
	v.echo = share < mostExcess && level > c.floor+4
	gain := float32(1)
	if share < 0.6 {
		gain = float32(math.Sqrt(float64(min(1, max(share*share, exp10(c.floor-level))))))
	}
	for i := range c.out {
		g := c.gain + (gain-c.gain)*min(1, float32(i)/80)
		c.out[i] = clip(c.left[hop+i] * g)
	}
	c.gain = gain
	return c.out[:min(hop, len(mic))], v
}

// latest returns the highest power of the agent in a band between two delays.
func (c *canceller) latest(b, from, to int) (power float32) {
	for d := from; d < to; d++ {
		power = max(power, c.power[(c.n-d+history)%history][b])
	}
	return power
}

// learn follows the upper part of a ratio of powers, in dB.
func learn(ratio *float32, power, step, gate float32) {
	if decibels(power) > *ratio {
		*ratio = min(6, *ratio+0.85*step*gate)
	} else {
		*ratio = max(-60, *ratio-0.15*step)
	}
}

func sum(bands *[echoBands]float32) (power float32) {
	for _, v := range bands {
		power += v
	}
	return power
}

func bandPowers(to *[echoBands]float32, x *bins) {
	for b := range to {
		var sum float32
		for _, v := range x[echoEdges[b]:echoEdges[b+1]] {
			sum += abs2(v)
		}
		to[b] = sum
	}
}

func abs2(v complex64) float32 { return real(v)*real(v) + imag(v)*imag(v) }

func energy(s []float32) (sum float32) {
	for _, v := range s {
		sum += v * v
	}
	return sum
}

func decibels(power float32) float32 { return float32(10 * math.Log10(float64(power)+1e-12)) }

func exp10(decibels float32) float32 { return float32(math.Pow(10, float64(decibels)/10)) }

func clip(v float32) int16 { return int16(min(max(v*32768, -32768), 32767)) }
