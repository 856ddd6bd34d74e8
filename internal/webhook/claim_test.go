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

// Many nodes that claim at the same moment get two deliveries of an endpoint
// between them, and each delivery once.
func TestClaimsOfManyNodes(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		ctx := context.Background()
		h.configure(acme, newReceiver(t), nil)
		h.configure(other, newReceiver(t), nil)
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
						claimed[node], err = claim(ctx, tx, fmt.Sprint(node), 10)
						return err
					})
					if err != nil {
						t.Errorf("claim: %v", err)
					}
				})
			}
			close(start)
			group.Wait()
			inFlight := map[string]int{}
			for node, jobs := range claimed {
				var outcomes []outcome
				for _, j := range jobs {
					inFlight[j.TenantID]++
					if seen[j.Delivery.ID] {
						t.Errorf("delivery %s was claimed twice", j.Delivery.ID)
					}
					seen[j.Delivery.ID] = true
					outcomes = append(outcomes, outcome{job: j, made: true, status: Delivered, code: 200, started: time.Now()})
				}
				if len(outcomes) == 0 {
					continue
				}
				if err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
					counted, err := settle(ctx, tx, fmt.Sprint(node), outcomes)
					if len(counted) != len(outcomes) {
						t.Errorf("%d of %d outcomes counted", len(counted), len(outcomes))
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}
			}
			if inFlight[acme] != perEndpoint || inFlight[other] != perEndpoint {
				t.Fatalf("in flight at once: %v, want %d of each tenant", inFlight, perEndpoint)
			}
		}
	})
}

// While a node claims for an endpoint, another passes that endpoint by, and
// does not wait for it.
func TestClaimPassesByLockedEndpoints(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		if !h.db.Postgres() {
			return // SQLite has one writer at a time
		}
		h.configure(acme, newReceiver(t), nil)
		h.configure(other, newReceiver(t), nil)
		h.append(acme, event.CallStarted, 10)
		claimAs := func(ctx context.Context, holder string, then func(ctx context.Context)) (jobs []job) {
			err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
				jobs, err = claim(ctx, tx, holder, 10)
				then(ctx)
				return err
			})
			if err != nil {
				t.Errorf("claim as %s: %v", holder, err)
			}
			return jobs
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		var second []job
		first := claimAs(ctx, "first", func(ctx context.Context) {
			h.append(other, event.CallStarted, 10)
			second = claimAs(ctx, "second", func(context.Context) {})
		})
		if len(first) != perEndpoint || len(second) != perEndpoint || first[0].TenantID != acme || second[0].TenantID != other || second[1].TenantID != other {
			t.Errorf("claimed %d and %d deliveries: %+v", len(first), len(second), second)
		}
	})
}
