package call_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"parley/internal/call"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/tenant"
	"parley/internal/transfer"
)

// Each step of a transfer to a person is an event and an entry of the timeline, with the reason of one that failed.
func TestTransferSteps(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease, status := h.active(), 486
		steps := []call.TransferStep{
			{Phase: call.TransferStarted, Mode: transfer.Consult, To: "+4930123456", Attempt: 1, Attempts: 2},
			{Phase: call.TransferBroken, Mode: transfer.Consult, To: "+4930123456", Attempt: 1, Attempts: 2, Reason: transfer.Busy, SIPStatus: &status},
			{Phase: call.TransferStarted, Mode: transfer.Consult, To: "+4930123457", Attempt: 2, Attempts: 2},
			{Phase: call.TransferAnswered, Mode: transfer.Consult, To: "+4930123457", Attempt: 2, Attempts: 2},
			{Phase: call.TransferConnected, Mode: transfer.Consult, To: "+4930123457", Attempt: 2, Attempts: 2, Summary: "Ada is calling."},
		}
		if err := h.calls.Record(t.Context(), lease, call.Records{Transfers: steps}); err != nil {
			t.Fatal(err)
		}
		want := []string{event.CallTransferStarted, event.CallTransferFailed, event.CallTransferStarted, event.CallTransferAnswered, event.CallTransferCompleted}
		if events := h.events(lease.CallID); !slices.Equal(events[2:], want) {
			t.Errorf("events %v", events)
		}
		items, err := h.calls.Timeline(t.Context(), acme, lease.CallID)
		if err != nil {
			t.Fatal(err)
		}
		var got []call.TransferStep
		for _, item := range items {
			if item.Transfer != nil {
				got = append(got, *item.Transfer)
			}
		}
		if text(got) != text(steps) {
			t.Errorf("the timeline has %s, want %s", text(got), text(steps))
		}
	})
}

func text(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(encoded)
}

// A person who is dialled counts as an outbound call, within what the tenant may dial; the timeline has its steps alone.
func TestAuthorizePerson(t *testing.T) {
	options := defaults
	options.Phone = tenant.PhoneLimits{Prefixes: []string{"+49"}, PerMinute: 2}
	each(t, options, func(t *testing.T, h *fixture) {
		c := h.active()
		if err := h.calls.AuthorizePerson(t.Context(), acme, c.CallID, "+33123456789"); !fault.Is(err, fault.Validation) {
			t.Errorf("a number that must not be dialled: %v", err)
		}
		for n := range 3 {
			if err := h.calls.AuthorizePerson(t.Context(), acme, c.CallID, "+4930123456"); n < 2 && err != nil || n == 2 && !fault.Is(err, fault.RateLimitExceeded) {
				t.Errorf("person %d: %v", n+1, err)
			}
		}
		items, err := h.calls.Timeline(t.Context(), acme, c.CallID)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			if item.Incident != nil {
				t.Errorf("the timeline has %s", fmt.Sprint(item.Incident.Type))
			}
		}
	})
}
