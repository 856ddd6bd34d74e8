package hearing_test

import (
	"testing"
	"time"

	"parley/internal/hearing"
	"parley/internal/hearing/corpus"
)

const frame = corpus.Rate / 50

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// listen returns a function that pushes a frame of noise to a listener, while the agent plays noise, which is the costliest
// case, or nothing. Loud is the gain of the caller's noise.
func listen(o hearing.Options, speaks bool, loud float64) func() {
	mic, played := corpus.Hiss(1, 1).Scale(loud).PCM(), corpus.Upsample(corpus.Hiss(2, 1).Scale(30)).PCM()
	l, i := hearing.New(o), 0
	return func() {
		at, n := start.Add(time.Duration(i)*20*time.Millisecond), i%49
		if speaks {
			l.Played(played[n*frame*3/2:(n+1)*frame*3/2], at)
		}
		l.Push(mic[n*frame:(n+1)*frame], at)
		i++
	}
}

func TestListenerAllocatesNothing(t *testing.T) {
	push := listen(hearing.Options{SuppressNoise: true}, true, 30)
	if n := testing.AllocsPerRun(100, push); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// Steady noise reaches the recogniser softer.
func TestNoiseIsSuppressed(t *testing.T) {
	l := hearing.New(hearing.Options{SuppressNoise: true})
	noise := corpus.Hiss(1, 4).Scale(30).PCM()
	var before, after float64
	for i := 0; (i+1)*frame <= len(noise); i++ {
		mic := noise[i*frame : (i+1)*frame]
		clean, _ := l.Push(mic, start.Add(time.Duration(i)*20*time.Millisecond))
		if i < 100 {
			continue
		}
		for n := range clean {
			before += float64(mic[n]) * float64(mic[n])
			after += float64(clean[n]) * float64(clean[n])
		}
	}
	if after > before/10 {
		t.Errorf("%.1f %% of the noise is left", 100*after/before)
	}
}

// A caller of -50 dBFS reaches the recogniser 10 dB louder at least, one of -26 dBFS about as loud as before.
func TestSoftCallersAreRaised(t *testing.T) {
	voice, err := corpus.Voice(corpus.Held, "ru", 1, 6, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ gain, least, most float64 }{{0.063, 10, 251}, {1, 0.99, 1.3}} { // of powers
		mic := voice.Scale(tc.gain).PCM()
		l := hearing.New(hearing.Options{})
		var before, after float64
		for i := 0; (i+1)*frame <= len(mic); i++ {
			heard := mic[i*frame : (i+1)*frame]
			clean, _ := l.Push(heard, start.Add(time.Duration(i)*20*time.Millisecond))
			if i < 150 {
				continue
			}
			for n := range clean {
				before += float64(heard[n]) * float64(heard[n])
				after += float64(clean[n]) * float64(clean[n])
			}
		}
		if raised := after / before; raised < tc.least || raised > tc.most {
			t.Errorf("a voice of gain %v is raised to %.2f times its power, want %v to %v", tc.gain, raised, tc.least, tc.most)
		}
	}
}

// Frames of the caller that come before the agent's of the same time, and two at once in the beginning, change nothing
// about the echo in them.
func TestEchoInEarlyFrames(t *testing.T) {
	agent, err := corpus.Voice(corpus.Held, "en", 77, 10, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	mic, played := corpus.Mix(corpus.Hiss(1, 10), agent.Scale(0.1).Delay(0.2)).PCM(), corpus.Upsample(agent).PCM()
	l := hearing.New(hearing.Options{})
	l.Push(make([]int16, frame), start)
	var before, after float64
	for i := 0; (i+1)*frame*3/2 <= len(played); i++ {
		at := start.Add(time.Duration(i) * 20 * time.Millisecond)
		heard := mic[i*frame : (i+1)*frame]
		clean, _ := l.Push(heard, at)
		l.Played(played[i*frame*3/2:(i+1)*frame*3/2], at)
		if i < 100 {
			continue
		}
		for n := range clean {
			before += float64(heard[n]) * float64(heard[n])
			after += float64(clean[n]) * float64(clean[n])
		}
	}
	if after > before/20 {
		t.Errorf("%.1f %% of the echo is left", 100*after/before)
	}
}

func BenchmarkPush(b *testing.B) {
	for _, bench := range []struct {
		name   string
		speaks bool
		loud   float64
	}{{"both make a sound", true, 30}, {"the caller is silent", true, 0.5}, {"the agent is silent", false, 30}} {
		b.Run(bench.name, func(b *testing.B) {
			push := listen(hearing.Options{}, bench.speaks, bench.loud)
			b.ReportAllocs()
			for b.Loop() {
				push()
			}
		})
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		hearing.New(hearing.Options{})
	}
}

// A soft beginning after digital silence does not raise the loud word that follows.
func TestLoudWordAfterASoftBeginning(t *testing.T) {
	word, err := corpus.Speech("what are your opening hours", "flite slt")
	if err != nil {
		t.Fatal(err)
	}
	loud := word.At(-12)
	sound := append(make(corpus.Sound, 3*corpus.Rate), loud[:corpus.Rate/5].Scale(0.01)...)
	sound = append(sound, loud...)
	listener := hearing.New(hearing.Options{})
	var in, out float64
	for i, pcm := 0, sound.PCM(); i+320 <= len(pcm); i += 320 {
		frame := pcm[i : i+320]
		clean, _ := listener.Push(frame, time.Unix(0, int64(i)*int64(time.Second)/corpus.Rate))
		for j := range frame {
			if i > 3*corpus.Rate+corpus.Rate/5 {
				in += float64(frame[j]) * float64(frame[j])
				out += float64(clean[j]) * float64(clean[j])
			}
		}
	}
	if raised := out / in; raised > 1.1 {
		t.Errorf("the word is raised to %.2f times its power", raised)
	}
}
