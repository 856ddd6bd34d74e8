package webhook

import (
	"context"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// The backlog is what waits and what is under way, of all tenants whose webhooks are enabled; what ended is counted as it
// ends.
func TestBacklog(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		backlog := func() Backlog {
			t.Helper()
			b, err := h.queue.Backlog(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		if b := backlog(); b != (Backlog{}) {
			t.Errorf("an empty queue: %+v", b)
		}
		r := h.newReceiver()
		h.configure(acme, r, nil)
		h.configure(other, r, nil)
		h.append(acme, event.CallStarted, 2)
		h.append(other, event.CallStarted, 1)
		if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			if _, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET created_at = ?, due_at = ? WHERE tenant_id = ?", tx.Now().Add(-time.Hour), tx.Now().Add(-time.Minute), other); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET status = 'in_flight', leased_by = 'somebody', due_at = ? WHERE id = (SELECT MIN(id) FROM webhook_deliveries WHERE tenant_id = ?)", tx.Now().Add(lease), acme)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		b := backlog()
		if b.Waiting != 2 || b.InFlight != 1 || b.Oldest < time.Hour || b.Oldest > 2*time.Hour || b.Overdue < time.Minute || b.Overdue > time.Hour {
			t.Errorf("%+v", b)
		}
		if _, err := h.settings.SetEnabled(t.Context(), other, false); err != nil {
			t.Fatal(err)
		}
		if b := backlog(); b.Waiting != 1 || b.Oldest >= time.Hour {
			t.Errorf("without the disabled webhook: %+v", b)
		}
	})
}

// Each delivery that ends is reported once, with its status.
func TestEndedDeliveriesAreReported(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		ended := make(chan string, 10)
		h.options.Ended = func(tenantID string, status Status) { ended <- tenantID + " " + string(status) }
		r := h.newReceiver()
		h.configure(acme, r, nil)
		h.append(acme, event.CallStarted, 1)
		stop := h.deliver()
		h.settled(acme)
		stop()
		if got := <-ended; got != acme+" delivered" || len(ended) != 0 {
			t.Errorf("%s, and %d more", got, len(ended))
		}
	})
}
