package worker

import "time"

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
