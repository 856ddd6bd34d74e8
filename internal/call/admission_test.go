package call_test

import (
	"errors"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/fault"
)

// While more calls wait than may, dispatches are turned away and leave nothing behind; workers and time make room.
func TestAdmission(t *testing.T) {
	crowd := defaults
	crowd.MaxWaiting = 2
	each(t, crowd, func(h *house) {
		kept, _, err := h.once(h.calls, acme, "first", "a")
		if err != nil {
			t.Fatal(err)
		}
		h.dispatch()
		count := func(want int64) {
			t.Helper()
			if err := call.CountWaiting(h.calls, t.Context()); err != nil || h.calls.Waiting() != want {
				t.Fatalf("%d calls wait, %v; want %d", h.calls.Waiting(), err, want)
			}
		}
		count(2)
		h.dispatch() // two may wait
		count(3)

		_, _, err = h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP})
		var later interface{ RetryAfter() time.Duration }
		if !fault.Is(err, fault.ServiceUnavailable) || !errors.As(err, &later) || later.RetryAfter() < time.Second {
			t.Errorf("a dispatch too many: %v", err)
		}
		if _, _, err := h.once(h.calls, acme, "second", "a"); !fault.Is(err, fault.ServiceUnavailable) {
			t.Errorf("a dispatch too many, with a key: %v", err)
		}
		if again, c, err := h.once(h.calls, acme, "first", "a"); err != nil || c != nil || again != kept {
			t.Errorf("an answer that was kept: %q, %v, %v", again, c, err)
		}
		if n := h.total(acme); n != 3 {
			t.Errorf("%d calls, want 3", n)
		}

		h.claim("w")
		count(2)
		if _, c, err := h.once(h.calls, acme, "second", "b"); err != nil || c == nil {
			t.Errorf("the key of a dispatch that was turned away: %v", err)
		}
		count(3)
	})
}
