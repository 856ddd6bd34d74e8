package webhook

import (
	"net/http"
	"testing"
	"time"

	"parley/internal/event"
)

// count waits until want deliveries of acme are in a state.
func (h *fixture) count(status Status, want int) {
	h.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		_, n, err := h.queue.Deliveries(h.t.Context(), acme, DeliveryQuery{Status: status, Limit: 1})
		if err != nil {
			h.t.Fatal(err)
		}
		if n == want {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("%d deliveries are %s, want %d", n, status, want)
		}
	}
}

// Deliveries that were claimed but not started when the configuration changed use the new one: its URL and its secret; if it is
// disabled or deleted, they are not sent.
func TestChangeWhileClaimed(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		old, fresh := h.newReceiver(), h.newReceiver()
		release := make(chan struct{})
		old.answer = func(http.ResponseWriter, int) { <-release }
		h.configure(acme, old, nil)
		h.append(acme, event.CallStarted, 6)
		h.deliver()
		old.wait(perEndpoint)
		h.count(InFlight, perEndpoint+2) // claimed ahead
		w, secret, err := h.settings.Rotate(t.Context(), acme, 0)
		if err != nil {
			t.Fatal(err)
		}
		fresh.secrets = func() []string { return []string{secret} }
		if _, err := h.settings.Patch(t.Context(), acme, []byte(`{"url":"`+fresh.url+`"}`), true); err != nil {
			t.Fatal(w, err)
		}
		h.count(Pending, 4)
		if _, err := h.settings.SetEnabled(t.Context(), acme, false); err != nil {
			t.Fatal(err)
		}
		h.count(InFlight, perEndpoint)
		close(release)
		h.count(Delivered, perEndpoint)
		h.count(Pending, 4)
		if _, err := h.settings.SetEnabled(t.Context(), acme, true); err != nil {
			t.Fatal(err)
		}
		h.settled(acme)
		if a, b := len(old.wait(2)), len(fresh.wait(4)); a != 2 || b != 4 {
			t.Errorf("%d went to the old address and %d to the new one, want 2 and 4", a, b)
		}
	})
}
