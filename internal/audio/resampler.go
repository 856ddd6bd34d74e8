package audio

import (
	"fmt"
	"math"
	"sync"
)

// Resampler changes the rate of a stream of samples with a polyphase windowed-sinc filter: 80 dB of signal above
// noise and alias up to 0.8 of the lower Nyquist frequency, 1.5 ms of delay at 16 kHz. It keeps the few samples that
// reach over the edge of a block, so blocks may have any length.
type Resampler struct {
	*filter
	history []float32 // input not yet used up
	phase   int       // of the next output sample
	in, out int64     // samples taken and given since the start or the last Flush
}

// filter is a low-pass for one pair of rates, cut in up phases of taps coefficients; shared and never written again.
type filter struct {
	up, down, taps int
	phases         [][]float32
}

const (
	halfLength = 24   // zero crossings of the sinc on either side
	kaiserBeta = 8.5  // sidelobes below -85 dB
	passband   = 0.92 // cut-off, as part of the lower Nyquist frequency
)

var filters sync.Map // [2]int -> *filter: designing one takes up to milliseconds, a call needs several

// NewResampler converts from in to out hertz. Both must be positive; equal rates pass samples through.
func NewResampler(in, out int) *Resampler {
	if in <= 0 || out <= 0 {
		panic(fmt.Sprintf("audio: resample %d to %d Hz", in, out))
	}
	key := [2]int{in, out}
	f, ok := filters.Load(key)
	if !ok {
		f, _ = filters.LoadOrStore(key, designFilter(in, out))
	}
	r := &Resampler{filter: f.(*filter)}
	r.reset()
	return r
}

func designFilter(in, out int) *filter {
	g := gcd(in, out)
	f := &filter{up: out / g, down: in / g}
	if f.up == f.down {
		return f
	}
	stretch := math.Max(1, float64(in)/float64(out))
	half := int(math.Ceil(halfLength * stretch))
	half += half & 1 // taps in fours, for the inner loop
	f.taps = 2 * half
	cutoff := passband / stretch // of the input's Nyquist frequency
	f.phases = make([][]float32, f.up)
	ideal := make([]float64, f.taps)
	for p := range f.phases {
		sum := 0.0
		for k := range ideal {
			x := float64(k-(half-1)) - float64(p)/float64(f.up)
			ideal[k] = 0
			if w := x / float64(half); math.Abs(w) < 1 {
				ideal[k] = sinc(cutoff*x) * bessel0(kaiserBeta*math.Sqrt(1-w*w))
			}
			sum += ideal[k]
		}
		f.phases[p] = make([]float32, f.taps)
		for k := range ideal {
			f.phases[p][k] = float32(ideal[k] / sum)
		}
	}
	return f
}

func (r *Resampler) reset() {
	r.phase, r.in, r.out = 0, 0, 0
	r.history = r.history[:0]
	for range max(0, r.taps/2-1) {
		r.history = append(r.history, 0)
	}
}

// Process appends to out what in, following on earlier input, gives at the new rate, and returns it. The output lags
// by half the filter's length; Flush gets that out. It allocates only where out or its own history must grow.
func (r *Resampler) Process(in, out []int16) []int16 {
	if r.up == r.down {
		return append(out, in...)
	}
	r.in += int64(len(in))
	for _, v := range in {
		r.history = append(r.history, float32(v))
	}
	return r.convolve(out, math.MaxInt64)
}

// Flush appends the samples still inside, as if silence followed, so that the whole output lasts as long as the whole
// input; then the Resampler is as new.
func (r *Resampler) Flush(out []int16) []int16 {
	if r.up == r.down {
		return out
	}
	for range r.taps {
		r.history = append(r.history, 0)
	}
	out = r.convolve(out, (r.in*int64(r.up)+int64(r.down)-1)/int64(r.down))
	r.reset()
	return out
}

// convolve appends output until the input runs short or limit samples were given since the start.
func (r *Resampler) convolve(out []int16, limit int64) []int16 {
	i := 0
	for ; i+r.taps <= len(r.history) && r.out < limit; r.out++ {
		h := r.phases[r.phase]
		x := r.history[i : i+len(h)]
		var a, b, c, d float32
		for k := 0; k+3 < len(h); k += 4 {
			a += h[k] * x[k]
			b += h[k+1] * x[k+1]
			c += h[k+2] * x[k+2]
			d += h[k+3] * x[k+3]
		}
		out = append(out, clip(a+b+c+d))
		r.phase += r.down
		i += r.phase / r.up
		r.phase %= r.up
	}
	// A step may reach beyond what has come when the rate falls far; the rest waits in the history.
	i = min(i, len(r.history))
	r.history = r.history[:copy(r.history, r.history[i:])]
	return out
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// bessel0 returns the modified Bessel function of the first kind, order 0, of which Kaiser's window is made.
func bessel0(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-12; k++ {
		term *= (x / 2 / k) * (x / 2 / k)
		sum += term
	}
	return sum
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
