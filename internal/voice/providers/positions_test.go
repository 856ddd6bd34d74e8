package providers

import (
	"testing"
	"time"

	"parley/internal/dialogue"
)

// acceptingRecognition takes all audio.
type acceptingRecognition struct{ dialogue.Recognition }

func (acceptingRecognition) Write([]int16) error { return nil }

// Positions in what a recogniser has heard are times of the caller, also where audio was left out, and after a replay to another one.
func TestTimeOfAudio(t *testing.T) {
	var b AudioBuffer
	first, second := &acceptingRecognition{}, &acceptingRecognition{}
	begun := time.Unix(1000, 0)
	frame := make([]int16, samples(dialogue.FrameDuration))
	push := func(to dialogue.Recognition, from, until time.Duration) {
		for at := from; at < until; at += dialogue.FrameDuration {
			b.PushFrame(frame)
			if to != nil {
				if err := b.WriteTo(to, begun.Add(at+dialogue.FrameDuration)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	want := func(of dialogue.Recognition, position, at time.Duration) {
		t.Helper()
		if got, known := b.TimeOf(of, position); !known || got.Sub(begun.Add(at)).Abs() > 25*time.Millisecond {
			t.Errorf("at %v: %v, %t, want %v", position, got.Sub(begun), known, at)
		}
	}
	push(first, 0, 2*time.Second)
	push(nil, 2*time.Second, 3*time.Second)
	b.DropAll()
	push(first, 3*time.Second, 5*time.Second)
	want(first, time.Second, time.Second)
	want(first, 2500*time.Millisecond, 3500*time.Millisecond)
	if _, known := b.TimeOf(second, time.Second); known {
		t.Error("the time of another recognition is known")
	}
	b.DropSentBefore(time.Second)
	b.Replay(second)
	push(second, 5*time.Second, 8*time.Second) // the backlog is written faster
	want(second, 500*time.Millisecond, 4500*time.Millisecond)
	want(second, 3*time.Second, 7*time.Second)
	if _, known := b.TimeOf(second, time.Hour); known {
		t.Error("the time of audio that was not written is known")
	}
}
