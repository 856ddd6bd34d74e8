package worker

import (
	"sync/atomic"
	"time"
)

// sessionClock is a session's clock, which is set anew when the database's jumps.
type sessionClock struct{ now atomic.Pointer[clock] }

// clockStep is the difference from which a clock is set anew: below it, it goes
// on evenly.
const clockStep = 5 * time.Second

// set sets the clock, unless it says much the same already.
func (s *sessionClock) set(c clock) {
	if now := s.now.Load(); now == nil || now.database(c.here).Sub(c.there).Abs() >= clockStep {
		s.now.Store(&c)
	}
}

// database is clock's.
func (s *sessionClock) database(at time.Time) time.Time {
	if now := s.now.Load(); now != nil {
		return now.database(at)
	}
	return clock{}.database(at)
}

// clock tells the database's time of a moment that this machine's clock
// measured. The zero clock takes the two for one.
type clock struct{ here, there time.Time } // one moment by both

// clockOf is the clock of a database that said there, of some moment between
// two of this machine's. As long as the clocks may agree, they are taken to.
func clockOf(there, asked, answered time.Time) clock {
	ahead := min(max(0, there.Sub(answered)), there.Sub(asked))
	return clock{here: answered, there: answered.Round(0).Add(ahead)}
}

// database is the database's time of a moment, in UTC with microseconds. It
// goes on evenly when this machine's clock is set.
func (c clock) database(at time.Time) time.Time {
	if c.here.IsZero() {
		c.here, c.there = at, at
	}
	return c.there.Add(at.Sub(c.here)).UTC().Truncate(time.Microsecond)
}
