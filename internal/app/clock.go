package app

import (
	"context"
	"sync"

	"parley/internal/database"
)

// startClock runs the keeper of the database's clock until the returned function is called.
func (g *infrastructure) startClock(ctx context.Context) (stop func()) {
	keeper := g.db.KeepClock(g.log, func(ctx context.Context, tx database.Tx, j database.Jump) error {
		if err := g.calls.ShiftTimes(ctx, tx, j); err != nil {
			return err
		}
		return g.queue.ShiftTimes(ctx, tx, j)
	})
	keeper.Look(ctx)
	keeping, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { keeper.Run(keeping) })
	return func() {
		cancel()
		running.Wait()
	}
}
