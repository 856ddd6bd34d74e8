package call

import (
	"sync"
	"time"
)

// Recovery is how long a process, once it reaches the database again, takes no
// lease for lapsed: whoever holds it could not renew it either, and does so now.
const Recovery = 3 * time.Second

// Sight is what a process sees of the database, by which it knows whether a
// lease that has lapsed has a holder that vanished. Where the database was away
// or stood still, or the process did, leases have lapsed that nobody could
// renew.
type Sight struct {
	// Gap is the longest time between two moments at which the database did its
	// work that is nothing unusual.
	Gap time.Duration

	mu    sync.Mutex
	last  time.Time // when the database was last seen; zero if it was missed since
	since time.Time // from when on it was seen without a gap
}

// Seen notes that the database did its work at a time. One clock has to give
// all times of a Sight, and may be set: what counts are its readings, for the
// monotonic clock of a machine stands still while that sleeps.
func (s *Sight) Seen(at time.Time) {
	at = at.Round(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.IsZero() || at.Sub(s.last).Abs() > s.Gap {
		s.since = at
	}
	s.last = at
}

// Lost notes that the database could not be reached, or did not do its work.
func (s *Sight) Lost() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = time.Time{}
}

// For is how long, at a time, the database has been seen without a gap.
func (s *Sight) For(at time.Time) time.Duration {
	at = at.Round(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.IsZero() || at.Sub(s.last).Abs() > s.Gap {
		return 0
	}
	return at.Sub(s.since)
}

// Clear reports whether, at a time, a lease that has lapsed has a holder that
// vanished.
func (s *Sight) Clear(at time.Time) bool { return s.For(at) > Recovery }
