package providers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// socket is something that can be opened.
type socket struct{ closed bool }

func (s *socket) Close() error { s.closed = true; return nil }

// What is opened just when nobody waits for it any more is closed.
func TestOpenedTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := &socket{}
		opened, err := openWithin(t.Context(), time.Second, func(context.Context) (*socket, error) {
			time.Sleep(time.Second + time.Nanosecond)
			return late, nil
		})
		if opened != nil || !errors.Is(err, TimeoutError(time.Second)) || !late.closed {
			t.Errorf("opened %v, %v, closed: %t", opened, err, late.closed)
		}
	})
}

// A recogniser receives the silences that the agent sets, not the defaults.
func TestTurnSilences(t *testing.T) {
	for settings, want := range map[string][2]time.Duration{
		"": {}, "null": {}, `{"budget_ms": 100}`: {}, `{"endpoint_complete_ms": 400, "endpoint_unfinished_ms": 1500}`: {400 * ms, 1500 * ms},
	} {
		if complete, unfinished := turnSilences([]byte(settings)); complete != want[0] || unfinished != want[1] {
			t.Errorf("%s: %v, %v", settings, complete, unfinished)
		}
	}
}
