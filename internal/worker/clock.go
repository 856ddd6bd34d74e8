package worker

import (
	"sync/atomic"
	"time"
)

// sessionClock is a session's clock; it is set again when the database's clock jumps.
type sessionClock struct{ now atomic.Pointer[clock] }

// clockStep is the minimum difference at which a clock is set again; smaller ones are ignored.
const clockStep = 5 * time.Second

// set sets the clock if it differs by clockStep or more.
func (s *sessionClock) set(c clock) {
	if now := s.now.Load(); now == nil || now.database(c.local).Sub(c.remote).Abs() >= clockStep {
		s.now.Store(&c)
	}
}

// database returns clock.database.
func (s *sessionClock) database(at time.Time) time.Time {
	if now := s.now.Load(); now != nil {
		return now.database(at)
	}
	return clock{}.database(at)
}

// clock converts times of this machine to database time. The zero clock converts nothing.
type clock struct{ local, remote time.Time } // the same moment by both clocks

// clockOf returns the clock of a database that returned the time there to a query sent at asked and answered at answered, by this
// machine's clock. Within that uncertainty the clocks are assumed to agree.
func clockOf(there, asked, answered time.Time) clock {
	ahead := min(max(0, there.Sub(answered)), there.Sub(asked))
	return clock{local: answered, remote: answered.Round(0).Add(ahead)}
}

// database returns the database's time of a moment, in UTC with microseconds. It is not affected when this
// machine's clock is set.
func (c clock) database(at time.Time) time.Time {
	if c.local.IsZero() {
		c.local, c.remote = at, at
	}
	return c.remote.Add(at.Sub(c.local)).UTC().Truncate(time.Microsecond)
}
