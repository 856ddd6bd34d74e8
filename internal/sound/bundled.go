package sound

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// bundled are sounds that come with Parley, computed when they are first played: nobody has rights to them.
var bundled = map[string]func() []int16{
	"office":   sync.OnceValue(office),
	"cafe":     sync.OnceValue(cafe),
	"keyboard": sync.OnceValue(keyboard),
}

// Bundled returns the names of the bundled sounds.
func (Directory) Bundled() []string { return slices.Sorted(maps.Keys(bundled)) }

// bundledLength is how long a bundled sound is before it begins again.
const bundledLength = 20 * time.Second

// noise is random samples of a fixed seed, each mixed with the one before: a low share of the new one sounds dull.
type noise struct {
	random *rand.Rand
	share  float64
	last   float64
}

func newNoise(seed uint64, share float64) *noise {
	return &noise{random: rand.New(rand.NewPCG(seed, seed)), share: share} //nolint:gosec // no secret
}

func (n *noise) next() float64 {
	n.last += n.share * (n.random.NormFloat64() - n.last)
	return n.last
}

// loopOf returns a loop of bundledLength whose end passes into its beginning.
func loopOf(sample func(i int) float64) []int16 {
	const fade = rate / 2
	length := int(bundledLength.Seconds() * rate)
	sum := make([]float64, length+fade)
	for i := range sum {
		sum[i] = sample(i)
	}
	for i := range fade { // of equal power: the two are not alike
		in, out := math.Sqrt(float64(i)/fade), math.Sqrt(1-float64(i)/fade)
		sum[i] = in*sum[i] + out*sum[length+i]
	}
	return levelled(sum[:length])
}

// levelled returns samples at the level of stored sounds.
func levelled(sum []float64) []int16 {
	power := 0.0
	for _, v := range sum {
		power += v * v
	}
	gain := math.Pow(10, level/20.) * 32768 / math.Sqrt(power/float64(len(sum)))
	pcm := make([]int16, len(sum))
	for i, v := range sum {
		pcm[i] = int16(max(-32768, min(v*gain, 32767)))
	}
	return pcm
}

// office is the air of a large room, and somebody who types far away now and then.
func office() []int16 {
	air, hiss := newNoise(1, 0.02), newNoise(2, 0.3)
	keys := strokes(3, 0.04)
	return loopOf(func(i int) float64 {
		swell := 1 + 0.2*math.Sin(2*math.Pi*float64(i)/(rate*7))
		return swell*air.next() + 0.02*hiss.next() + 0.15*keys(i)
	})
}

// cafe is a murmur of many voices without words, and a cup now and then.
func cafe() []int16 {
	const voices = 7
	random := rand.New(rand.NewPCG(4, 4)) //nolint:gosec // no secret
	var breaths [voices]*noise
	var pitch, pace, offset [voices]float64
	for n := range voices {
		breaths[n] = newNoise(uint64(10+n), 0.12)
		pitch[n], pace[n], offset[n] = 250+random.Float64()*500, 2.5+2*random.Float64(), 10*random.Float64()
	}
	cups := strokes(5, 0.006)
	air := newNoise(6, 0.03)
	return loopOf(func(i int) float64 {
		at := float64(i) / rate
		sum := 1.2 * air.next()
		for n := range voices {
			syllables := math.Pow(math.Sin(math.Pi*pace[n]*(at+offset[n])), 2) * (0.6 + 0.4*math.Sin(0.7*at+offset[n]))
			sum += 0.35 * syllables * breaths[n].next() * math.Sin(2*math.Pi*pitch[n]*at)
		}
		return sum + 0.1*cups(i)*math.Sin(2*math.Pi*2600*at)
	})
}

// keyboard is somebody who types.
func keyboard() []int16 {
	keys, air := strokes(7, 0.14), newNoise(8, 0.05)
	return loopOf(func(i int) float64 { return keys(i) + 0.004*air.next() })
}

// strokes returns samples of short knocks: share is the chance of one in each 20 ms.
func strokes(seed uint64, share float64) func(i int) float64 {
	random := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // no secret
	click := newNoise(seed+100, 0.5)
	loud, since := 0.0, 0
	pause := 0
	return func(i int) float64 {
		since++
		if i%frame == 0 {
			pause--
			if pause < 0 && random.Float64() < share {
				loud, since = 0.5+random.Float64()/2, 0
				pause = 3 // no two at once
				if random.IntN(12) == 0 {
					pause = 30 // a thought
				}
			}
		}
		if since > rate/20 {
			return 0
		}
		return loud * click.next() * math.Exp(-float64(since)/(rate*0.006))
	}
}

// memoryPlayer plays samples that are in memory, again and again.
type memoryPlayer struct {
	pcm []int16
	at  int
}

func (p *memoryPlayer) Next() ([]int16, error) {
	at := p.at % (len(p.pcm) / frame * frame)
	p.at = at + frame
	return p.pcm[at:p.at], nil
}
