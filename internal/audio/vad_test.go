package audio

import (
	"fmt"
	"testing"
	"time"
)

// utterance is what a VAD made of a stretch of speech, from the beginning of the stream.
type utterance struct{ start, end time.Duration }

func detect(pcm []int16, o VADOptions) (found []utterance) {
	v := NewVAD(o)
	for i := 0; i+320 <= len(pcm); i += 320 {
		now := time.Duration(i/320+1) * frame
		switch v.Push(pcm[i : i+320]).Change {
		case Started:
			found = append(found, utterance{start: now})
		case Ended:
			found[len(found)-1].end = now
		}
	}
	return found
}

func TestVADSilentOnSteadyNoise(t *testing.T) {
	for _, level := range []float64{-70, -60, -50, -40, -30, -20, -12} {
		for _, pole := range []float64{0, 0.7, 0.9} {
			for _, codec := range []bool{false, true} {
				name := fmt.Sprintf("%v dBFS, pole %v, Opus %v", level, pole, codec)
				pcm := noise(level, 20*time.Second, pole)
				if codec {
					pcm = overOpus(t, pcm)
				}
				if got := detect(pcm, VADOptions{}); len(got) > 0 {
					t.Errorf("%s: heard speech at %v", name, got)
				}
			}
		}
	}
}

func TestVADLevelChanges(t *testing.T) {
	s := time.Second
	hum := mix(noise(-45, 10*s, 0), Tone(150, vadRate, 5*s), 5*vadRate)
	for _, tc := range []struct {
		name string
		pcm  []int16
		want int           // onsets
		over time.Duration // by when the last must have ended
	}{
		{"digital silence", zeros(5 * s), 0, 0},
		{"hiss after digital silence", join(zeros(3*s), noise(-30, 5*s, 0)), 0, 0},
		{"hiss muted and back", join(noise(-30, 2*s, 0), zeros(4*s), noise(-30, 3*s, 0)), 0, 0},
		{"hiss grows louder", join(noise(-60, 3*s, 0), noise(-45, 3*s, 0), noise(-25, 5*s, 0)), 0, 0},
		{"hiss fades and returns", join(noise(-25, 3*s, 0), noise(-60, 5*s, 0), noise(-25, 5*s, 0)), 0, 0},
		{"a hum comes on and stays", hum, 1, 5*s + 900*time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := detect(tc.pcm, VADOptions{})
			if len(got) != tc.want {
				t.Fatalf("%d onsets %v, want %d", len(got), got, tc.want)
			}
			if tc.want > 0 && (got[0].end == 0 || got[0].end > tc.over) {
				t.Errorf("ended at %v, want by %v", got[0].end, tc.over)
			}
		})
	}
}

// Four phrases a second apart, at levels and signal-to-noise ratios of real calls: none may be missed, none late.
func TestVADHearsSpeech(t *testing.T) {
	phrases := []string{"what are your opening hours", "yes", "seven", "thank you very much goodbye"}
	for _, tc := range []struct {
		name       string
		level, snr float64
		codec      bool
		late       time.Duration // how long after the first sound of speech the onset may be found, at most
	}{
		{"clean and loud", -18, 60, false, 120 * time.Millisecond},
		{"clean and soft", -36, 60, false, 140 * time.Millisecond},
		{"20 dB over noise", -24, 20, true, 160 * time.Millisecond},
		{"10 dB over loud noise", -20, 10, true, 220 * time.Millisecond},
		{"10 dB over noise, soft", -36, 10, true, 220 * time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := NewVAD(VADOptions{})
			push := func(pcm []int16, do func(at time.Duration, a Activity)) {
				for i := 0; i+320 <= len(pcm); i += 320 {
					do(Duration(i+320, vadRate), v.Push(pcm[i:i+320]))
				}
			}
			quiet := noise(tc.level-tc.snr, time.Second, 0)
			push(quiet, func(at time.Duration, a Activity) {
				if a.Speaking {
					t.Fatalf("speaking in noise at %v", at)
				}
			})
			var sum time.Duration
			for _, phrase := range phrases {
				pcm := say(t, phrase, tc.level)
				first, last := spoken(pcm)
				pcm = mix(noise(tc.level-tc.snr, Duration(len(pcm), vadRate)+time.Second, 0), pcm, 0)
				if tc.codec {
					pcm = overOpus(t, pcm)
				}
				var started, ended time.Duration
				push(pcm, func(at time.Duration, a Activity) {
					switch a.Change {
					case Started:
						if started == 0 {
							started = at
						}
					case Ended:
						ended = at
					}
				})
				onset := started - Duration(first, vadRate)
				if started == 0 || onset > tc.late || onset < 0 {
					t.Errorf("%q: onset %v after the first sound, want at most %v", phrase, onset, tc.late)
				}
				end := ended - Duration(last, vadRate)
				if ended == 0 || end < 0 || end > 420*time.Millisecond {
					t.Errorf("%q: end found %v after the last sound, want about 200 ms", phrase, end)
				}
				sum += onset
			}
			t.Logf("onset found %v after the first sound, on average", sum/time.Duration(len(phrases)))
		})
	}
}

func TestVADReports(t *testing.T) {
	v := NewVAD(VADOptions{Onset: 100 * time.Millisecond, Silence: 300 * time.Millisecond})
	hiss, tone := noise(-60, time.Second, 0), Tone(300, vadRate, 400*time.Millisecond)
	var a Activity
	for i := 0; i < len(hiss); i += 320 {
		a = v.Push(hiss[i : i+320])
	}
	if a.Speaking || a.Silence != time.Second {
		t.Fatalf("after a second of noise: %+v", a)
	}
	for i := 0; i < len(tone); i += 320 {
		a = v.Push(tone[i : i+320])
		if now := Duration(i+320, vadRate); (a.Change == Started) != (now == 100*time.Millisecond) || a.Speaking && a.Speech != now {
			t.Fatalf("%v into the tone: %+v", now, a)
		}
	}
	for i := 0; i < 320*20; i += 320 {
		a = v.Push(hiss[i : i+320])
		now := Duration(i+320, vadRate)
		if (a.Change == Ended) != (now == 300*time.Millisecond) || a.Silence != now || a.Voiced {
			t.Fatalf("%v after the tone: %+v", now, a)
		}
	}
	click := mix(noise(-60, time.Second, 0), Tone(1000, vadRate, 30*time.Millisecond), 8000)
	if got := detect(click, VADOptions{}); len(got) > 0 {
		t.Errorf("a click of 30 ms was taken for speech: %v", got)
	}
}
