package webhook

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// fail ends all deliveries of acme as failed.
func (h *fixture) fail() {
	h.t.Helper()
	if err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET status = 'failed', due_at = NULL, leased_by = NULL, finished_at = ? WHERE tenant_id = ? AND finished_at IS NULL", tx.Now(), acme)
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
}

// One request replays the failed deliveries of a time range, each once, a bounded number, spread over time.
func TestReplayFailed(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		h.configure(acme, r, map[string]any{"retry_policy": "extended"})
		h.configure(other, r, nil)
		replay := func(query ReplayQuery, want Replayed) {
			t.Helper()
			if got, err := h.queue.ReplayFailed(t.Context(), acme, query, false); err != nil || got != want {
				t.Errorf("%+v: %+v, %v, want %+v", query, got, err, want)
			}
		}
		open := func() (deliveries []Delivery) {
			t.Helper()
			deliveries, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Status: Pending, Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			return deliveries
		}
		began := h.now()
		h.append(acme, event.CallStarted, maxReplay+3)
		h.append(acme, event.CallFailed, 2)
		h.append(other, event.CallFailed, 1)
		h.fail()
		time.Sleep(time.Second)
		ended := h.now()
		all := ReplayQuery{After: began, Before: ended}
		replay(ReplayQuery{After: ended, Before: ended.Add(time.Hour)}, Replayed{})
		replay(ReplayQuery{After: began.Add(-time.Hour), Before: began}, Replayed{})
		replay(ReplayQuery{After: began, Before: ended, EventType: event.CallTest}, Replayed{})
		replay(ReplayQuery{After: began, Before: ended, EventType: event.CallFailed}, Replayed{Count: 2})
		if again := open(); len(again) != 2 || again[0].EventType != event.CallFailed || again[0].MaxAttempts != extendedAttempts || again[0].NextAttemptAt.Sub(*again[1].NextAttemptAt) != replayPause {
			t.Errorf("%+v", again)
		}
		replay(all, Replayed{Count: maxReplay, HasMore: true})
		replay(all, Replayed{Count: 3})
		replay(all, Replayed{})

		// What fails again can be replayed again, by the time of the replay; with transcripts by who may read calls.
		h.fail()
		later := ReplayQuery{After: ended, Before: h.now().Add(time.Second), EventType: event.CallFailed}
		h.configure(acme, r, map[string]any{"filter": map[string]any{"include_transcript": true}})
		if _, err := h.queue.ReplayFailed(t.Context(), acme, later, false); !errors.Is(err, ErrCallsRead) {
			t.Errorf("transcripts are sent to who may not read calls: %v", err)
		}
		replay(ReplayQuery{After: ended, Before: h.now().Add(time.Second), EventType: event.CallStarted}, Replayed{Count: maxReplay, HasMore: true})
		if got, err := h.queue.ReplayFailed(t.Context(), acme, later, true); err != nil || got != (Replayed{Count: 2}) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

// A call's error log has one item when a delivery failed permanently, and none while it is retried.
func TestFailedDeliveryIsLogged(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		type entry struct {
			tenant, call string
			details      map[string]any
		}
		logged := make(chan entry, 10)
		h.faults.failed = func(tenantID, callID, _ string, details map[string]any) { logged <- entry{tenantID, callID, details} }
		codes := make(chan int, 2)
		codes <- 500
		codes <- 410
		r := h.newReceiver()
		r.answer = status(codes)
		h.configure(acme, r, nil)
		h.append(acme, event.CallFailed, 1)
		stop := h.deliver()
		d := h.settled(acme)[0]
		stop()
		if len(logged) != 1 {
			t.Fatalf("%d entries", len(logged))
		}
		if e := <-logged; e.tenant != acme || e.call != call1 || e.details["delivery_id"] != d.ID || e.details["attempts"] != 2 || e.details["response_status"] != 410 {
			t.Errorf("%+v of %+v", e, d)
		}
	})
}

// A node that cannot open a webhook's secret makes no attempt and fails nothing: it leaves the endpoint to others.
func TestSecretDoesNotOpen(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		h.configure(acme, r, map[string]any{"max_retries": 1})
		h.append(acme, event.CallFailed, 3)
		right := h.settings.sealer
		h.settings.sealer = wrongSealer(t)
		stop := h.deliver()
		defer stop()
		time.Sleep(10 * time.Second)
		deliveries, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range deliveries {
			if d.Status != Pending || d.Attempts != 0 {
				t.Errorf("with the wrong key: %+v", d)
			}
		}
		h.settings.sealer = right
		h.options.Name = "another node"
		began := time.Now()
		h.deliver()
		for _, d := range h.settled(acme) {
			if d.Status != Delivered || d.Attempts != 1 {
				t.Errorf("by a node with the right key: %+v", d)
			}
		}
		if d := time.Since(began); d > unreadableFor/2 {
			t.Errorf("the other node had the deliveries after %v", d)
		}
	})
}
