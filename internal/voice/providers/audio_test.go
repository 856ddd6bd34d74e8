package providers

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
)

// writes is a recognition that keeps the length of each write, and 0 for a
// finalize.
type writes struct {
	dialogue.Recognition
	lengths []time.Duration
}

func (w *writes) Write(pcm []int16) error {
	w.lengths = append(w.lengths, time.Duration(len(pcm))*time.Second/dialogue.ListenRate)
	return nil
}

func (w *writes) Finalize() error {
	w.lengths = append(w.lengths, 0)
	return nil
}

const ms = time.Millisecond

// Silence goes out four frames at a time; what was gathered of it goes with the
// first frame of speech, at once.
func TestSilenceIsGathered(t *testing.T) {
	var f AudioBuffer
	var to writes
	now := time.Now()
	frames := func(n int, quiet bool) {
		for range n {
			f.PushFrame(make([]int16, dialogue.ListenRate/50))
			f.quiet = quiet
			if err := f.WriteTo(&to, now); err != nil {
				t.Fatal(err)
			}
			if due := f.WriteDueAt(&to); !due.IsZero() {
				t.Errorf("%d writes, and more is due", len(to.lengths))
			}
			now = now.Add(dialogue.FrameDuration)
		}
	}
	frames(11, true)
	frames(2, false)
	frames(3, true)
	f.finalize = true
	frames(1, true)
	want := []time.Duration{
		80 * ms, 80 * ms, // of silence
		20 * ms, 20 * ms, 20 * ms, 20 * ms, // what was gathered, and a frame of speech
		20 * ms, // speech
		80 * ms, 0,
	}
	if diff := cmp.Diff(want, to.lengths); diff != "" {
		t.Error(diff)
	}
}

// limited is a recognition that accepts audio at 1.25 times real time.
type limited struct{ writes }

func (*limited) Pace() float64 { return 1.25 }

// A backlog is written at four times the speed of speech, or at the recogniser's pace but for the last half second, which is what a network
// may delay.
func TestReplayKeepsTheRecognisersPace(t *testing.T) {
	replay := func(to dialogue.Recognition) (took, foretold time.Duration) {
		var f AudioBuffer
		f.PushFrame(make([]int16, 3*dialogue.ListenRate))
		f.Replay(to)
		now := time.Now()
		began := now
		foretold = f.Backlog()
		for f.Backlog() > 0 {
			if err := f.WriteTo(to, now); err != nil {
				t.Fatal(err)
			}
			if due := f.WriteDueAt(to); !due.IsZero() {
				now = due
			}
		}
		return now.Sub(began), foretold
	}
	for name, test := range map[string]struct {
		to   dialogue.Recognition
		want time.Duration
	}{
		"no limit": {&writes{}, 750 * ms},
		"1.25":     {&limited{}, 2125 * ms},
	} {
		took, foretold := replay(test.to)
		if foretold != test.want || (took-test.want).Abs() > 80*ms {
			t.Errorf("%s: replayed in %v, foretold %v, want %v", name, took, foretold, test.want)
		}
	}
}
