package webhook

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// Transactions that write several deliveries do not deadlock, in whatever order results arrive.
func TestNoDeadlock(t *testing.T) {
	for name, beside := range map[string]func(ctx context.Context, h *fixture, ids []string) error{
		"renewal": func(ctx context.Context, h *fixture, ids []string) error {
			return h.db.System().With(queueSettings...).Write(ctx, func(ctx context.Context, tx database.Tx) error { return newStore(h.db).renew(ctx, tx, "holder", ids) })
		},
		"deletion": func(ctx context.Context, h *fixture, ids []string) error { return h.settings.Delete(ctx, acme) },
	} {
		t.Run(name, func(t *testing.T) {
			onPostgres(t, func(t *testing.T, h *fixture) {
				h.configure(acme, h.newReceiver(), nil)
				h.append(acme, event.CallStarted, 3)
				h.crowd(5000)
				var jobs []job
				if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) (err error) {
					jobs, _, err = newStore(h.db).claim(ctx, tx, "holder", testBudget)
					return err
				}); err != nil || len(jobs) != 3 {
					t.Fatal(len(jobs), err)
				}
				var ids []string
				var results []result
				for _, j := range jobs {
					ids = append(ids, j.Delivery.ID)
					results = append(results, result{job: j, attempted: true, status: Delivered, started: time.Now()})
				}
				slices.Reverse(results)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				var writing sync.WaitGroup
				var begun, over atomic.Int64
				// Somebody has the one in the middle until both wait for it, or are through.
				if err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
					if _, err := tx.ExecContext(ctx, "SELECT id FROM webhook_deliveries WHERE id = ? FOR UPDATE", ids[1]); err != nil {
						return err
					}
					for _, write := range []func() error{
						func() error {
							return h.db.System().With(queueSettings...).Write(ctx, func(ctx context.Context, tx database.Tx) error {
								_, err := newStore(h.db).record(ctx, tx, "holder", results)
								return err
							})
						},
						func() error { return beside(ctx, h, ids) },
					} {
						begun.Add(1)
						writing.Go(func() {
							defer over.Add(1)
							if err := write(); err != nil {
								t.Error(err)
							}
						})
						h.blocked(func() int { return int(begun.Load() - over.Load()) })
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				writing.Wait()
			})
		})
	}
}

// crowd has n deliveries of another tenant in flight, enough that the planner reads rows by their ids.
func (h *fixture) crowd(n int) {
	h.t.Helper()
	if err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO webhook_deliveries (id, tenant_id, event_id, event_type, status, attempts, max_attempts, due_at, leased_by, created_at)
			SELECT 'dlv_' || i, ?, d.event_id, d.event_type, 'in_flight', 1, 5, d.due_at + interval '1 hour', 'another', d.created_at
			FROM generate_series(1, ?) i, (SELECT * FROM webhook_deliveries LIMIT 1) d`, other, n); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "ANALYZE webhook_deliveries")
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
}
