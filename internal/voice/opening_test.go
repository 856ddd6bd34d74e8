package voice

import (
	"errors"
	"testing"
	"time"
)

// A call may end while its providers are being opened: that is no fault of theirs, and nothing of what came of it stays
// open.
func TestOpeningIsCancelled(t *testing.T) {
	for name, prepare := range map[string]func(*scenario){"alone": func(*scenario) {}, "with fallbacks": fallbacks} {
		t.Run(name, func(t *testing.T) {
			perform(t, with(prepare, func(s *scenario) {
				s.recognizer.fail, s.recognizer.hang = 1000, true
				time.AfterFunc(time.Second, func() { s.cancel(errHungUp) })
			}), func(*scenario) {}, func(s *scenario) {
				if !errors.Is(s.err, errHungUp) || errors.As(s.err, new(Problem)) {
					s.Errorf("Prepare returned %v", s.err)
				}
				s.wantProblems()
				if s.synthesizer.open != 0 {
					s.Errorf("%d voices stay open", s.synthesizer.open)
				}
			})
		})
	}
	t.Run("at a handoff", func(t *testing.T) {
		perform(t, with(sales, func(s *scenario) { s.synthesizer.slow = time.Hour }), func(s *scenario) {
			s.question("I want to buy")
			s.wait(3 * time.Second)
		}, func(s *scenario) {
			s.wantProblems()
			if len(s.journal.changes) != 1 || !errors.Is(s.err, errHungUp) || s.end != "" {
				s.Errorf("changes %q, the call ends by %q, %v", s.journal.changes, s.end, s.err)
			}
		})
	})
}
