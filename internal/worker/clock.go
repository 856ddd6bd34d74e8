package worker

import (
	"sync/atomic"
	"time"
)

// sessionClock is the clock of a session, set again when the database's clock jumps.
type sessionClock struct{ current atomic.Pointer[clock] }

// clockStep is the least difference at which a clock is set again.
const clockStep = 5 * time.Second

// set sets the clock if it differs by clockStep or more.
func (s *sessionClock) set(c clock) {
	if now := s.current.Load(); now == nil || now.databaseTime(c.local).Sub(c.remote).Abs() >= clockStep {
		s.current.Store(&c)
	}
}

// databaseTime returns clock.databaseTime.
func (s *sessionClock) databaseTime(at time.Time) time.Time {
	if now := s.current.Load(); now != nil {
		return now.databaseTime(at)
	}
	return clock{}.databaseTime(at)
}

// clock converts times of this machine to database time. The zero clock converts nothing.
type clock struct{ local, remote time.Time } // the same moment by both clocks

// clockOf returns the clock of a database whose time was remote between sent and received, by this machine's clock. Within
// that uncertainty the clocks are assumed to agree.
func clockOf(remote, sent, received time.Time) clock {
	ahead := min(max(0, remote.Sub(received)), remote.Sub(sent))
	return clock{local: received, remote: received.Round(0).Add(ahead)}
}

// databaseTime converts a time to database time, in UTC with microseconds. Setting this machine's clock does not affect it.
func (c clock) databaseTime(at time.Time) time.Time {
	if c.local.IsZero() {
		c.local, c.remote = at, at
	}
	return c.remote.Add(at.Sub(c.local)).UTC().Truncate(time.Microsecond)
}
