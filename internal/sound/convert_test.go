package sound

import (
	"bytes"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/audio"
	"parley/internal/fault"
)

// wav is a file of a tone at a level below that of audio.Tone.
func wav(t testing.TB, frequency float64, fileRate int, lasts time.Duration, divisor int16) []byte {
	t.Helper()
	pcm := audio.Tone(frequency, fileRate, lasts)
	for n := range pcm {
		pcm[n] /= divisor
	}
	var file bytes.Buffer
	if err := audio.WriteWAV(&file, pcm, fileRate); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// play plays a stored sound.
func play(t *testing.T, content []byte, frames int) (pcm []int16) {
	t.Helper()
	loop, err := parseLoop(content)
	if err != nil {
		t.Fatal(err)
	}
	player, err := loop.Player()
	if err != nil {
		t.Fatal(err)
	}
	for range frames {
		f, err := player.Next()
		if err != nil {
			t.Fatal(err)
		}
		pcm = append(pcm, f...)
	}
	return pcm
}

// A tone is stored at an even level, and played again without a gap.
func TestConvert(t *testing.T) {
	for name, file := range map[string][]byte{
		"loud":  wav(t, 1000, 44100, 2010*time.Millisecond, 1),
		"quiet": wav(t, 1000, 8000, 2*time.Second, 10),
	} {
		content, lasts, err := convert(t.Context(), file)
		if err != nil || lasts != 2*time.Second {
			t.Fatalf("%s: %v, %v", name, lasts, err)
		}
		pcm := play(t, content, 250)
		for second := range 4 { // the first time it is played again is after 1.5 of them
			part := pcm[rate/2+second*rate : rate/2+(second+1)*rate]
			if audio.Power(part, 1000, rate) < 0.98 || math.Abs(audio.Level(part)-level) > 1 {
				t.Errorf("%s: second %d has the tone with a share of %.3f, at %.1f dBFS", name, second, audio.Power(part, 1000, rate), audio.Level(part))
			}
		}
	}
}

// Pauses count nothing for the level, which does not clip.
func TestConvertSoundWithPauses(t *testing.T) {
	pcm := make([]int16, 4*rate)
	copy(pcm[rate:], audio.Tone(500, rate, time.Second))
	pcm[2*rate+100] = 32767 // a click
	var file bytes.Buffer
	if err := audio.WriteWAV(&file, pcm, rate); err != nil {
		t.Fatal(err)
	}
	content, _, err := convert(t.Context(), file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := audio.Level(play(t, content, 200)[rate+rate/4 : rate+rate*3/4]); math.Abs(got-level) > 1.5 {
		t.Errorf("the tone has %.1f dBFS, want %d", got, level)
	}
}

func TestConvertRefuses(t *testing.T) {
	for want, file := range map[error][]byte{
		errSilent:        wav(t, 1000, 24000, 2*time.Second, 20000),
		errTooShort:      wav(t, 1000, 24000, 900*time.Millisecond, 1),
		audio.ErrTooLong: wav(t, 1000, 8000, 301*time.Second, 1),
		audio.ErrFormat:  []byte("no sound"),
	} {
		if _, _, err := convert(t.Context(), file); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

func BenchmarkConvert(b *testing.B) {
	file := wav(b, 1000, 8000, 5*time.Minute, 1)
	for b.Loop() {
		content, _, err := convert(b.Context(), file)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(content)), "bytes")
	}
}

// A tenant converts one file at a time, and waits for those of others only so long.
func TestConversionsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &converter{turn: make(chan struct{}, 1)}
		first, err := c.acquireTurn(t.Context(), acme)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.acquireTurn(t.Context(), acme); !fault.Is(err, fault.RateLimitExceeded) {
			t.Errorf("a second file: %v", err)
		}
		began := time.Now()
		if _, err := c.acquireTurn(t.Context(), globex); !fault.Is(err, fault.ServiceUnavailable) || time.Since(began) != convertWait {
			t.Errorf("another tenant, after %v: %v", time.Since(began), err)
		}
		time.AfterFunc(time.Second, first)
		second, err := c.acquireTurn(t.Context(), globex)
		if err != nil {
			t.Fatal(err)
		}
		second()
		if again, err := c.acquireTurn(t.Context(), acme); err != nil {
			t.Error(err)
		} else {
			again()
		}
	})
}
