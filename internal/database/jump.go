package database

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

// Jump is a step of the database's clock: it was set, or a failover changed the machine. The zero Jump is none.
type Jump struct {
	Before time.Time // what the clock would have been without the jump
	Now    time.Time // what it is
}

// By returns the size of the jump, negative for backwards.
func (j Jump) By() time.Duration { return j.Now.Sub(j.Before) }

// slack is the tolerance for times written before the jump; it is smaller than what may be written between a jump
// and its detection.
const slack = time.Second

// Move returns a time, shifted by the jump if it was written before it. reach is how far ahead of the clock such a
// time may be when it is written.
func (j Jump) Move(at time.Time, reach time.Duration) time.Time {
	if at.IsZero() || !j.before(at, reach) {
		return at
	}
	return at.Add(j.By())
}

// before reports whether a time was written before the jump: times written since are outside the range of the old
// clock, or within reach of the new one. In doubt, when the jump is shorter than the reach, it is true after a jump
// forwards and false otherwise, so that no deadline comes too early.
func (j Jump) before(at time.Time, reach time.Duration) bool {
	if j.By() > 0 {
		return !at.After(j.Before.Add(reach + slack))
	}
	return at.After(j.Now.Add(reach + slack))
}

// Times is a column of times to shift when the clock jumps.
type Times struct {
	Table, Key, Column string
	Reach              time.Duration // how far ahead of the clock a time may be when it is written
	Where              string        // condition of the rows
}

// Move shifts times and returns how many.
func (tx Tx) Move(ctx context.Context, j Jump, t Times) (moved int64, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("move %s of %s along with the clock: %w", t.Column, t.Table, err)
		}
	}()
	edge, written := j.Now.Add(t.Reach+slack), " > ?"
	if j.By() > 0 {
		edge, written = j.Before.Add(t.Reach+slack), " <= ?"
	}
	which := t.Column + written + " AND " + t.Where
	if tx.Postgres() {
		result, err := tx.NewRaw("UPDATE "+t.Table+" SET "+t.Column+" = "+t.Column+" + ? * interval '1 microsecond' WHERE "+which, j.By().Microseconds(), edge).Exec(ctx)
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	}
	var rows []struct {
		Key string    `bun:"key"`
		At  time.Time `bun:"at"`
	}
	if err := tx.NewRaw("SELECT ? AS key, ? AS at FROM "+t.Table+" WHERE "+which, bun.Ident(t.Key), bun.Ident(t.Column), edge).Scan(ctx, &rows); err != nil && !NoRows(err) {
		return 0, err
	}
	for _, r := range rows {
		if _, err := tx.NewRaw("UPDATE "+t.Table+" SET "+t.Column+" = ? WHERE "+t.Key+" = ?", r.At.UTC().Add(j.By()), r.Key).Exec(ctx); err != nil {
			return 0, err
		}
	}
	return int64(len(rows)), nil
}
