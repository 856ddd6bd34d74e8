package app

import (
	"context"
	"sync"
	"time"

	"parley/internal/metrics"
)

const (
	// backlogAge is how long a count of the delivery backlog is reused.
	backlogAge = 5 * time.Second
	// backlogTimeout bounds counting it.
	backlogTimeout = 2 * time.Second
)

// startInstruments registers the metrics that are read on demand.
func (g *infrastructure) startInstruments() {
	g.metrics.Load(func() metrics.Load {
		l := g.calls.Load()
		return metrics.Load{Waiting: l.Waiting, Callers: l.Callers, Slots: l.Slots, Free: l.Free, Held: l.Held}
	})
	g.metrics.Database(func() (pools []metrics.Pool) {
		for _, p := range g.db.Pools() {
			pools = append(pools, metrics.Pool(p))
		}
		return pools
	})
	var looking sync.Mutex
	var at time.Time
	var found metrics.Backlog
	var known bool
	g.metrics.Backlog(func() (metrics.Backlog, bool) {
		looking.Lock()
		defer looking.Unlock()
		if time.Since(at) >= backlogAge {
			ctx, cancel := context.WithTimeout(context.Background(), backlogTimeout)
			defer cancel()
			b, err := g.queue.Backlog(ctx)
			at, found, known = time.Now(), metrics.Backlog(b), err == nil
		}
		return found, known
	})
}
