package webhook

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
)

// age makes a finished delivery one of 31 days ago, and n like it.
func (h *fixture) age(id string, n int) {
	h.t.Helper()
	err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET finished_at = ? WHERE id = ?", tx.Now().Add(-31*24*time.Hour), id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO webhook_deliveries (id, tenant_id, event_id, event_type, call_id, status, attempts, max_attempts, created_at, finished_at)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			SELECT 'dlv_0' || n.i, d.tenant_id, d.event_id, d.event_type, d.call_id, d.status, 0, 1, d.created_at, d.finished_at
			FROM n CROSS JOIN (SELECT * FROM webhook_deliveries WHERE id = ?) d`, n, id)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// aged counts the deliveries that age made.
func (h *fixture) aged() (n int) {
	h.t.Helper()
	if err := h.db.System().Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT count(*) FROM webhook_deliveries WHERE finished_at < ?", tx.Now().Add(-30*24*time.Hour)).Scan(ctx, &n)
	}); err != nil {
		h.t.Fatal(err)
	}
	return n
}

// until waits for a number of aged deliveries.
func (h *fixture) until(what string, reached func(n int) bool) {
	h.t.Helper()
	for deadline := time.Now().Add(patience); !reached(h.aged()); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.t.Fatalf("%d old entries: the log was not %s", h.aged(), what)
		}
	}
}

// What is older than the retention goes, with its attempts, and the rest stays.
func TestPrune(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		h.configure(acme, r, nil)
		h.append(acme, event.CallCompleted, 3)
		stop := h.deliver()
		page := h.settled(acme)
		stop()
		h.age(page[0].ID, 2*pruneLimit)
		h.deliver()
		h.until("pruned", func(n int) bool { return n == 0 })
		if _, _, err := h.queue.Delivery(t.Context(), acme, page[0].ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("an entry of 31 days ago: %v", err)
		}
		var deliveries, attempts int
		if err := h.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT (SELECT count(*) FROM webhook_deliveries), (SELECT count(*) FROM webhook_attempts)").Scan(ctx, &deliveries, &attempts)
		}); err != nil || deliveries != 2 || attempts != 2 {
			t.Errorf("%d deliveries with %d attempts left, %v; want 2 with 2", deliveries, attempts, err)
		}
	})
}

// Whatever the database's plan, one statement deletes no more rows than its limit.
func TestPruneSome(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		h.append(acme, event.CallCompleted, 1)
		stop := h.deliver()
		page := h.settled(acme)
		stop()
		h.age(page[0].ID, 2*pruneLimit)
		d := NewDeliverer(h.db, h.bus, h.settings.sealer, h.extras, h.faults, h.options)
		d.scope = d.scope.With(append(queueSettings, "enable_hashagg=off", "enable_hashjoin=off", "enable_mergejoin=off", "enable_material=off")...)
		r := &run{Deliverer: d}
		for _, want := range []int{pruneLimit, pruneLimit, 1, 0} {
			if n, err := r.pruneBatch(t.Context()); err != nil || n != want {
				t.Fatalf("%d entries went, %v; want %d", n, err, want)
			}
		}
	})
}

// Deliveries continue while the log is pruned, and a Deliverer that is stopped
// meanwhile leaves the rest for another time.
func TestDeliveryWhilePruning(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		h.configure(acme, r, nil)
		h.append(acme, event.CallCompleted, 1)
		stop := h.deliver()
		page := h.settled(acme)
		stop()
		const old = 20 * pruneLimit
		h.age(page[0].ID, old)
		before := goleak.IgnoreCurrent()
		stop = h.deliver()
		h.until("begun to be pruned", func(n int) bool { return n <= old })
		h.append(acme, event.CallCompleted, 1)
		r.wait(2)
		if h.aged() == 0 {
			t.Error("a delivery waited until all of the log was pruned")
		}
		stop()
		if left := h.aged(); left == 0 {
			t.Error("stopping waited until all of the log was pruned")
		}
		if err := goleak.Find(before, goleak.IgnoreAnyFunction("net/http.(*conn).serve")); err != nil {
			t.Error(err)
		}
	})
}
