package synthesis

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzTrack: audio that is split at any byte has the same samples.
func FuzzTrack(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5}, uint8(1), uint8(2))
	f.Add([]byte{1, 2, 3, 4, 5, 6}, uint8(3), uint8(3))
	f.Fuzz(func(t *testing.T, audio []byte, a, b uint8) {
		first, second := min(int(a), len(audio)), min(int(a)+int(b), len(audio))
		samples := func(parts ...[]byte) (pcm []int16, texts int) {
			track := NewTrack(0)
			track.Said("Hello.", "Hello.")
			for _, part := range parts {
				track.Play(append([]byte(nil), part...))
			}
			for _, piece := range track.Finish() {
				pcm = append(pcm, piece.PCM...)
				if piece.Text != "" {
					texts++
				}
			}
			return pcm, texts
		}
		whole, texts := samples(audio)
		split, marked := samples(audio[:first], audio[first:second], audio[second:])
		if diff := cmp.Diff(whole, split); diff != "" || texts != 1 || marked != 1 {
			t.Errorf("texts %d and %d (-whole +split):\n%s", texts, marked, diff)
		}
	})
}
