package webhook

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"parley/internal/database"
	"parley/internal/event"
)

// during writes an event of acme and has f run before it is committed.
func (h *fixture) during(f func()) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), patience)
	defer cancel()
	err := h.db.Tenant(acme).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		e := event.Event{TenantID: acme, CallID: call1, Type: event.CallStarted, Livemode: true, Data: json.RawMessage(`{}`)}
		if err := h.events.Append(ctx, tx, e); err != nil {
			return err
		}
		f()
		return nil
	})
	if err != nil {
		h.t.Errorf("write an event: %v", err)
	}
}

// meanwhile runs f and returns when it is over or waits for the database, with
// a function that waits for its end. In a bubble.
func (h *fixture) meanwhile(f func()) (wait func()) {
	var over atomic.Bool
	var running sync.WaitGroup
	running.Go(func() {
		defer over.Store(true)
		f()
	})
	if h.db.Postgres() {
		h.blocked(func() int {
			if over.Load() {
				return 0
			}
			return 1
		})
	} else {
		synctest.Wait()
	}
	return running.Wait
}

// A configuration that is deleted while an event is written leaves no delivery
// to the configuration that comes after it.
func TestDeletionDuringEvent(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		var wait func()
		h.during(func() {
			wait = h.meanwhile(func() {
				if err := h.settings.Delete(context.Background(), acme); err != nil {
					t.Error(err)
				}
			})
		})
		wait()
		h.configure(acme, h.newReceiver(), nil)
		if d := h.settled(acme); len(d) != 1 || d[0].Status != Failed {
			t.Errorf("%+v", d)
		}
	})
}

// An event that is written while the configuration is deleted owes nothing.
func TestEventDuringDeletion(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		var wait func()
		if err := h.db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM webhooks WHERE tenant_id = ?", acme)
			wait = h.meanwhile(func() { h.append(acme, event.CallStarted, 1) })
			return err
		}); err != nil {
			t.Fatal(err)
		}
		wait()
		if _, total, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Limit: 1}); err != nil || total != 0 {
			t.Errorf("%d deliveries without a configuration, %v", total, err)
		}
	})
}

// An event that is being written keeps neither another event of the tenant
// waiting, nor its deliveries, nor who counts what failed.
func TestEventsDoNotWait(t *testing.T) {
	onPostgres(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		h.append(acme, event.CallStarted, 1)
		h.during(func() {
			h.during(func() {})
			var jobs []job
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
				if jobs, _, err = newStore(h.db).claim(ctx, tx, "holder", testBudget); err != nil || len(jobs) == 0 {
					return err
				}
				if _, err := countFailures(ctx, tx, h.faults, []result{{job: jobs[0], attempted: true, status: Failed}}); err != nil {
					return err
				}
				h.during(func() {}) // nor do these keep events waiting
				return nil
			}); err != nil || len(jobs) != 2 {
				t.Errorf("claimed %d deliveries of 2, %v", len(jobs), err)
			}
		})
	})
}

// Where events never cease a deletion is done all the same.
func TestDeletionAmongEvents(t *testing.T) {
	onPostgres(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		// write returns when an event is written, and commit when it is committed.
		write := func() (commit func()) {
			written, release, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
			go func() {
				defer close(over)
				h.during(func() {
					close(written)
					<-release
				})
			}()
			<-written
			return func() {
				close(release)
				<-over
			}
		}
		commit := write()
		stop := make(chan struct{})
		var writing sync.WaitGroup
		writing.Go(func() {
			for {
				select {
				case <-stop:
					commit()
					return
				default:
				}
				next := write()
				commit()
				commit = next
			}
		})
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if err := h.settings.Delete(ctx, acme); err != nil {
			t.Error(err)
		}
		close(stop)
		writing.Wait()
	})
}
