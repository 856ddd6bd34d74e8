// Package spectrum transforms 640 real samples, 40 ms at 16 kHz, to 321 bins of 25 Hz and back.
package spectrum

import "math"

// Sizes of a transform.
const (
	Size = 640
	Bins = Size/2 + 1
	half = Size / 2
)

// Plan holds the buffers of a transform. It belongs to one goroutine.
type Plan struct{ a, b [half]complex64 }

var (
	turns  [Size]complex64 // e^(-2πik/Size)
	window [Size]float32
	root   [Size]float32
)

func init() {
	for k := range turns {
		sin, cos := math.Sincos(-2 * math.Pi * float64(k) / Size)
		turns[k] = complex(float32(cos), float32(sin))
		window[k] = float32(0.5 - 0.5*math.Cos(2*math.Pi*(float64(k)+0.5)/Size))
		root[k] = float32(math.Sqrt(float64(window[k])))
	}
}

// Window multiplies samples by a Hann window.
func Window(to, samples *[Size]float32) {
	for i, w := range window {
		to[i] = samples[i] * w
	}
}

// Root multiplies samples by the root of a Hann window: before a change and after it, halves that overlap add up to what
// was there.
func Root(to, samples *[Size]float32) {
	for i, w := range root {
		to[i] = samples[i] * w
	}
}

// Forward transforms samples.
func (p *Plan) Forward(to *[Bins]complex64, samples *[Size]float32) {
	for i := range p.a {
		p.a[i] = complex(samples[2*i], samples[2*i+1])
	}
	p.transform()
	first := p.a[0]
	to[0], to[half] = complex(real(first)+imag(first), 0), complex(real(first)-imag(first), 0)
	for k := 1; k <= half/2; k++ { // half-k comes from the same two values
		z, m := p.a[k], p.a[half-k]
		even := complex(0.5*(real(z)+real(m)), 0.5*(imag(z)-imag(m)))
		odd := complex(0.5*(imag(z)+imag(m)), 0.5*(real(m)-real(z))) * turns[k]
		to[k] = even + odd
		to[half-k] = complex(real(even)-real(odd), imag(odd)-imag(even))
	}
}

// Inverse undoes Forward.
func (p *Plan) Inverse(to *[Size]float32, bins *[Bins]complex64) {
	// What is transformed are conjugates: an inverse transform is a forward one of them.
	first, last := real(bins[0]), real(bins[half])
	p.a[0] = complex(first+last, last-first)
	for k := 1; k <= half/2; k++ { // half-k comes from the same two values
		x, m, w := bins[k], bins[half-k], turns[k]
		even := complex(real(x)+real(m), imag(x)-imag(m))
		odd := complex(real(x)-real(m), imag(x)+imag(m)) * complex(real(w), -imag(w))
		p.a[k] = complex(real(even)-imag(odd), -imag(even)-real(odd))
		p.a[half-k] = complex(real(even)+imag(odd), imag(even)-real(odd))
	}
	p.transform()
	const scale = 1.0 / Size
	for i, v := range p.a {
		to[2*i], to[2*i+1] = real(v)*scale, -imag(v)*scale
	}
}

// transform replaces a by its complex transform, by Stockham's method with radices 5, 4, 4 and 4.
func (p *Plan) transform() {
	const s1, s2 = 0.9510565163, 0.5877852523 // sines of 2π/5 and 4π/5
	const c1, c2 = 0.3090169944, -0.8090169944
	const m = half / 5
	x, y := &p.a, &p.b
	for k := range m {
		t0 := x[k]
		a, b := x[k+m]+x[k+4*m], x[k+2*m]+x[k+3*m]
		c, d := x[k+m]-x[k+4*m], x[k+2*m]-x[k+3*m]
		u := t0 + complex(c1*real(a)+c2*real(b), c1*imag(a)+c2*imag(b))
		v := t0 + complex(c2*real(a)+c1*real(b), c2*imag(a)+c1*imag(b))
		e := complex(s1*imag(c)+s2*imag(d), -s1*real(c)-s2*real(d))
		f := complex(s2*imag(c)-s1*imag(d), -s2*real(c)+s1*real(d))
		y[k], y[m+k], y[2*m+k], y[3*m+k], y[4*m+k] = t0+a+b, u+e, v+f, v-f, u-e
	}
	x, y = y, x
	for l := 5; l < half; l *= 4 {
		m := half / l / 4
		for j := range l {
			step := j * (Size / (4 * l))
			w1, w2, w3 := turns[step], turns[2*step], turns[3*step]
			for k := range m {
				in := j*4*m + k
				t0, t1, t2, t3 := x[in], x[in+m]*w1, x[in+2*m]*w2, x[in+3*m]*w3
				a, b, c, d := t0+t2, t0-t2, t1+t3, t1-t3
				d = complex(imag(d), -real(d))
				out := j*m + k
				y[out], y[out+l*m], y[out+2*l*m], y[out+3*l*m] = a+c, b+d, a-c, b-d
			}
		}
		x, y = y, x
	}
	if x != &p.a {
		p.a = p.b
	}
}
