package webhook

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// storeFixture is a store with the webhooks of acme and other, in one transaction after the other.
type storeFixture struct {
	*fixture
	store
}

// write runs f in a transaction.
func (f *storeFixture) write(do func(ctx context.Context, tx database.Tx) error) {
	f.t.Helper()
	if err := f.db.System().Write(f.t.Context(), do); err != nil {
		f.t.Fatal(err)
	}
}

// claimAs claims as a holder.
func (f *storeFixture) claimAs(holder string, b claimBudget) (jobs []job, more map[string]bool) {
	f.t.Helper()
	f.write(func(ctx context.Context, tx database.Tx) (err error) {
		jobs, more, err = f.claim(ctx, tx, holder, b)
		return err
	})
	return jobs, more
}

// recordAs records results as a holder, and returns how many of them were.
func (f *storeFixture) recordAs(holder string, results ...result) (n int) {
	f.t.Helper()
	f.write(func(ctx context.Context, tx database.Tx) error {
		ids, err := f.record(ctx, tx, holder, results)
		n = len(ids)
		return err
	})
	return n
}

// ended are results of jobs that were sent.
func ended(jobs []job, status Status) (results []result) {
	for _, j := range jobs {
		results = append(results, result{job: j, attempted: true, status: status, wait: time.Hour, started: time.Now()})
	}
	return results
}

// log is a tenant's log, the oldest first.
func (f *storeFixture) log(tenantID string) []Delivery {
	f.t.Helper()
	page, _, err := f.queue.Deliveries(f.t.Context(), tenantID, DeliveryQuery{Limit: 100})
	if err != nil {
		f.t.Fatal(err)
	}
	slices.SortFunc(page, func(a, b Delivery) int { return cmp.Compare(a.ID, b.ID) })
	return page
}

// TestStore is what every store guarantees. Concurrent nodes are in claim_test.go, enqueue_test.go and lock_test.go.
func TestStore(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, f *storeFixture){
		"enqueues what the filter lets through": func(t *testing.T, f *storeFixture) {
			f.configure(acme, f.newReceiver(), map[string]any{"retry_policy": "extended", "filter": map[string]any{"events": []string{"call.failed"}}})
			webhookID := f.webhook(acme)
			enqueue := func(tenant, eventType, only string) (written bool) {
				f.append(acme, event.CallFailed, 1)
				last := f.log(acme)
				f.write(func(ctx context.Context, tx database.Tx) (err error) {
					written, err = f.enqueue(ctx, tx, newDelivery{id: tx.NewID("dlv_"), webhookID: only,
						event: event.Event{ID: last[len(last)-1].EventID, TenantID: tenant, Type: eventType}})
					return err
				})
				return written
			}
			if !enqueue(acme, event.CallFailed, "") || enqueue(acme, event.CallStarted, "") || !enqueue(acme, event.CallStarted, webhookID) || enqueue(other, event.CallFailed, webhookID) {
				t.Error("written for an event that the filter leaves out, for a tenant without a webhook, or not written")
			}
			last := f.log(acme)
			if d := last[len(last)-2]; d.Status != Pending || d.Attempts != 0 || d.MaxAttempts != extendedAttempts || d.CallID != nil || d.NextAttemptAt == nil {
				t.Errorf("%+v", d)
			}
		},
		"claims the longest waiting, within the budget": func(t *testing.T, f *storeFixture) {
			f.append(other, event.CallStarted, 5)
			time.Sleep(time.Millisecond)
			f.append(acme, event.CallStarted, 5)
			jobs, more := f.claimAs("a", claimBudget{total: 5, otherEndpoints: 3})
			count := map[string]int{}
			for _, j := range jobs {
				count[j.TenantID]++
			}
			if count[other] != 3 || count[acme] != 2 || !more[f.webhook(other)] || !more[f.webhook(acme)] {
				t.Errorf("claimed %v, more %v", count, more)
			}
			for i, d := range f.log(other) {
				if (d.Status == InFlight) != (i < 3) {
					t.Errorf("delivery %d is %s: not the oldest first", i, d.Status)
				}
			}
			if jobs, _ := f.claimAs("a", claimBudget{total: 5, otherEndpoints: 3, byWebhook: map[string]int{f.webhook(other): 0, f.webhook(acme): 9}}); len(jobs) != 3 || jobs[0].TenantID != acme {
				t.Errorf("%d claimed, want the three that are left of acme", len(jobs))
			}
		},
		"has one holder an endpoint": func(t *testing.T, f *storeFixture) {
			f.append(acme, event.CallStarted, 3)
			f.claimAs("a", claimBudget{total: 1, otherEndpoints: 1})
			if jobs, _ := f.claimAs("b", testBudget); len(jobs) != 0 {
				t.Errorf("%d claimed of an endpoint that another holds", len(jobs))
			}
			time.Sleep(lease + time.Second)
			if jobs, _ := f.claimAs("b", testBudget); len(jobs) != 3 {
				t.Errorf("%d claimed when its lease had ended, want 3", len(jobs))
			}
		},
		"claims of healthy endpoints alone": func(t *testing.T, f *storeFixture) {
			f.append(acme, event.CallStarted, 1)
			f.streak(500)
			b := testBudget
			b.healthyOnly = true
			if jobs, _ := f.claimAs("a", b); len(jobs) != 0 {
				t.Error("claimed of an endpoint that failed")
			}
			f.streak(200)
			if jobs, _ := f.claimAs("a", b); len(jobs) != 1 {
				t.Error("not claimed of an endpoint that succeeded since")
			}
		},
		"renews the leases of their holder": func(t *testing.T, f *storeFixture) {
			f.append(acme, event.CallStarted, 1)
			jobs, _ := f.claimAs("a", testBudget)
			renew := func(holder string) {
				f.write(func(ctx context.Context, tx database.Tx) error {
					return f.renew(ctx, tx, holder, []string{jobs[0].Delivery.ID})
				})
			}
			time.Sleep(lease - time.Second)
			renew("a")
			time.Sleep(lease - time.Second)
			renew("b")
			if jobs, _ := f.claimAs("b", testBudget); len(jobs) != 0 {
				t.Error("the lease was not renewed")
			}
			time.Sleep(time.Second)
			if jobs, _ := f.claimAs("b", testBudget); len(jobs) != 1 {
				t.Error("another holder renewed the lease")
			}
		},
		"records results of leases": func(t *testing.T, f *storeFixture) {
			f.append(acme, event.CallStarted, 3)
			jobs, _ := f.claimAs("a", testBudget)
			if n := f.recordAs("b", ended(jobs, Failed)...); n != 0 {
				t.Errorf("%d results of another holder recorded", n)
			}
			if n := f.recordAs("a", ended(jobs[:1], Delivered)...) + f.recordAs("a", ended(jobs[1:2], Pending)...) + f.recordAs("a", result{job: jobs[2], status: Pending, unstarted: true}); n != 3 {
				t.Errorf("%d results recorded, want 3", n)
			}
			if n := f.recordAs("a", ended(jobs, Failed)...); n != 0 {
				t.Errorf("%d results recorded twice", n)
			}
			log := f.log(acme)
			if d := log[0]; d.Status != Delivered || d.Attempts != 1 || d.FinishedAt == nil {
				t.Errorf("delivered: %+v", d)
			}
			if d := log[1]; d.Status != Pending || d.Attempts != 1 || d.NextAttemptAt.Sub(f.now()).Round(time.Second) != time.Hour {
				t.Errorf("to be retried in an hour: %+v", d)
			}
			if d := log[2]; d.Status != Pending || d.Attempts != 0 || !d.NextAttemptAt.Equal(d.CreatedAt) {
				t.Errorf("not started, in its place: %+v", d)
			}
		},
		"knows what is due next": func(t *testing.T, f *storeFixture) {
			next := func() (in time.Duration) {
				f.write(func(ctx context.Context, tx database.Tx) error {
					due, err := f.nextDue(ctx, tx)
					if !due.IsZero() {
						in = due.Sub(tx.Now()).Round(time.Second)
					}
					return err
				})
				return in
			}
			f.append(acme, event.CallStarted, 1)
			if in := next(); in != 0 {
				t.Errorf("due in %s, while all is due", in)
			}
			jobs, _ := f.claimAs("a", testBudget)
			if in := next(); in != lease {
				t.Errorf("due in %s, want the end of the lease", in)
			}
			f.recordAs("a", ended(jobs, Pending)...)
			if in := next(); in != time.Hour {
				t.Errorf("due in %s, want an hour", in)
			}
		},
		"fails what is open": func(t *testing.T, f *storeFixture) {
			f.append(other, event.CallStarted, 1)
			f.append(acme, event.CallStarted, 3)
			jobs, _ := f.claimAs("a", claimBudget{total: 2, otherEndpoints: 2, byWebhook: map[string]int{f.webhook(other): 0}})
			f.recordAs("a", ended(jobs[:1], Delivered)...)
			webhookID := f.webhook(acme)
			f.write(func(ctx context.Context, tx database.Tx) error { return f.failOpen(ctx, tx, webhookID) })
			log := f.log(acme)
			if log[0].Status != Delivered || log[1].Status != Failed || log[2].Status != Failed || f.log(other)[0].Status != Pending {
				t.Errorf("%+v", log)
			}
			if n := f.recordAs("a", ended(jobs[1:], Delivered)...); n != 0 {
				t.Error("a result was recorded after the delivery had failed")
			}
		},
		"prunes the oldest": func(t *testing.T, f *storeFixture) {
			f.append(acme, event.CallStarted, 4)
			jobs, _ := f.claimAs("a", testBudget)
			for _, j := range jobs[:3] {
				f.recordAs("a", ended([]job{j}, Delivered)...)
				time.Sleep(time.Second)
			}
			for _, want := range []int{2, 1, 0} {
				f.write(func(ctx context.Context, tx database.Tx) error {
					n, err := f.prune(ctx, tx, tx.Now().Add(time.Hour), 2)
					if n != want {
						t.Errorf("%d pruned, want %d", n, want)
					}
					return err
				})
			}
			if log := f.log(acme); len(log) != 1 || log[0].ID != jobs[3].Delivery.ID {
				t.Errorf("%+v is left, want what is open", log)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, h *fixture) {
				h.configure(acme, h.newReceiver(), nil)
				if name != "enqueues what the filter lets through" {
					h.configure(other, h.newReceiver(), nil)
				}
				test(t, &storeFixture{h, newStore(h.db)})
			})
		})
	}
}
