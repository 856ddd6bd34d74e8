package database

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const (
	// jumpLimit is the shortest step of the database's clock that counts as a
	// jump: leases are renewed with that much left, and more.
	jumpLimit = 5 * time.Second
	// clockInterval is the time between two looks at the database's clock.
	clockInterval = time.Second
	// seenInterval is the age at which the time at which the clock was seen is
	// written anew: less than jumpLimit, by some looks.
	seenInterval = 2 * time.Second
	// firstLooks are those of a process that began while nobody saw the clock: a
	// process that runs, and knows whether the clock has jumped, sees it meanwhile.
	firstLooks = 3
	// clockWait bounds a look.
	clockWait = 5 * time.Second
)

// Keeper has deadlines go on evenly when the database's clock jumps. It compares
// that clock with this machine's monotonic one. The first of the processes on a
// database that sees a jump moves what was written by the clock before, and
// notes by how much, for the others.
//
// A process that stood still together with its monotonic clock, as on a paused
// machine, takes that for a jump; where others saw the database's clock
// meanwhile, it knows better.
type Keeper struct {
	db   *DB
	move func(ctx context.Context, tx Tx, j Jump) error
	log  *slog.Logger

	mu    sync.Mutex
	last  reading       // zero before the first look
	moved time.Duration // by how much all jumps were, as noted at the last look
	looks int           // since the clock is seen
	alone bool          // nobody had seen the clock before the first look
}

// reading is the database's clock, between two moments of this machine's.
type reading struct{ at, asked, answered time.Time }

// jumped is how far the clock jumped between two readings.
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

// noted is what processes tell each other of the clock.
type noted struct {
	moved time.Duration // by how much all jumps were
	seen  time.Time     // when somebody who knew of all jumps saw the clock
}

// KeepClock makes the keeper of the database's clock; move moves what is stored
// along with it. It comes before the first transaction that asks for a jump.
func (db *DB) KeepClock(log *slog.Logger, move func(ctx context.Context, tx Tx, j Jump) error) *Keeper {
	k := &Keeper{db: db, move: move, log: log}
	db.keeper = k
	return k
}

// Run looks at the clock each second until ctx ends. The first look is Look.
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

// Look looks at the clock.
func (k *Keeper) Look(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, clockWait)
	defer cancel()
	if err := k.look(limited); err != nil && ctx.Err() == nil {
		k.log.WarnContext(ctx, "look at the database's clock", "error", err)
	}
}

func (k *Keeper) look(ctx context.Context) error {
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

// seen takes note of a reading after which all jumps are known.
func (k *Keeper) seen(now reading, n noted) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.looks == 0 {
		k.alone = !n.seen.IsZero() && now.at.Sub(n.seen).Abs() >= jumpLimit
	}
	k.looks++
	k.last, k.moved = now, n.moved
}

func (k *Keeper) settled() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.looks >= firstLooks || k.looks > 0 && !k.alone
}

// follow moves what is stored by how far the clock has jumped, unless somebody
// has done so, and notes that the clock was seen.
func (k *Keeper) follow(ctx context.Context) error {
	var now reading
	var n noted
	var j Jump
	if err := k.db.System().Write(ctx, func(ctx context.Context, tx Tx) (err error) {
		if tx.Postgres() { // one process after the other
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
		k.log.WarnContext(ctx, "the database's clock jumped; leases and durations go on evenly", "by", j.By().Round(time.Millisecond))
	}
	return nil
}

// jump is how far the clock has jumped without anybody having followed.
func (k *Keeper) jump(now reading, n noted) Jump {
	k.mu.Lock()
	defer k.mu.Unlock()
	by := k.last.jumped(now)
	if by == 0 {
		return Jump{}
	}
	by -= n.moved - k.moved
	stood := by > 0 && k.db.Postgres() && now.at.Sub(n.seen) < jumpLimit // this process
	if by.Abs() < jumpLimit || stood {
		return Jump{}
	}
	return Jump{Before: now.at.Add(-by), Now: now.at}
}

// noted reads what is noted; on SQLite, which has one process, nothing is.
func (k *Keeper) noted(ctx context.Context, tx Tx) (n noted, err error) {
	k.mu.Lock()
	n.moved = k.moved
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

// Jump is how far the database's clock has jumped, of which what is stored does
// not know yet: the zero Jump but for the moment until a keeper has followed.
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

// Settled reports whether leases that have lapsed by the database's clock have
// lapsed in truth: it has not jumped, or what is stored has followed.
func (tx Tx) Settled(ctx context.Context) (bool, error) {
	if k := tx.scope.db.keeper; k != nil && !k.settled() {
		return false, nil
	}
	j, err := tx.Jump(ctx)
	return j == (Jump{}), err
}
