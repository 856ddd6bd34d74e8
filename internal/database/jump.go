package database

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
)

// Jump is a step of the database's clock: it was set, or another machine with
// another clock took over. The zero Jump is none.
type Jump struct {
	Before time.Time // what the clock would say, had it gone on evenly
	Now    time.Time // what it says
}

// By is how far the clock jumped, negative for backwards.
func (j Jump) By() time.Duration { return j.Now.Sub(j.Before) }

// slack is how far a time that was written before the jump may be from what is
// computed, and less than what is written between a jump and its discovery.
const slack = time.Second

// Move is a time as the clock has it that says Now, of one that is reach away at
// most when it is written: moved if it was written by the clock before.
func (j Jump) Move(at time.Time, reach time.Duration) time.Time {
	if at.IsZero() || !j.before(at, reach) {
		return at
	}
	return at.Add(j.By())
}

// before reports whether a time was written by the clock before the jump. What
// was written since is beyond what that clock reached, or within reach of this
// one. A time that both may have written, when the jump is shorter than the
// reach, is taken for an earlier one after a jump forwards, and for a later one
// otherwise: no deadline comes too early.
func (j Jump) before(at time.Time, reach time.Duration) bool {
	if j.By() > 0 {
		return !at.After(j.Before.Add(reach + slack))
	}
	return at.After(j.Now.Add(reach + slack))
}

// Times are a column of times that are to go on evenly when the clock jumps.
type Times struct {
	Table, Key, Column string
	Reach              time.Duration // of a time when it is written, from the time at which it is
	Where              string        // which rows
}

// Move moves times along with the clock and returns how many.
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
