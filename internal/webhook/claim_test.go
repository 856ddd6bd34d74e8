package webhook

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// testBudget is of a holder that has nothing.
var testBudget = claimBudget{total: 10, otherEndpoints: 4}

// Of many nodes that claim at the same moment, one gets deliveries of an
// endpoint, and each delivery is claimed once.
func TestClaimsOfManyNodes(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		ctx := context.Background()
		h.configure(acme, h.newReceiver(), nil)
		h.configure(other, h.newReceiver(), nil)
		h.append(acme, event.CallStarted, 100)
		h.append(other, event.CallStarted, 100)
		const nodes = 6
		seen := map[string]bool{}
		for range 25 {
			var claimed [nodes][]job
			var group sync.WaitGroup
			start := make(chan struct{})
			for node := range nodes {
				group.Go(func() {
					<-start
					err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
						claimed[node], _, err = newStore(h.db).claim(ctx, tx, fmt.Sprint(node), testBudget)
						return err
					})
					if err != nil {
						t.Errorf("claim: %v", err)
					}
				})
			}
			close(start)
			group.Wait()
			holders := map[string]map[int]int{acme: {}, other: {}}
			for node, jobs := range claimed {
				var results []result
				for _, j := range jobs {
					holders[j.TenantID][node]++
					if seen[j.Delivery.ID] {
						t.Errorf("delivery %s was claimed twice", j.Delivery.ID)
					}
					seen[j.Delivery.ID] = true
					results = append(results, result{job: j, attempted: true, status: Delivered, code: 200, started: time.Now()})
				}
				if len(results) == 0 {
					continue
				}
				if err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
					recorded, err := newStore(h.db).record(ctx, tx, fmt.Sprint(node), results)
					if len(recorded) != len(results) {
						t.Errorf("%d of %d results recorded", len(recorded), len(results))
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			for tenant, by := range holders {
				total := 0
				for _, n := range by {
					total += n
				}
				if len(by) != 1 || total != 4 {
					t.Fatalf("deliveries of %s claimed by each node: %v, want 4 by one", tenant, by)
				}
			}
		}
	})
}

// While a node claims for an endpoint, another skips that endpoint, and does not wait for it.
func TestClaimSkipsLockedEndpoints(t *testing.T) {
	onPostgres(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		h.configure(other, h.newReceiver(), nil)
		h.append(acme, event.CallStarted, 10)
		claimAs := func(ctx context.Context, holder string, then func(ctx context.Context)) (jobs []job) {
			err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
				jobs, _, err = newStore(h.db).claim(ctx, tx, holder, testBudget)
				then(ctx)
				return err
			})
			if err != nil {
				t.Errorf("claim as %s: %v", holder, err)
			}
			return jobs
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		var second []job
		first := claimAs(ctx, "first", func(ctx context.Context) {
			h.append(other, event.CallStarted, 10)
			second = claimAs(ctx, "second", func(context.Context) {})
		})
		if len(first) != 4 || len(second) != 4 || first[0].TenantID != acme || second[0].TenantID != other || second[1].TenantID != other {
			t.Errorf("claimed %d and %d deliveries: %+v", len(first), len(second), second)
		}
	})
}

// An endpoint that was skipped while its configuration was locked is claimed for again immediately.
func TestSkippedEndpointIsClaimedAgain(t *testing.T) {
	onPostgres(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		h.append(acme, event.CallStarted, 1)
		look := func() (claimed int, passed bool) {
			err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				jobs, _, err := newStore(h.db).claim(ctx, tx, "second", testBudget)
				if err != nil {
					return err
				}
				claimed = len(jobs)
				passed, err = newStore(h.db).skipped(ctx, tx, "second", testBudget)
				return err
			})
			if err != nil {
				t.Error(err)
			}
			return claimed, passed
		}
		if err := h.db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := findConfig(ctx, tx, primary, newStore(h.db).lockWebhook())
			if claimed, passed := look(); claimed != 0 || !passed {
				t.Errorf("while it is locked: claimed %d, passed by %v", claimed, passed)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if claimed, passed := look(); claimed != 1 || passed {
			t.Errorf("afterwards: claimed %d, passed by %v", claimed, passed)
		}
	})
}
