package spectrum_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/internal/hearing/spectrum"
)

func TestTransform(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	var samples, back [spectrum.Size]float32
	for i := range samples {
		samples[i] = float32(random.NormFloat64())
	}
	var plan spectrum.Plan
	var bins [spectrum.Bins]complex64
	plan.Forward(&bins, &samples)
	for k, got := range bins {
		var re, im float64
		for n, v := range samples {
			sin, cos := math.Sincos(-2 * math.Pi * float64(k*n%spectrum.Size) / spectrum.Size)
			re, im = re+float64(v)*cos, im+float64(v)*sin
		}
		if math.Abs(re-float64(real(got))) > 1e-3 || math.Abs(im-float64(imag(got))) > 1e-3 {
			t.Fatalf("bin %d is %v, not %v", k, got, complex(re, im))
		}
	}
	plan.Inverse(&back, &bins)
	for i, v := range samples {
		if math.Abs(float64(v-back[i])) > 1e-4 {
			t.Fatalf("sample %d comes back as %v, not %v", i, back[i], v)
		}
	}
}

func BenchmarkForward(b *testing.B) {
	var plan spectrum.Plan
	var bins [spectrum.Bins]complex64
	var samples [spectrum.Size]float32
	for b.Loop() {
		plan.Forward(&bins, &samples)
	}
}
