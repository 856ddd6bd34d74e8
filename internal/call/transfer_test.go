package call_test

import (
	"fmt"
	"testing"

	"parley/internal/call"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// A call that the agent transferred is completed, and has an event of its own before that of its end.
func TestTransferredCall(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		c := h.active()
		if _, err := h.calls.Finish(t.Context(), c, call.Transferred); err != nil {
			t.Fatal(err)
		}
		if ended := h.get(c.CallID); ended.Status != call.Completed || *ended.StatusReason != call.Transferred {
			t.Errorf("it is %s, %s", ended.Status, *ended.StatusReason)
		}
		if got := fmt.Sprint(h.events(c.CallID)); got != "[call.started call.connected call.transferred call.completed]" {
			t.Errorf("events %s", got)
		}
	})
}

// A transfer that a trunk asks for is in the timeline, within what the tenant may dial, and counts as an outbound call.
func TestAuthorizeTransfer(t *testing.T) {
	options := defaults
	options.Phone = tenant.PhoneLimits{Prefixes: []string{"+49"}, PerMinute: 2}
	each(t, options, func(t *testing.T, h *fixture) {
		c := h.active()
		authorize := func(tenantID, number string) error {
			return h.calls.AuthorizeTransfer(t.Context(), tenantID, c.CallID, number)
		}
		if err := authorize(acme, "+33123456789"); !fault.Is(err, fault.Validation) {
			t.Errorf("a number that must not be dialled: %v", err)
		}
		if err := authorize(other, "+4930123456"); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant's call: %v", err)
		}
		for n := range 3 {
			if err := authorize(acme, "+4930123456"); n < 2 && err != nil || n == 2 && !fault.Is(err, fault.RateLimitExceeded) {
				t.Errorf("transfer %d: %v", n+1, err)
			}
		}
		if err := h.calls.RecordTransfer(t.Context(), acme, c.CallID, call.TransferCompleted); err != nil {
			t.Error(err)
		}
		items, err := h.calls.Timeline(t.Context(), acme, c.CallID)
		if err != nil {
			t.Fatal(err)
		}
		var got []call.IncidentType
		for _, item := range items {
			if item.Incident != nil {
				got = append(got, item.Incident.Type)
			}
		}
		if fmt.Sprint(got) != "[transfer_requested transfer_requested transfer_completed]" {
			t.Errorf("the timeline has %s", got)
		}
	})
}
