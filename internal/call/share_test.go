package call_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/fault"
	"parley/internal/provider/catalogtest"
	"parley/internal/tenant"
	"parley/internal/workflow"
)

// tenantLimits are limits by tenant.
type tenantLimits map[string]tenant.Limits

func (l tenantLimits) ForTenant(_ context.Context, tenantID string) (tenant.Limits, error) {
	return l[tenantID], nil
}

// dispatchOf asks for a call of a tenant; what refuses it has to be rate_limit_exceeded with a RetryAfter, and to name a limit.
func (h *fixture) dispatchOf(tenantID, limit string) (refused bool) {
	h.t.Helper()
	_, _, err := h.calls.Dispatch(h.t.Context(), call.Request{TenantID: tenantID, AgentName: "desk", CallType: call.VoIP, Livemode: true})
	var later *fault.Error
	if err != nil && (!fault.Is(err, fault.RateLimitExceeded) || !errors.As(err, &later) || later.RetryAfter < time.Second || !strings.Contains(err.Error(), limit)) {
		h.t.Errorf("refused with %v", err)
	}
	return err != nil
}

// neighbour gives the other tenant the agent desk.
func (h *fixture) neighbour() {
	h.t.Helper()
	_, _, err := agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}.In(h.db.Tenant(other)).Create(h.t.Context(), agent.Draft{Name: "desk", Config: config("x")})
	if err != nil {
		h.t.Fatal(err)
	}
}

// A tenant that has reached its limit of pending or active calls cannot dispatch another, concurrently or with an idempotency
// key either; once one has ended it can, before the reaper runs. Other tenants' calls do not count.
func TestShareOfCalls(t *testing.T) {
	o := defaults
	o.Limits = tenantLimits{acme: {tenant.WaitingCalls: 3, tenant.ActiveCalls: 4}, other: {tenant.WaitingCalls: 2}}
	each(t, o, func(t *testing.T, h *fixture) {
		h.neighbour()
		fill := func(tenantID string, limit string, want int) {
			t.Helper()
			for n := range want {
				if h.dispatchOf(tenantID, limit) {
					t.Fatalf("dispatch %d of %d is refused", n+1, want)
				}
			}
			if !h.dispatchOf(tenantID, limit) {
				t.Errorf("dispatch %d is taken on", want+1)
			}
		}
		fill(acme, "waiting_calls", 3)
		if err := call.Weigh(h.calls, t.Context()); err != nil {
			t.Fatal(err)
		}
		if !h.dispatchOf(acme, "waiting_calls") {
			t.Error("taken on after the reaper has looked")
		}
		if _, _, err := h.once(h.calls, acme, "key", "a"); !fault.Is(err, fault.RateLimitExceeded) {
			t.Errorf("with a key: %v", err)
		}
		fill(other, "waiting_calls", 2)
		for range 4 { // two of each tenant
			h.claim("w")
		}
		time.Sleep(time.Second) // in virtual time
		fill(acme, "active_calls", 4-3)
		if n := h.total(acme); n != 4 {
			t.Errorf("%d calls, want 4", n)
		}
	})
}

// While too many calls wait in all, those who have their share of them or more are refused, and others are not.
func TestShareWhileTooManyWait(t *testing.T) {
	crowd := defaults
	crowd.MaxWaiting = 10
	each(t, crowd, func(t *testing.T, h *fixture) {
		h.neighbour()
		h.wait(acme, 20)
		if err := call.Weigh(h.calls, t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			if h.dispatchOf(other, "") {
				t.Fatal("a tenant is refused because of another's calls")
			}
			if err := call.Weigh(h.calls, t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if !h.dispatchOf(other, "your share of 5") || !h.dispatchOf(acme, "your share of 5") {
			t.Error("over its share, and taken on")
		}
	})
}

// Dispatches are counted against the tenant's limit a minute.
func TestDispatchesPerMinute(t *testing.T) {
	o := defaults
	o.Limits = tenantLimits{acme: {tenant.Dispatches: 7}, other: {tenant.Dispatches: 0}}
	wait := time.Duration(0)
	var asked []string
	o.Rate = func(_ context.Context, tenantID string, perMinute int) (time.Duration, error) {
		if perMinute != 7 {
			t.Errorf("%d a minute", perMinute)
		}
		asked = append(asked, tenantID)
		return wait, nil
	}
	each(t, o, func(t *testing.T, h *fixture) {
		wait, asked = 0, nil
		if h.dispatchOf(acme, "") {
			t.Error("refused")
		}
		wait = 3 * time.Second
		if !h.dispatchOf(acme, "dispatches_per_minute") || !h.dispatchOf(other, "dispatches_per_minute") {
			t.Error("taken on")
		}
		if len(asked) != 2 {
			t.Errorf("counted for %v", asked)
		}
	})
}
