package voice

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// A call may end while its providers are being opened: that is no fault of theirs, and nothing of what came of it stays
// open.
func TestOpeningIsCancelled(t *testing.T) {
	for name, prepare := range map[string]func(*stage){"alone": func(*stage) {}, "with fallbacks": fallbacks} {
		t.Run(name, func(t *testing.T) {
			perform(t, with(prepare, func(s *stage) {
				s.ear.fail, s.ear.hang = 1000, true
				time.AfterFunc(time.Second, func() { s.cancel(errHungUp) })
			}), func(*stage) {}, func(s *stage) {
				if !errors.Is(s.err, errHungUp) || errors.As(s.err, new(Problem)) {
					s.Errorf("Prepare returned %v", s.err)
				}
				s.wantProblems()
				if s.mouth.open != 0 {
					s.Errorf("%d voices stay open", s.mouth.open)
				}
			})
		})
	}
	t.Run("at a handoff", func(t *testing.T) {
		perform(t, nil, func(s *stage) { s.wait(time.Second) }, func(s *stage) {
			over, cancel := context.WithCancelCause(s.Context())
			cancel(errHungUp)
			opened := s.session.opening().open(over)
			s.session.recast(over, casting{"anna", opened})
			s.wantProblems()
			if !errors.Is(opened.err, errHungUp) || s.session.ending != "" {
				s.Errorf("opened %+v, the call ends by %q", opened, s.session.ending)
			}
		})
	})
}

// socket is something that can be opened.
type socket struct{ closed bool }

func (s *socket) Close() error { s.closed = true; return nil }

// What is opened just when nobody waits for it any more is closed.
func TestOpenedTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := &socket{}
		opened, err := open(t.Context(), time.Second, func(context.Context) (*socket, error) {
			time.Sleep(time.Second + time.Nanosecond)
			return late, nil
		})
		if opened != nil || !errors.Is(err, stalled(time.Second)) || !late.closed {
			t.Errorf("opened %v, %v, closed: %t", opened, err, late.closed)
		}
	})
}
