package corpus

import "slices"

// decodeG722 decodes G.722 at 64 kbit/s (ITU-T G.722, 1988) to 16 kHz.
func decodeG722(coded []byte) []int16 {
	low, high := subband{scale: 32}, subband{scale: 8}
	pcm := make([]int16, 0, 2*len(coded))
	var x [24]int // of the quadrature mirror filter
	for _, b := range coded {
		i := int(b & 0x3f)
		rlow := min(max(low.s+low.scale*qm6[i]>>15, -16384), 16383)
		difference := low.scale * qm4[i>>2] >> 15
		low.adaptScale(wl[rl42[i>>2]], 18432, 8)
		low.adapt(difference)

		i = int(b >> 6)
		difference = high.scale * qm2[i] >> 15
		rhigh := min(max(high.s+difference, -16384), 16383)
		high.adaptScale(wh[rh2[i]], 22528, 10)
		high.adapt(difference)

		copy(x[:], x[2:])
		x[22], x[23] = rlow+rhigh, rlow-rhigh
		var even, odd int
		for j, c := range qmf {
			even += x[2*j] * c
			odd += x[2*j+1] * qmf[len(qmf)-1-j]
		}
		pcm = append(pcm, saturate(odd>>11), saturate(even>>11))
	}
	return pcm
}

// subband is the adaptive predictor of one half of the band, by the names of the recommendation.
type subband struct {
	scale, nb, s, sz int
	r, p, a          [3]int
	d, b             [7]int
}

func (q *subband) adaptScale(step, most, shift int) {
	q.nb = min(max(q.nb*127>>7+step, 0), most)
	v := ilb[q.nb>>6&31]
	if by := shift - q.nb>>11; by < 0 {
		v <<= -by
	} else {
		v >>= by
	}
	q.scale = v << 2
}

func (q *subband) adapt(difference int) {
	q.d[0] = difference
	q.r[0] = int(saturate(q.s + difference))
	q.p[0] = int(saturate(q.sz + difference))

	second := int(saturate(q.a[1] << 2))
	if q.p[0]>>15 == q.p[1]>>15 {
		second = -second
	}
	second = min(second, 32767) >> 7
	if q.p[0]>>15 == q.p[2]>>15 {
		second += 128
	} else {
		second -= 128
	}
	second = min(max(second+q.a[2]*32512>>15, -12288), 12288)
	first := -192
	if q.p[0]>>15 == q.p[1]>>15 {
		first = 192
	}
	first = int(saturate(first + q.a[1]*32640>>15))
	limit := int(saturate(15360 - second))
	q.a[1], q.a[2] = min(max(first, -limit), limit), second

	step := 128
	if difference == 0 {
		step = 0
	}
	for i := 1; i < 7; i++ {
		by := -step
		if q.d[i]>>15 == difference>>15 {
			by = step
		}
		q.b[i] = int(saturate(by + q.b[i]*32640>>15))
	}
	copy(q.d[1:], slices.Clone(q.d[:6]))
	q.r[2], q.r[1] = q.r[1], q.r[0]
	q.p[2], q.p[1] = q.p[1], q.p[0]

	pole := int(saturate(q.a[1]*int(saturate(2*q.r[1]))>>15 + q.a[2]*int(saturate(2*q.r[2]))>>15))
	q.sz = 0
	for i := 6; i > 0; i-- {
		q.sz += q.b[i] * int(saturate(2*q.d[i])) >> 15
	}
	q.sz = int(saturate(q.sz))
	q.s = int(saturate(pole + q.sz))
}

func saturate(v int) int16 { return int16(min(max(v, -32768), 32767)) }

// The tables of the recommendation.
var (
	wl   = [8]int{-60, -30, 58, 172, 334, 538, 1198, 3042}
	rl42 = [16]int{0, 7, 6, 5, 4, 3, 2, 1, 7, 6, 5, 4, 3, 2, 1, 0}
	ilb  = [32]int{
		2048, 2093, 2139, 2186, 2233, 2282, 2332, 2383, 2435, 2489, 2543, 2599, 2656, 2714, 2774, 2834,
		2896, 2960, 3025, 3091, 3158, 3228, 3298, 3371, 3444, 3520, 3597, 3676, 3756, 3838, 3922, 4008,
	}
	wh  = [3]int{0, -214, 798}
	rh2 = [4]int{2, 1, 2, 1}
	qm2 = [4]int{-7408, -1616, 7408, 1616}
	qm4 = [16]int{0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0}
	qm6 = [64]int{
		-136, -136, -136, -136, -24808, -21904, -19008, -16704, -14984, -13512, -12280, -11192, -10232, -9360, -8576, -7856,
		-7192, -6576, -6000, -5456, -4944, -4464, -4008, -3576, -3168, -2776, -2400, -2032, -1688, -1360, -1040, -728,
		24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456,
		4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728, 432, 136, -432, -136,
	}
	qmf = [12]int{3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11}
)
