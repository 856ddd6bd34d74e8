package voice

import (
	"errors"
	"testing"
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
		perform(t, with(sales, func(s *stage) { s.mouth.slow = time.Hour }), func(s *stage) {
			s.question("I want to buy")
			s.wait(3 * time.Second)
		}, func(s *stage) {
			s.wantProblems()
			if len(s.journal.changes) != 1 || !errors.Is(s.err, errHungUp) || s.end != "" {
				s.Errorf("changes %q, the call ends by %q, %v", s.journal.changes, s.end, s.err)
			}
		})
	})
}
