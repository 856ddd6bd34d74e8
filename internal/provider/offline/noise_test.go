package offline

import (
	"math"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/hearing"
	"parley/internal/hearing/corpus"
)

// caller speaks phrases with a pause before each, at a level in dBFS, in a noise.
type caller struct {
	name  string
	level float64
	noise func(seconds float64) corpus.Sound
}

// at10dB returns a noise 10 dB below a caller at -26 dBFS.
func at10dB(make func(uint64, float64) corpus.Sound) func(float64) corpus.Sound {
	return func(seconds float64) corpus.Sound { return make(1, seconds).Scale(math.Pow(10, -10.0/20)) }
}

// hiss returns the noise of a microphone at a level in dBFS.
func hiss(level float64) func(float64) corpus.Sound {
	return func(seconds float64) corpus.Sound { return corpus.Hiss(1, seconds).Scale(math.Pow(10, (level+65)/20)) }
}

var hum = caller{"hum at 10 dB", -26, at10dB(corpus.Hum)}

// wrongWords returns how many words of a caller's phrases are wrongly recognised in a call that suppresses noise or does not,
// and how many were said.
func (c caller) wrongWords(tb testing.TB, phrases []string, suppress bool) (wrong, said int) {
	tb.Helper()
	h, s := recognize(tb, sharedRecognizer(tb)), newSynthesizer(tb)
	defer h.Close()
	const size = dialogue.ListenRate / 50
	l, at := hearing.New(hearing.Options{SuppressNoise: suppress}), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, phrase := range phrases {
		var voice corpus.Sound
		for _, v := range speech(tb, s, "slt", phrase) {
			voice = append(voice, float64(v))
		}
		all := corpus.Mix(voice.At(c.level).Delay(1), make(corpus.Sound, len(voice)+3*corpus.Rate/2))
		pcm := corpus.Mix(all, c.noise(float64(len(all))/corpus.Rate)).PCM()
		var clean []int16
		for ; len(pcm) >= size; pcm = pcm[size:] {
			frame, _ := l.Push(pcm[:size], at)
			clean, at = append(clean, frame...), at.Add(20*time.Millisecond)
		}
		wrong += wordErrors(phrase, transcribe(tb, h, clean).Text)
		said += len(strings.Fields(phrase))
	}
	return wrong, said
}

// Noise suppression makes words intelligible that are lost in a hum.
func TestNoiseSuppression(t *testing.T) {
	some := []string{"what are your opening hours", "do you have vegetarian food", "i need help with my order"}
	off, said := hum.wrongWords(t, some, false)
	on, _ := hum.wrongWords(t, some, true)
	t.Logf("of %d words %d are wrong, with noise suppression %d", said, off, on)
	if on > said/8 || off <= on {
		t.Errorf("of %d words %d are wrong, with noise suppression %d", said, off, on)
	}
}

// BenchmarkNoise reports the share of wrong words, in percent, in a call with noise suppression and without.
func BenchmarkNoise(b *testing.B) {
	var some []string
	for i := 0; i < len(phrases); i += 4 {
		some = append(some, phrases[i])
	}
	for _, c := range []caller{
		{"-26 dBFS", -26, hiss(-65)}, {"-50 dBFS", -50, hiss(-80)}, {"-50 dBFS over hiss at 15 dB", -50, hiss(-65)}, {"clipped", -4, hiss(-65)},
		hum, {"traffic at 10 dB", -26, at10dB(corpus.Traffic)}, {"hiss at 20 dB", -26, hiss(-46)}, {"hiss at 10 dB", -26, hiss(-36)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				off, said := c.wrongWords(b, some, false)
				on, _ := c.wrongWords(b, some, true)
				b.ReportMetric(100*float64(off)/float64(said), "%wrong-off")
				b.ReportMetric(100*float64(on)/float64(said), "%wrong-on")
			}
		})
	}
}
