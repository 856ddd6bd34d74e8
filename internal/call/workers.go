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

// RegisterWorker records that a worker accepts calls, up to capacity concurrent ones. It is repeated with each
// LeaseRenewal; a registration expires after LeaseDuration.
func (s *Service) RegisterWorker(ctx context.Context, worker string, capacity int) error {
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
		return fmt.Errorf("register worker: %w", err)
	}
	return nil
}

// UnregisterWorker records that a worker accepts no more calls.
func (s *Service) UnregisterWorker(ctx context.Context, worker string) error {
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.NewRaw("DELETE FROM workers WHERE name = ?", worker).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("unregister worker: %w", err)
	}
	return nil
}

// RemoveDeadWorkers expires the leases of workers that died, and unregisters them.
func (s *Service) RemoveDeadWorkers(ctx context.Context, workers []string) error {
	if _, err := s.ExpireLeases(ctx, ProcessDied, func(worker string) bool { return slices.Contains(workers, worker) }); err != nil {
		return err
	}
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.NewRaw("DELETE FROM workers WHERE name IN (?)", bun.List(workers)).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("remove dead workers: %w", err)
	}
	return nil
}

// WorkerNames returns the names of the workers that are registered or hold calls, as of the last measurement.
func (s *Service) WorkerNames() []string { return s.Load().workers }

// Load is the demand and the capacity of all nodes.
type Load struct {
	Waiting int64 // calls that no worker has claimed
	Callers int64 // of these, calls whose callers are present
	Slots   int64 // concurrent calls that the workers accept
	Free    int64 // slots without a conversation
	Held    int64 // calls that workers have claimed
	Ended   int64 // conversations that ended within the last join timeout

	measuredAt     time.Time // when it was measured, in database time
	tenants        map[string]tenantLoad
	workers        []string  // registered, or holding calls
	waitingTenants int64     // number of tenants with waiting calls
	noWorkerSince  time.Time // since when no worker is registered, by this machine's clock; zero while one is, and if none ever was
	workerSeen     bool      // a worker was registered at some time, before this process too
}

// tenantLoad is one tenant's part of the load.
type tenantLoad struct {
	waiting int64 // calls that no worker has claimed
	held    int64 // calls that workers have claimed
	callers int64 // waiting calls whose callers are present
}

// Load returns the load as last measured by the reaper.
func (s *Service) Load() Load {
	if l := s.load.Load(); l != nil {
		return *l
	}
	return Load{}
}

// callersAhead returns how many waiting callers would be claimed before a new one of a tenant: the tenant's own, and those
// of other tenants that come first in the order of the queue.
func (l *Load) callersAhead(tenant string) (n int64) {
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

// measureLoad reads the load from the database.
func (s *Service) measureLoad(ctx context.Context) error {
	l := Load{tenants: map[string]tenantLoad{}}
	dispatched := s.counts.dispatchedByAll()
	err := s.queueScope().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		l.measuredAt = tx.Now()
		var waiting, callers, held []struct {
			TenantID  string
			ClaimedBy string
			Started   bool
			N         int64
		}
		if err := tx.NewRaw("SELECT tenant_id, COUNT(*) AS n FROM calls WHERE "+queued+" GROUP BY tenant_id").Scan(ctx, &waiting); err != nil {
			return err
		}
		// Phone calls need no caller in the room and leave the queue immediately.
		if err := tx.NewRaw("SELECT tenant_id, COUNT(*) AS n FROM calls WHERE "+arrived+" AND call_type = ? GROUP BY tenant_id", VoIP).Scan(ctx, &callers); err != nil {
			return err
		}
		if err := tx.NewRaw("SELECT tenant_id, claimed_by, status <> 'pending' AS started, COUNT(*) AS n FROM calls WHERE claimed_by IS NOT NULL GROUP BY 1, 2, 3").Scan(ctx, &held); err != nil {
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
			l.tenants[w.TenantID] = tenantLoad{waiting: w.N}
			l.Waiting += w.N
			l.waitingTenants++
		}
		started := map[string]int64{}
		names := map[string]bool{}
		for _, h := range held {
			names[h.ClaimedBy] = true
			of := l.tenants[h.TenantID]
			of.held += h.N
			l.Held += h.N
			l.tenants[h.TenantID] = of
			if h.Started {
				started[h.ClaimedBy] += h.N
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
			l.Free += max(0, w.Capacity-started[w.Name])
		}
		l.workers = slices.Sorted(maps.Keys(names))
		if err := tx.NewRaw("SELECT EXISTS (SELECT 1 FROM installation WHERE name = 'worker_seen')").Scan(ctx, &l.workerSeen); err != nil {
			return err
		}
		return tx.NewRaw("SELECT COUNT(*) FROM calls WHERE started_at IS NOT NULL AND ended_at IS NOT NULL AND ended_at > ?", tx.Now().Add(-s.options.JoinTimeout)).Scan(ctx, &l.Ended)
	})
	if err != nil {
		return fmt.Errorf("measure load: %w", err)
	}
	if before := s.load.Load(); before != nil {
		l.noWorkerSince = before.noWorkerSince
	}
	switch {
	case l.Slots > 0:
		l.noWorkerSince = time.Time{}
	case l.workerSeen && l.noWorkerSince.IsZero():
		l.noWorkerSince = time.Now()
	}
	s.load.Store(&l)
	s.counts.reset(l.tenants, dispatched)
	return nil
}
