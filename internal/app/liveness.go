package app

import (
	"context"
	"sync"

	"parley/internal/call"
	"parley/internal/database"
)

// startLiveness watches the workers of all nodes until the returned function is called, and locks this process's
// own name, "" for none. The calls of a worker that dies are released immediately instead of when its leases expire.
func (g *infrastructure) startLiveness(name string) (stop func()) {
	l := g.db.Liveness()
	if l == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		l.Run(ctx, database.Watch{Name: name, Others: g.calls.WorkerNames, Log: g.log, Died: func(ctx context.Context, names []string) error {
			limited, cancel := context.WithTimeout(ctx, shutdownWait)
			defer cancel()
			g.log.WarnContext(ctx, "workers lost: their database connections ended", "workers", names)
			return g.calls.RemoveDeadWorkers(limited, names)
		}})
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// incident counts an incident of a call, and logs a failure.
func (g *infrastructure) incident(i call.Incident) {
	g.metrics.CallIncident(string(i.Type), string(i.Cause))
	if !i.IsFailure() {
		return
	}
	g.log.Warn("call incident", "call", i.CallID, "tenant", i.TenantID, "incident", i.Type, "cause", i.Cause)
}
