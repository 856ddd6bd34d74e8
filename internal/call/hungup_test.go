package call_test

import (
	"slices"
	"testing"

	"parley/internal/call"
	"parley/internal/event"
)

// An inbound phone call is claimed first, since its caller waits; one whose caller
// has hung up ends, unless a worker has it, who sees that for itself.
func TestCallerOnThePhoneHangsUp(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		arrived, unsubscribe := h.bus.Subscribe(event.Arrived, 1)
		defer unsubscribe()
		from := "+4930222222"
		ring := func() *call.Call {
			c, _, err := h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, WorkflowSlug: "support", CallType: call.SIP, Inbound: true, PhoneNumber: &from, Livemode: true})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		hangUp := func(id string) *call.Call {
			if err := h.calls.MarkHungUp(t.Context(), acme, id); err != nil {
				t.Fatal(err)
			}
			return h.get(id)
		}
		waiting := ring()
		select {
		case <-arrived:
		default:
			t.Error("no worker was notified of a waiting caller")
		}
		if c := h.get(waiting.ID); c.Direction != call.Inbound || c.CallType != call.SIP || *c.PhoneNumber != from || c.Status != call.Pending {
			t.Errorf("dispatched as %+v", c)
		}
		if c := hangUp(waiting.ID); c.Status != call.Failed || *c.StatusReason != call.CallerHangup {
			t.Errorf("a call that waited ended as %s, %v", c.Status, c.StatusReason)
		}
		hangUp(waiting.ID)
		if got := h.events(waiting.ID); !slices.Equal(got, []string{event.CallStarted, event.CallFailed}) {
			t.Errorf("its events are %v", got)
		}
		taken := ring()
		h.claim("w1")
		if c := hangUp(taken.ID); c.Status != call.Pending {
			t.Errorf("a call that a worker has is %s", c.Status)
		}
	})
}
