package chaos

import (
	"testing"
	"time"

	"parley/client"
	"parley/internal/database/databasetest"
)

// PostgreSQL stops, or hangs, during calls, at full size for longer than a lease: calls continue with the same
// worker, a hang-up is recorded, and a caller who arrives meanwhile is answered after the recovery.
func TestDatabaseAwayDuringCalls(t *testing.T) {
	t.Parallel()
	t.Run("restarts", func(t *testing.T) {
		t.Parallel()
		cluster := databasetest.StartCluster(t)
		databaseAway(t, cluster, func() (back func()) {
			cluster.Stop(t)
			return func() { cluster.Restart(t) }
		})
	})
	t.Run("stands still", func(t *testing.T) {
		t.Parallel()
		cluster := databasetest.StartCluster(t)
		databaseAway(t, cluster, func() (back func()) { return cluster.Pause(t) })
	})
}

func databaseAway(t *testing.T, cluster *databasetest.Cluster, leave func() (back func())) {
	t.Helper()
	x := newExchangeOn(t, durable(t, cluster))
	api := func() *client.Client { return x.API }
	var callers []*onTheLine
	for range 2 {
		c, err := dispatchAndJoin(t.Context(), x.API)
		if err != nil {
			t.Fatal(err)
		}
		reach(t, api, c.id, client.Active)
		callers = append(callers, c)
	}
	late, err := x.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	await(t, 50*time.Millisecond, "a worker has taken the call", func() bool {
		var claimed []string
		x.rows(t, &claimed, "SELECT id FROM calls WHERE id = ? AND claimed_by IS NOT NULL", late.CallID)
		return len(claimed) == 1
	})
	if t.Failed() {
		t.FailNow()
	}
	await(t, 50*time.Millisecond, "an agent is in the room", func() bool { return x.hasAgent(t, late.RoomName) })

	back := leave()
	callers[0].Leave()
	p, err := enter(t.Context(), late)
	if err != nil {
		t.Errorf("join while the database is unavailable: %v", err)
	}
	time.Sleep(time.Duration(size(3, 26)) * time.Second)
	back()
	if t.Failed() {
		t.FailNow()
	}

	ended(t, reach(t, api, callers[0].id, client.Completed), client.Completed, "caller_hangup")
	reach(t, api, late.CallID, client.Active)
	if full {
		time.Sleep(12 * time.Second) // until all nodes have checked for expired leases
	}
	returned := time.Now()
	await(t, 200*time.Millisecond, "the worker has renewed its leases", func() bool {
		var renewed []string
		x.rows(t, &renewed, "SELECT id FROM calls WHERE ended_at IS NULL AND lease_until > ?", returned.Add(14*time.Second))
		return len(renewed) == 2
	})
	reach(t, api, callers[1].id, client.Active)
	var elsewhere []string
	x.rows(t, &elsewhere, "SELECT id FROM calls WHERE fence <> 1")
	if len(elsewhere) > 0 {
		t.Errorf("calls %q changed hands", elsewhere)
	}
	callers[1].Leave()
	p.Leave()
	for _, id := range []string{callers[1].id, late.CallID} {
		ended(t, reach(t, api, id, client.Completed), client.Completed, "caller_hangup")
	}
}
