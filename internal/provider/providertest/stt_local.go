package providertest

import (
	"context"
	"errors"
	"testing"

	"parley/internal/dialogue"
)

// Spoken is speech at dialogue.ListenRate and its transcript.
type Spoken struct {
	Text string
	PCM  []int16
}

// LocalRecognizer runs the part of the suite that needs no vendor, for a recogniser in this process. It writes audio without
// pauses. It does not check for leaks: the recogniser may keep resources between calls.
func LocalRecognizer(t *testing.T, r dialogue.Recognizer, lines ...Spoken) {
	open := func(t *testing.T, ctx context.Context) *call {
		t.Helper()
		recognition, err := r.Recognize(ctx, dialogue.RecognizeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { recognition.Close() })
		return &call{t, recognition}
	}
	t.Run("recognises several turns in one recognition", func(t *testing.T) {
		c := open(t, t.Context())
		for _, line := range lines {
			c.write(line.PCM)
			c.pause()
			if collected := c.until(final); collected != line.Text {
				t.Errorf("heard %q, want %q", collected, line.Text)
			}
		}
	})
	t.Run("answers Finalize when nothing was heard", func(t *testing.T) {
		c := open(t, t.Context())
		for range 2 {
			c.pause()
			if collected := c.next(); collected != (dialogue.Transcript{Final: true}) {
				t.Errorf("heard %+v in silence", collected)
			}
		}
	})
	t.Run("ends with the context in mid-stream", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		c := open(t, ctx)
		c.write(lines[0].PCM[:len(lines[0].PCM)/2])
		cancel()
		if err := c.ended(); !errors.Is(err, context.Canceled) {
			t.Errorf("Err = %v", err)
		}
		if c.Write(make([]int16, 320)) == nil || c.Finalize() == nil {
			t.Error("a stream that has ended accepts audio")
		}
	})
	t.Run("closes in mid-stream, and twice", func(t *testing.T) {
		c := open(t, t.Context())
		c.write(lines[0].PCM[:len(lines[0].PCM)/2])
		for range 2 {
			if err := c.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		}
		if err := c.ended(); err != nil {
			t.Errorf("Err after Close: %v", err)
		}
		if c.Write(make([]int16, 320)) == nil || c.Finalize() == nil {
			t.Error("a closed stream accepts audio")
		}
	})
}
