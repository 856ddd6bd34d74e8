package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// filters are all ways to filter the log but by a call.
func filters() (all []DeliveryQuery) {
	for _, status := range append([]Status{""}, Statuses...) {
		for _, eventType := range append([]string{""}, event.Types...) {
			all = append(all, DeliveryQuery{Status: status, EventType: eventType, Limit: 20})
		}
	}
	return all
}

// The pages of each filter have what it chooses, newest first, and its total
// says how many that are, as deliveries are made, claimed, ended, deleted and
// pruned.
func TestLog(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		check := func(when string, want int) {
			t.Helper()
			var log []Delivery
			for offset := 0; ; offset += 7 {
				page, total, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Limit: 7, Offset: offset})
				if err != nil || total != want {
					t.Fatalf("%s: %d in all, want %d, %v", when, total, want, err)
				}
				if log = append(log, page...); len(page) < 7 {
					break
				}
			}
			if len(log) != want || !slices.IsSortedFunc(log, func(a, b Delivery) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
				t.Fatalf("%s: %d entries, want %d, or not the newest first", when, len(log), want)
			}
			for _, q := range filters() {
				chosen := slices.DeleteFunc(slices.Clone(log), func(d Delivery) bool {
					return q.Status != "" && d.Status != q.Status || q.EventType != "" && d.EventType != q.EventType
				})
				for _, q.CallID = range []string{"", call1} {
					q.Offset = 2
					page, total, err := h.queue.Deliveries(t.Context(), acme, q)
					if err != nil || total != len(chosen) || len(page) != min(max(total-2, 0), q.Limit) {
						t.Fatalf("%s, %+v: %d of %d, want %d, %v", when, q, len(page), total, len(chosen), err)
					}
					for i, d := range page {
						if d.ID != chosen[i+2].ID {
							t.Fatalf("%s, %+v: %s in place %d, want %s", when, q, d.ID, i, chosen[i+2].ID)
						}
					}
				}
			}
		}
		end := func(status Status, n int) {
			t.Helper()
			if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				jobs, _, err := newStore(h.db).claim(ctx, tx, "holder", claimBudget{total: n, otherEndpoints: n})
				var results []result
				for _, j := range jobs {
					results = append(results, result{job: j, attempted: true, status: status, started: time.Now()})
				}
				if err == nil && status != InFlight {
					_, err = newStore(h.db).record(ctx, tx, "holder", results)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		h.configure(acme, h.newReceiver(), nil)
		h.configure(other, h.newReceiver(), nil)
		all := 5 * len(event.Types)
		for _, kind := range event.Types {
			h.append(acme, kind, 5)
		}
		check("before the first attempt", all)
		end(Delivered, 18)
		end(Failed, 9)
		end(Pending, 2) // another attempt
		end(InFlight, 3)
		check("in all states", all)
		h.append(other, event.CallStarted, 4)
		if err := h.settings.Delete(t.Context(), acme); err != nil {
			t.Fatal(err)
		}
		check("after the deletion", all)
		if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, `UPDATE webhook_deliveries SET finished_at = ? WHERE id IN (SELECT id FROM webhook_deliveries WHERE tenant_id = ? ORDER BY id LIMIT 20)`,
				tx.Now().Add(-31*24*time.Hour), acme)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		r, _ := h.recording(new(bytes.Buffer))
		if n, err := r.pruneBatch(t.Context()); n != 20 || err != nil {
			t.Fatalf("%d pruned, %v", n, err)
		}
		check("after pruning", all-20)
	})
}

// A long log is listed as quickly as a short one: its rows are not counted, sorted or skipped one by one.
func TestLongLog(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		n, open := 30_000, 300
		if !h.db.Postgres() {
			n = 3_300 // its plan, which is what is looked at, does not depend on how many there are
		}
		h.configure(acme, h.newReceiver(), nil)
		h.append(acme, event.CallStarted, 1)
		if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			number := "lpad(to_hex(n.i), 8, '0')"
			if !tx.Postgres() {
				number = "printf('%08x', n.i)"
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO webhook_deliveries (id, tenant_id, event_id, event_type, call_id, status, attempts, max_attempts, due_at, created_at, finished_at)
				WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
				SELECT 'dlv_0' || `+number+`, d.tenant_id, d.event_id, CASE i % 100 WHEN 7 THEN 'call.test' ELSE d.event_type END, d.call_id,
					CASE WHEN i > ? THEN 'pending' WHEN i < 3000 AND i % 100 = 7 THEN 'failed' ELSE 'delivered' END, 1, 5,
					CASE WHEN i > ? THEN d.due_at END, d.created_at, CASE WHEN i <= ? THEN d.created_at END
				FROM n CROSS JOIN (SELECT * FROM webhook_deliveries LIMIT 1) d`, n, n-open, n-open, n-open)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		for _, q := range filters() {
			if err := h.db.Tenant(acme).With(logSettings...).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
				for _, part := range []func(string) (string, []any){q.selectTotal, q.selectPage} {
					query, args := part(acme)
					effort(ctx, t, tx, query, args)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		if page, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Status: Failed, Limit: 20}); err != nil || len(page) != 20 || page[0].ID != fmt.Sprintf("dlv_0%08x", 2907) {
			t.Errorf("%+v, %v", page, err)
		}
	})
}

// effort fails when a query reads more of the log than its answer needs: by how
// many blocks it is on PostgreSQL, and by its plan on SQLite.
func effort(ctx context.Context, t *testing.T, tx database.Tx, query string, args []any) {
	t.Helper()
	if tx.Postgres() {
		var text string
		if err := tx.NewRaw("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+query, args...).Scan(ctx, &text); err != nil {
			t.Fatal(err)
		}
		var plans []struct {
			Plan struct {
				Hit  int `json:"Shared Hit Blocks"`
				Read int `json:"Shared Read Blocks"`
			}
		}
		if err := json.Unmarshal([]byte(text), &plans); err != nil {
			t.Fatal(err)
		}
		if blocks := plans[0].Plan.Hit + plans[0].Plan.Read; blocks == 0 || blocks > 1000 {
			t.Errorf("%s %v: %d blocks", query, args, blocks)
		}
		return
	}
	var plan []struct {
		ID      int64
		Parent  int64
		NotUsed int64 `bun:"notused"`
		Detail  string
	}
	if err := tx.NewRaw("EXPLAIN QUERY PLAN "+query, args...).Scan(ctx, &plan); err != nil {
		t.Fatal(err)
	}
	for _, step := range plan {
		if !strings.Contains(step.Detail, "webhook_deliveries") {
			continue
		}
		whole := strings.Contains(query, "event_type")
		if whole && !strings.Contains(step.Detail, "COVERING INDEX webhook_deliveries_kind (tenant_id=? AND event_type=? AND status=?)") ||
			!whole && !strings.Contains(step.Detail, "COVERING INDEX webhook_deliveries_log (tenant_id=?)") {
			t.Errorf("%s: %s", query, step.Detail)
		}
	}
}
