package database_test

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// node is a process on a database whose clock the test sets.
type node struct {
	*database.Keeper
	db    *database.DB
	moved *[]time.Duration // by how much what is stored was moved, by whichever node
}

// nodes starts processes on one PostgreSQL database, or one on SQLite, whose clocks are this machine's and an offset each.
func nodes(t *testing.T, postgres bool, offsets ...*atomic.Int64) (all []node) {
	url, path := "", ""
	if postgres {
		url = databasetest.PostgresURL(t)
	} else {
		path = databasetest.SQLiteFile(t)
	}
	moved := new([]time.Duration)
	for _, offset := range offsets {
		db, err := database.Open(t.Context(), url, path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		db.SetClock(func() time.Time { return time.Now().Add(time.Duration(offset.Load())) })
		keeper := db.KeepClock(slog.New(slog.DiscardHandler), func(_ context.Context, _ database.Tx, j database.Jump) error {
			*moved = append(*moved, j.By().Round(time.Second))
			return nil
		})
		all = append(all, node{keeper, db, moved})
	}
	return all
}

// look advances a second, and has all nodes read the clock.
func look(t *testing.T, all ...node) {
	time.Sleep(time.Second)
	for _, n := range all {
		n.Look(t.Context())
	}
}

// settled reports whether a node's measurement is certain, and by how much it measured the clock to jump.
func settled(t *testing.T, n node) (ok bool, by time.Duration) {
	t.Helper()
	if err := n.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) (err error) {
		if ok, err = tx.Settled(ctx); err != nil {
			return err
		}
		j, err := tx.Jump(ctx)
		by = j.By().Round(time.Second)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return ok, by
}

func wantSettled(t *testing.T, n node, want bool, by time.Duration) {
	t.Helper()
	if ok, got := settled(t, n); ok != want || got != by {
		t.Errorf("settled %t, jumped by %v; want %t, %v", ok, got, want, by)
	}
}

func wantMoved(t *testing.T, n node, want ...time.Duration) {
	t.Helper()
	if !slices.Equal(*n.moved, want) {
		t.Errorf("what is stored was moved by %v, want %v", *n.moved, want)
	}
}

// eachDatabase runs f in virtual time, with nodes that share one offset.
func eachDatabase(t *testing.T, n int, f func(t *testing.T, offset *atomic.Int64, all []node)) {
	for name, postgres := range map[string]bool{"sqlite": false, "postgres": true} {
		if postgres && testing.Short() || !postgres && n > 1 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if postgres {
				databasetest.PostgresURL(t) // the cluster is started outside virtual time
			}
			synctest.Test(t, func(t *testing.T) {
				offset := new(atomic.Int64)
				offsets := slices.Repeat([]*atomic.Int64{offset}, n)
				f(t, offset, nodes(t, postgres, offsets...))
			})
		})
	}
}

// A clock that is set by an hour, forth and back, has what is stored moved as much, once each; until then nothing has lapsed for
// certain. Steps that no lease notices, and a process that stops, are no jumps.
func TestClockJumps(t *testing.T) {
	eachDatabase(t, 1, func(t *testing.T, offset *atomic.Int64, all []node) {
		look(t, all...)
		look(t, all...)
		wantSettled(t, all[0], true, 0)
		for _, by := range []time.Duration{time.Hour, -time.Hour, -time.Hour, 7 * time.Second} {
			*all[0].moved = nil
			offset.Add(int64(by))
			wantSettled(t, all[0], false, by)
			wantMoved(t, all[0])
			look(t, all...)
			wantSettled(t, all[0], true, 0)
			wantMoved(t, all[0], by)
			look(t, all...)
			wantMoved(t, all[0], by)
		}
		*all[0].moved = nil
		for range 5 {
			offset.Add(int64(2 * time.Second))
			look(t, all...)
		}
		time.Sleep(time.Hour)
		wantSettled(t, all[0], true, 0)
		look(t, all...)
		wantMoved(t, all[0])
	})
}

// Of several processes one moves what is stored; so it is when another begins in between, and when the clock jumps again.
func TestClockJumpsOfSeveralNodes(t *testing.T) {
	eachDatabase(t, 3, func(t *testing.T, offset *atomic.Int64, all []node) {
		first, late := all[:2], all[2]
		for range 3 {
			look(t, first...)
		}
		offset.Add(int64(time.Hour))
		late.Look(t.Context())
		wantSettled(t, late, false, 0) // it cannot know of the jump
		look(t, all...)
		wantMoved(t, late, time.Hour)
		for _, n := range first {
			wantSettled(t, n, true, 0)
		}
		look(t, all...)
		look(t, all...)
		wantSettled(t, late, true, 0)
		offset.Add(-int64(time.Hour))
		late.Look(t.Context()) // the first to see it
		for range 3 {
			look(t, all...)
		}
		wantMoved(t, late, time.Hour, -time.Hour)
		for _, n := range all {
			wantSettled(t, n, true, 0)
		}
	})
}

// A process that starts on a database that nobody has seen for a while waits for the processes that may know more.
func TestClockSeenAfterAWhile(t *testing.T) {
	eachDatabase(t, 2, func(t *testing.T, _ *atomic.Int64, all []node) {
		for range 3 {
			look(t, all[0])
		}
		time.Sleep(time.Minute)
		for range 2 {
			look(t, all[1])
			wantSettled(t, all[1], false, 0)
		}
		look(t, all[1])
		wantSettled(t, all[1], true, 0)
		wantMoved(t, all[1])
	})
}

// A process whose machine was paused for an hour, its monotonic clock with it, sees the database's clock leap. Others saw it
// go evenly: nothing is moved.
func TestPausedMachineSeesNoJump(t *testing.T) {
	databasetest.PostgresURL(t)
	synctest.Test(t, func(t *testing.T) {
		paused, others := new(atomic.Int64), new(atomic.Int64)
		others.Store(int64(time.Hour)) // what paused is behind after the pause
		all := nodes(t, true, paused, others)
		for range 4 {
			look(t, all...)
		}
		paused.Store(int64(time.Hour))
		wantSettled(t, all[0], true, 0)
		look(t, all[0])
		wantMoved(t, all[0])
		wantSettled(t, all[0], true, 0)
	})
}
