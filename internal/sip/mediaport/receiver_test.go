package mediaport

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/sip/negotiation"
)

var codecs = []negotiation.Codec{negotiation.PCMU, negotiation.PCMA, negotiation.G722, negotiation.Opus}

// A tone arrives as this tone, and as long as it was, whatever the packets' length and order.
func TestTonesArrive(t *testing.T) {
	orders := map[string]func([]packet) []packet{
		"in order": func(p []packet) []packet { return p }, "swapped": swap, "doubled": double,
		"jitter": func(p []packet) []packet { return jitter(p, 60*time.Millisecond) },
	}
	for _, codec := range codecs {
		for _, ptime := range []time.Duration{10, 20, 30, 40, 60, 80} {
			ptime *= time.Millisecond
			if codec == negotiation.Opus && (ptime == 30*time.Millisecond || ptime == 80*time.Millisecond) {
				continue // no duration of Opus
			}
			for order, change := range orders {
				for _, rate := range []int{16000, 24000} {
					t.Run(fmt.Sprintf("%s/%v/%s/%d", codec, ptime, order, rate), func(t *testing.T) {
						p := newPhone(codec, ptime)
						e := newTestReceiver(rate, p.stream)
						pause := make([]int16, 4800)
						got := e.receive(change(p.packets(t, slices.Concat(pause, audio.Tone(440, 16000, 2400*time.Millisecond), pause))))
						start, end := sounding(got, rate)
						length := audio.Duration(end-start, rate)
						if length < 2380*time.Millisecond || length > 2440*time.Millisecond {
							t.Errorf("2.4 s of a tone came as %v", length)
						}
						if part := audio.Power(got[start+rate/10:end-rate/10], 440, rate); part < 0.95 {
							t.Errorf("the tone has %.3f of the energy", part)
						}
						if q := e.stats.direction(); q.Lost != 0 {
							t.Errorf("%d packets lost", q.Lost)
						}
						if e.stats.concealed > 0 {
							t.Errorf("%v concealed", e.stats.concealed)
						}
					})
				}
			}
		}
	}
}

// sounding returns where audio begins and ends that is louder than -40 dBFS.
func sounding(pcm []int16, rate int) (start, end int) {
	step := rate / 200
	start = -1
	for i := 0; i+step <= len(pcm); i += step {
		if audio.Level(pcm[i:i+step]) > -40 {
			if start < 0 {
				start = i
			}
			end = i + step
		}
	}
	return max(0, start), end
}
