package recording

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// What is silenced is silent on the caller's side alone, whenever that is decided; what is not settled at the end is silent.
func TestSilencedSpans(t *testing.T) {
	file := filepath.Join(t.TempDir(), "call.ogg")
	synctest.Test(t, func(t *testing.T) {
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewRedacted(f, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		r.Record(true)
		begun := time.Now()
		low, high := audio.Tone(440, dialogue.ListenRate, 10*time.Second), audio.Tone(880, dialogue.SpeakRate, 10*time.Second)
		for n := range 500 { // 10 s
			switch n {
			case 100: // known 2 s later, which is kept back so long
				r.Await(begun.Add(time.Second))
			case 200:
				r.Settle([2]time.Time{begun.Add(time.Second), begun.Add(3 * time.Second)})
				r.Await(begun.Add(4 * time.Second))
			case 250:
				r.Settle()
			case 425:
				r.Await(begun.Add(8 * time.Second))
			}
			r.WriteCaller(low[n*320 : (n+1)*320])
			r.WriteAgent(high[n*480 : (n+1)*480])
			time.Sleep(20 * time.Millisecond)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stereo := heard(t, f)
	for _, tc := range []struct {
		from, to time.Duration
		silent   bool
	}{{100 * time.Millisecond, 900 * time.Millisecond, false}, {1100 * time.Millisecond, 2900 * time.Millisecond, true}, {3100 * time.Millisecond, 7900 * time.Millisecond, false}, {8100 * time.Millisecond, 9900 * time.Millisecond, true}} {
		if level := audio.Level(one(stereo, 0, tc.from, tc.to)); level < -60 != tc.silent {
			t.Errorf("the caller has %.0f dBFS from %v to %v", level, tc.from, tc.to)
		}
		if level := audio.Level(one(stereo, 1, tc.from, tc.to)); level < -30 {
			t.Errorf("the agent has %.0f dBFS from %v to %v", level, tc.from, tc.to)
		}
	}
}
