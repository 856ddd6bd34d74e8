package call

import (
	"sync"
	"time"
)

// RecoveryTime is how long after an outage of the database a process treats no lease as expired, so that the holders
// can renew them first.
const RecoveryTime = 3 * time.Second

// Reachability tracks since when the database has answered without a gap. After an outage of the database or a
// pause of the process, an expired lease does not mean that its holder is gone.
type Reachability struct {
	// Gap is the longest normal time between two successful operations.
	Gap time.Duration

	mu     sync.Mutex
	last   time.Time // last successful operation; zero after a failure
	since  time.Time // start of the current period without gaps
	failed bool      // an operation has failed since the process started
}

// MarkReachable records a successful operation at a time. All times must come from one clock, which may be set. The
// monotonic reading is dropped, because it stops while the machine sleeps.
func (s *Reachability) MarkReachable(at time.Time) {
	at = at.Round(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.IsZero() || at.Sub(s.last).Abs() > s.Gap {
		s.since = at
	}
	s.last = at
}

// MarkUnreachable records a failed operation.
func (s *Reachability) MarkUnreachable() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.failed = time.Time{}, true
}

// Recovered returns since when the database has been reachable again. ok is false if it was never unreachable, and while it is.
func (s *Reachability) Recovered() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since, s.failed && !s.last.IsZero()
}

// StableFor returns how long, at a time, the database has been reachable without a gap.
func (s *Reachability) StableFor(at time.Time) time.Duration {
	at = at.Round(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.IsZero() || at.Sub(s.last).Abs() > s.Gap {
		return 0
	}
	return at.Sub(s.since)
}

// Stable reports whether, at a time, an expired lease means that its holder is gone.
func (s *Reachability) Stable(at time.Time) bool { return s.StableFor(at) > RecoveryTime }
