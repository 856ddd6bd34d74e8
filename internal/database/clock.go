package database

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	// jumpLimit is the smallest step of the database's clock that counts as a jump. Leases are renewed with at
	// least that much time left.
	jumpLimit = 5 * time.Second
	// clockInterval is how often the database's clock is read.
	clockInterval = time.Second
	// seenInterval is the age at which the stored time of the last reading is refreshed; it is smaller than
	// jumpLimit.
	seenInterval = 2 * time.Second
	// firstLooks is how many readings a process makes without judging jumps when no other process has stored a
	// reading: a running process that knows of a jump stores one meanwhile.
	firstLooks = 3
	// clockTimeout bounds a reading.
	clockTimeout = 5 * time.Second
)

// Keeper shifts stored deadlines when the database's clock jumps. It compares that clock with this machine's
// monotonic one. The first process on a database that detects a jump shifts the stored times and records by how
// much, for the other processes.
//
// A process that was paused together with its monotonic clock, as on a suspended machine, would mistake that for a
// jump; it does not if other processes have recorded the database's clock meanwhile.
type Keeper struct {
	db   *DB
	move func(ctx context.Context, tx Tx, j Jump) error
	log  *slog.Logger

	mu      sync.Mutex
	last    reading       // zero before the first reading
	shifted time.Duration // sum of all jumps, as recorded at the last reading
	looks   int           // number of readings
	alone   bool          // no process had recorded the clock before the first reading
}

// reading is the database's time, between two times of this machine.
type reading struct{ at, asked, answered time.Time }

// jumped returns how far the clock jumped between two readings.
func (r reading) jumped(to reading) time.Duration {
	if r.at.IsZero() {
		return 0
	}
	there := to.at.Sub(r.at)
	least, most := to.asked.Sub(r.answered), to.answered.Sub(r.asked)
	if d := there - max(least, min(most, there)); d.Abs() >= jumpLimit {
		return d
	}
	return 0
}

// noted is what processes record about the clock.
type noted struct {
	moved time.Duration // sum of all jumps
	seen  time.Time     // when a process that knew all jumps last read the clock
}

// KeepClock creates the keeper of the database's clock; move shifts the stored times. Call it before the first
// transaction that uses Tx.Jump.
func (db *DB) KeepClock(log *slog.Logger, move func(ctx context.Context, tx Tx, j Jump) error) *Keeper {
	k := &Keeper{db: db, move: move, log: log}
	db.keeper = k
	return k
}

// Run reads the clock each second until ctx ends. The first reading is Look.
func (k *Keeper) Run(ctx context.Context) {
	ticker := time.NewTicker(clockInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			k.Look(ctx)
		}
	}
}

// Look reads the clock.
func (k *Keeper) Look(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, clockTimeout)
	defer cancel()
	if err := k.checkClock(limited); err != nil && ctx.Err() == nil {
		k.log.WarnContext(ctx, "failed to read the database's clock", "error", err)
	}
}

func (k *Keeper) checkClock(ctx context.Context) error {
	var now reading
	var n noted
	if err := k.db.System().Read(ctx, func(ctx context.Context, tx Tx) (err error) {
		now = tx.reading
		n, err = k.noted(ctx, tx)
		return err
	}); err != nil {
		return err
	}
	if k.last.jumped(now) == 0 {
		k.seen(now, n)
		if !k.db.Postgres() || !k.settled() || now.at.Sub(n.seen).Abs() < seenInterval {
			return nil
		}
	}
	return k.follow(ctx)
}

// seen records a reading after which all jumps are known.
func (k *Keeper) seen(now reading, n noted) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.looks == 0 {
		k.alone = !n.seen.IsZero() && now.at.Sub(n.seen).Abs() >= jumpLimit
	}
	k.looks++
	k.last, k.shifted = now, n.moved
}

func (k *Keeper) settled() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.looks >= firstLooks || k.looks > 0 && !k.alone
}

// follow shifts the stored times by a jump unless another process has done so, and records the reading.
func (k *Keeper) follow(ctx context.Context) error {
	var now reading
	var n noted
	var j Jump
	if err := k.db.System().Write(ctx, func(ctx context.Context, tx Tx) (err error) {
		if tx.Postgres() { // one process at a time
			if _, err := tx.ExecContext(ctx, "INSERT INTO installation (name, value) VALUES ('clock', '') ON CONFLICT DO NOTHING"); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "SELECT 1 FROM installation WHERE name = 'clock' FOR UPDATE"); err != nil {
				return err
			}
		}
		if now, err = k.db.read(ctx, tx); err != nil {
			return err
		}
		if n, err = k.noted(ctx, tx); err != nil {
			return err
		}
		j = k.jump(now, n)
		if j != (Jump{}) {
			if err := k.move(ctx, tx, j); err != nil {
				return err
			}
			n.moved += j.By()
		}
		if n.seen = now.at; !tx.Postgres() {
			return nil
		}
		_, err = tx.ExecContext(ctx, "UPDATE installation SET value = ? WHERE name = 'clock'", fmt.Appendf(nil, "%d %d", n.moved.Microseconds(), n.seen.UnixMicro()))
		return err
	}); err != nil {
		return err
	}
	k.seen(now, n)
	if j != (Jump{}) {
		k.log.WarnContext(ctx, "the database's clock jumped; leases and durations are adjusted", "by", j.By().Round(time.Millisecond))
	}
	return nil
}

// jump returns a jump that no process has followed yet.
func (k *Keeper) jump(now reading, n noted) Jump {
	k.mu.Lock()
	defer k.mu.Unlock()
	by := k.last.jumped(now)
	if by == 0 {
		return Jump{}
	}
	by -= n.moved - k.shifted
	stood := by > 0 && k.db.Postgres() && now.at.Sub(n.seen) < jumpLimit // this process was paused
	if by.Abs() < jumpLimit || stood {
		return Jump{}
	}
	return Jump{Before: now.at.Add(-by), Now: now.at}
}

// noted reads the recorded state; zero on SQLite, which has one process.
func (k *Keeper) noted(ctx context.Context, tx Tx) (n noted, err error) {
	k.mu.Lock()
	n.moved = k.shifted
	k.mu.Unlock()
	if !tx.Postgres() {
		return n, nil
	}
	var value []byte
	if err := tx.NewRaw("SELECT value FROM installation WHERE name = 'clock'").Scan(ctx, &value); NoRows(err) || err == nil && len(value) == 0 {
		return n, nil
	} else if err != nil {
		return n, err
	}
	var moved, seen int64
	if _, err := fmt.Sscan(string(value), &moved, &seen); err != nil {
		return n, fmt.Errorf("read what is noted of the clock: %w", err)
	}
	return noted{time.Duration(moved) * time.Microsecond, time.UnixMicro(seen).UTC()}, nil
}

// Jump returns how far the database's clock has jumped since the stored times were last shifted: zero except for a
// moment after a jump.
func (tx Tx) Jump(ctx context.Context) (Jump, error) {
	k := tx.scope.db.keeper
	if k == nil {
		return Jump{}, nil
	}
	k.mu.Lock()
	evenly := k.last.jumped(tx.reading) == 0
	k.mu.Unlock()
	if evenly {
		return Jump{}, nil
	}
	n, err := k.noted(ctx, tx)
	if err != nil {
		return Jump{}, err
	}
	return k.jump(tx.reading, n), nil
}

// Settled reports whether an expired lease has really expired: the clock has not jumped, or the stored times were
// shifted.
func (tx Tx) Settled(ctx context.Context) (bool, error) {
	if k := tx.scope.db.keeper; k != nil && !k.settled() {
		return false, nil
	}
	j, err := tx.Jump(ctx)
	return j == (Jump{}), err
}
