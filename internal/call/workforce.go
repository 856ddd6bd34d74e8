package call

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// Present tells that a worker takes calls, up to capacity at once. It is told
// anew with each LeaseRenewal; a worker of which it was not for a LeaseDuration
// is gone.
func (s *Service) Present(ctx context.Context, worker string, capacity int) error {
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if _, err := tx.NewRaw("DELETE FROM workers WHERE renewed_at < ?", tx.Now().Add(-LeaseDuration)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw("INSERT INTO installation (name, value) VALUES ('worker_seen', ?) ON CONFLICT DO NOTHING", []byte{}).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw(`INSERT INTO workers (name, capacity, renewed_at) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET capacity = excluded.capacity, renewed_at = excluded.renewed_at`, worker, capacity, tx.Now()).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("tell that a worker is there: %w", err)
	}
	return nil
}

// Absent tells that a worker takes no more calls.
func (s *Service) Absent(ctx context.Context, worker string) error {
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.NewRaw("DELETE FROM workers WHERE name = ?", worker).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("tell that a worker is gone: %w", err)
	}
	return nil
}

// Bury takes note that workers died, as Lapse does, and counts on them no more.
func (s *Service) Bury(ctx context.Context, workers []string) error {
	if _, err := s.Lapse(ctx, ProcessDied, func(worker string) bool { return slices.Contains(workers, worker) }); err != nil {
		return err
	}
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.NewRaw("DELETE FROM workers WHERE name IN (?)", bun.List(workers)).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("forget workers that died: %w", err)
	}
	return nil
}

// Workers are the names of the workers that were there, or had calls, as the
// reaper last saw.
func (s *Service) Workers() []string { return s.Load().workers }

// Load is what workers have to do, and can, of all nodes.
type Load struct {
	Waiting int64 // calls that no worker has
	Callers int64 // of these, calls whose callers are there
	Slots   int64 // calls that the workers run at once
	Free    int64 // slots in which there is no conversation
	Held    int64 // calls that workers hold under leases
	Ended   int64 // conversations that ended within the last join timeout

	at      time.Time // when this was, by the database's clock
	tenants map[string]share
	workers []string  // those that are there, or have calls
	queues  int64     // tenants that have calls waiting
	away    time.Time // since when no worker is there, by this machine's clock; zero while one is, and if none ever was
	known   bool      // a worker was there once, in this process's life or before
}

// share is a tenant's part in it.
type share struct {
	waiting int64 // calls that no worker has
	held    int64 // calls in workers' hands
	callers int64 // callers whose calls wait
}

// Load is the load as the reaper last saw it.
func (s *Service) Load() Load {
	if l := s.load.Load(); l != nil {
		return *l
	}
	return Load{}
}

// ahead is how many callers would be served before one of a tenant who comes
// now: its own, and of each other tenant those whose turn is before.
func (l *Load) ahead(tenant string) (n int64) {
	own := l.tenants[tenant]
	for other, of := range l.tenants {
		if other == tenant {
			n += own.callers
			continue
		}
		n += min(max(0, own.held+own.callers+1-of.held), of.callers)
	}
	return n
}

// weigh looks what there is to do and who does it.
func (s *Service) weigh(ctx context.Context) error {
	l := Load{tenants: map[string]share{}}
	err := s.queue().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		l.at = tx.Now()
		var waiting, callers, held []struct {
			TenantID  string
			ClaimedBy string
			Talking   bool
			N         int64
		}
		if err := tx.NewRaw("SELECT tenant_id, COUNT(*) AS n FROM calls WHERE "+queued+" GROUP BY tenant_id").Scan(ctx, &waiting); err != nil {
			return err
		}
		// A phone call needs no caller, and is over in no time.
		if err := tx.NewRaw("SELECT tenant_id, COUNT(*) AS n FROM calls WHERE "+arrived+" AND call_type = ? GROUP BY tenant_id", VoIP).Scan(ctx, &callers); err != nil {
			return err
		}
		if err := tx.NewRaw("SELECT tenant_id, claimed_by, status <> 'pending' AS talking, COUNT(*) AS n FROM calls WHERE claimed_by IS NOT NULL GROUP BY 1, 2, 3").Scan(ctx, &held); err != nil {
			return err
		}
		var workers []struct {
			Name     string
			Capacity int64
		}
		if err := tx.NewRaw("SELECT name, capacity FROM workers WHERE renewed_at >= ?", tx.Now().Add(-LeaseDuration)).Scan(ctx, &workers); err != nil {
			return err
		}
		for _, w := range waiting {
			l.tenants[w.TenantID] = share{waiting: w.N}
			l.Waiting += w.N
			l.queues++
		}
		talking := map[string]int64{}
		names := map[string]bool{}
		for _, h := range held {
			names[h.ClaimedBy] = true
			of := l.tenants[h.TenantID]
			of.held += h.N
			l.Held += h.N
			l.tenants[h.TenantID] = of
			if h.Talking {
				talking[h.ClaimedBy] += h.N
			}
		}
		for _, c := range callers {
			of := l.tenants[c.TenantID]
			of.callers = c.N
			l.tenants[c.TenantID] = of
			l.Callers += c.N
		}
		for _, w := range workers {
			names[w.Name] = true
			l.Slots += w.Capacity
			l.Free += max(0, w.Capacity-talking[w.Name])
		}
		l.workers = slices.Sorted(maps.Keys(names))
		if err := tx.NewRaw("SELECT EXISTS (SELECT 1 FROM installation WHERE name = 'worker_seen')").Scan(ctx, &l.known); err != nil {
			return err
		}
		return tx.NewRaw("SELECT COUNT(*) FROM calls WHERE started_at IS NOT NULL AND ended_at IS NOT NULL AND ended_at > ?", tx.Now().Add(-s.o.JoinTimeout)).Scan(ctx, &l.Ended)
	})
	if err != nil {
		return fmt.Errorf("weigh the load: %w", err)
	}
	if before := s.load.Load(); before != nil {
		l.away = before.away
	}
	switch {
	case l.Slots > 0:
		l.away = time.Time{}
	case l.known && l.away.IsZero():
		l.away = time.Now()
	}
	s.load.Store(&l)
	s.tally.reset(l.tenants)
	return nil
}
