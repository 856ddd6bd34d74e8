package hearing

import "time"

const (
	rate       = 16000
	hop        = rate / 50 // samples of a frame
	playedRate = 24000
	// maxDrift is how far the times of frames may be from their count before the count is set anew: networks deliver
	// frames late and in bursts.
	maxDrift = 100 * time.Millisecond
)

// reference is what the agent plays, on a line of samples at 16 kHz. Times without a frame are silence.
type reference struct {
	origin  time.Time
	samples [rate]float32 // the latest second, a ring
	end     int           // position after the last sample
	heard   int           // position of the next frame of the caller
	started bool
	tail    [2]float32 // last samples of the frame before, for resampling
}

// position returns the place of a time on the line.
func (r *reference) position(at time.Time) int {
	if r.origin.IsZero() {
		r.origin = at
	}
	return int(at.Sub(r.origin) * rate / time.Second)
}

const driftSamples = int(maxDrift * rate / time.Second)

// play adds a frame at 24 kHz.
func (r *reference) play(pcm []int16, at time.Time) {
	if p := r.position(at); p > r.end+driftSamples/2 || p < r.end-10*driftSamples {
		for i := max(r.end, p-len(r.samples)); i < p; i++ {
			r.samples[i%len(r.samples)] = 0
		}
		r.end = max(p, r.end)
		r.tail = [2]float32{}
	}
	r.heard = min(r.heard, r.end) // the caller's frames came early; what is played now is no echo of theirs
	// Three samples become two, each the mean of those around it: what lies over 8 kHz matters to no echo.
	before := r.tail[1]
	for i := 0; i+2 < len(pcm); i += 3 {
		a, b, c := float32(pcm[i])/32768, float32(pcm[i+1])/32768, float32(pcm[i+2])/32768
		r.append(0.25*before + 0.6*a + 0.15*b)
		r.append(0.05*a + 0.45*b + 0.45*c + 0.05*a)
		before = c
	}
	r.tail[1] = before
}

func (r *reference) append(v float32) {
	r.samples[r.end%len(r.samples)] = v
	r.end++
}

// next copies what was played during the next frame of the caller, which came at a time.
func (r *reference) next(block *[hop]float32, at time.Time) {
	p := r.position(at) - hop
	if drift := p - r.heard; !r.started || drift > driftSamples || drift < -driftSamples {
		r.heard, r.started = p, true
	}
	for i := range block {
		block[i] = 0
		if at := r.heard + i; at >= 0 && at < r.end && at >= r.end-len(r.samples) {
			block[i] = r.samples[at%len(r.samples)]
		}
	}
	r.heard += hop
}
