package offline

import (
	"slices"
	"sync"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// BenchmarkCallers has all voices say all phrases through Opus, and reports how
// many are understood to the word.
func BenchmarkCallers(b *testing.B) {
	for b.Loop() {
		said, whole := callers(b, func(int, int) bool { return true })
		b.ReportMetric(100*float64(whole)/float64(said), "%-exact")
	}
}

// BenchmarkFirstWords has each opening spoken in a separate call.
func BenchmarkFirstWords(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(100*float64(firstWords(b, openings))/float64(len(openings)), "%-exact")
	}
}

// BenchmarkFourCallers has four concurrent callers speak in real time, and reports the time from the end of a phrase to its
// final transcript: of phrases of the grammar, and of others, which need the open model.
func BenchmarkFourCallers(b *testing.B) {
	for name, texts := range map[string][]string{"grammar": phrases[:20], "open": offGrammar} {
		b.Run(name, func(b *testing.B) {
			r, s := sharedRecognizer(b), newSynthesizer(b)
			for b.Loop() {
				var mu sync.Mutex
				var waits []time.Duration
				var all sync.WaitGroup
				for _, voice := range Voices {
					h := recognize(b, r)
					var pcm [][]int16
					for _, text := range texts {
						pcm = append(pcm, speech(b, s, voice, text))
					}
					all.Go(func() {
						defer h.Close()
						for _, phrase := range pcm {
							wait, err := inRealTime(h, phrase)
							if err != nil {
								b.Error(err)
								return
							}
							mu.Lock()
							waits = append(waits, wait)
							mu.Unlock()
						}
					})
				}
				all.Wait()
				slices.Sort(waits)
				for _, q := range []int{50, 95} {
					b.ReportMetric(float64(waits[len(waits)*q/100].Microseconds())/1000, map[int]string{50: "ms-p50", 95: "ms-p95"}[q])
				}
			}
		})
	}
}

// inRealTime writes a phrase at the speed of speech, and returns the time from its end to the final transcript.
func inRealTime(h dialogue.Recognition, pcm []int16) (time.Duration, error) {
	ticker := time.NewTicker(dialogue.FrameDuration)
	defer ticker.Stop()
	size := audio.FrameLength(dialogue.ListenRate)
	for ; len(pcm) >= size; pcm = pcm[size:] {
		if err := h.Write(pcm[:size]); err != nil {
			return 0, err
		}
		<-ticker.C
	}
	began := time.Now()
	if err := h.Finalize(); err != nil {
		return 0, err
	}
	_, err := final(h)
	return time.Since(began), err
}

// BenchmarkFirstSound reports the time to a voice's first audio, once its process runs.
func BenchmarkFirstSound(b *testing.B) {
	s := newSynthesizer(b)
	for _, name := range Voices {
		b.Run(name, func(b *testing.B) {
			v, err := s.Open(b.Context(), dialogue.VoiceOptions{VoiceID: name})
			if err != nil {
				b.Fatal(err)
			}
			defer v.Close()
			for b.Loop() {
				u, err := v.Speak(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				u.Say("we are open from nine to five on monday.")
				u.End()
				<-u.Audio()
				b.StopTimer()
				for range u.Audio() { // the rest
				}
				b.StartTimer()
			}
		})
	}
}
