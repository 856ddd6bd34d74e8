package e2e

import (
	"math"
	"testing"

	"parley/internal/audio"
	"parley/internal/caller"
	"parley/internal/dialogue"
)

// Recordings are compared with a voice's speech of a text by their spectrums over time, in frames of 20 ms: that needs a
// hundredth of the time of a recogniser. internal/provider/offline tests that a recogniser understands the voices.
const (
	likenessFrame  = dialogue.ListenRate / 50
	likenessWindow = 50  // frames that are compared together, a second
	likenessBands  = 10  // of 300 Hz, from 200 Hz up
	alike          = 0.7 // correlation of two windows of the same speech: most have 0.75 to 0.95, those of other speech 0.4 to 0.7
)

// spectrum is the logarithm of the energy in each band of a frame.
type spectrum [likenessBands]float64

// spectrums are those of a sound's frames, which begin step samples after each other.
func spectrums(pcm []int16, step int) (all []spectrum) {
	for ; len(pcm) >= likenessFrame; pcm = pcm[step:] {
		var s spectrum
		frame := pcm[:likenessFrame]
		energy := audio.RMS(frame) * audio.RMS(frame)
		for i := range s {
			for bin := range 6 {
				s[i] += energy * audio.Power(frame, 200+300*float64(i)+50*float64(bin), dialogue.ListenRate)
			}
			s[i] = math.Log(s[i] + 1000)
		}
		all = append(all, s)
	}
	return all
}

// correlation is that of two windows, of which b's frames are two steps apart.
func correlation(a, b []spectrum) float64 {
	var aa, bb, ab float64
	for j := range likenessBands {
		var meanA, meanB float64
		for i := range likenessWindow {
			meanA, meanB = meanA+a[i][j]/likenessWindow, meanB+b[2*i][j]/likenessWindow
		}
		for i := range likenessWindow {
			x, y := a[i][j]-meanA, b[2*i][j]-meanB
			aa, bb, ab = aa+x*x, bb+y*y, ab+x*y
		}
	}
	return ab / math.Sqrt(aa*bb+1e-9)
}

// recorded is a recording to look for speech in.
type recorded []spectrum

func newRecorded(pcm []int16) recorded { return spectrums(pcm, likenessFrame/2) } // a frame may begin anywhere

// line is a text in the words of a voice.
type line struct{ voice, text string }

// linesOf are what the agents of a call said, by their voices, or its caller did.
func linesOf(r *caller.Result, role string, voices map[string]string) (said []line) {
	for _, e := range r.Transcript {
		if e.Role == role && e.Content != "" {
			said = append(said, line{voices[e.AgentName], e.Content})
		}
	}
	return said
}

// holds is how much of what was said is in the recording, from 0 to 1: the share of its windows that are found.
func (r recorded) holds(t *testing.T, said []line) float64 {
	t.Helper()
	windows, found := 0, 0
	for _, l := range said {
		for want := spectrums(speech(t, l.voice, l.text), likenessFrame); len(want) >= likenessWindow; want = want[likenessWindow/2:] {
			windows++
			for at := range max(0, len(r)-2*likenessWindow) {
				if correlation(want, r[at:]) >= alike {
					found++
					break
				}
			}
		}
	}
	return float64(found) / float64(max(1, windows))
}
