package call_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// eventsOf returns the data of all events of a type, the oldest first.
func (h *fixture) eventsOf(eventType string) (all []map[string]any) {
	h.t.Helper()
	var rows []string
	err := h.db.Tenant(acme).Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT CAST(data AS text) FROM events WHERE tenant_id = ? AND type = ? ORDER BY id", acme, eventType).Scan(ctx, &rows)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	for _, row := range rows {
		var data map[string]any
		if err := json.Unmarshal([]byte(row), &data); err != nil {
			h.t.Fatal(err)
		}
		all = append(all, data)
	}
	return all
}

// finishWith ends a call that has used so many seconds of the recogniser.
func (h *fixture) finishWith(lease call.Lease, seconds string) {
	h.t.Helper()
	if err := h.calls.Record(h.t.Context(), lease, call.Records{Usage: []cost.Usage{used("desk", cost.STT, "ear", "e", cost.Seconds, seconds)}}); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.calls.Finish(h.t.Context(), lease, call.AgentEnded); err != nil {
		h.t.Fatal(err)
	}
}

// Calls are dispatched until the budget of the tenant is spent, with one event before that; calls under way finish.
func TestBudgetOfATenant(t *testing.T) {
	each(t, priced(t), func(t *testing.T, h *fixture) {
		options := priced(t)
		options.Budgets = tenant.NewBudgetCache(h.db)
		h.restartWith(options)
		budget, err := cost.ParseMoney("0.77EUR") // 100 minutes
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tenant.Set(t.Context(), h.db, "acme", tenant.Change{Budgets: map[tenant.Period]*cost.Money{tenant.Day: &budget}}); err != nil {
			t.Fatal(err)
		}
		first, second, third := h.active(), h.active(), h.active()
		h.finishWith(first, "4799.5")
		if events := h.eventsOf(event.BudgetWarning); len(events) != 0 {
			t.Errorf("before 80 %%: %v", events)
		}
		h.finishWith(second, "0.5")
		if events := h.eventsOf(event.BudgetWarning); len(events) != 1 || events[0]["spent"] != "0.616" || events[0]["budget"] != "0.77" || events[0]["currency"] != "EUR" || events[0]["period"] != "day" {
			t.Errorf("at 80 %%: %v", events)
		}
		time.Sleep(3 * time.Second)
		last := h.active()
		h.finishWith(third, "1200")
		time.Sleep(3 * time.Second)
		_, _, err = h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, WorkflowSlug: "support", CallType: call.VoIP})
		if !fault.Is(err, fault.BudgetExhausted) {
			t.Errorf("a dispatch beyond the budget: %v", err)
		}
		h.finishWith(last, "60")
		if c := h.get(last.CallID); c.Status != call.Completed || c.Cost == nil || c.Cost.Total.String() != "0.0077" {
			t.Errorf("the call under way: %s, %+v", c.Status, c.Cost)
		}
		if events := h.eventsOf(event.BudgetWarning); len(events) != 1 {
			t.Errorf("%d warnings", len(events))
		}
		ends := h.eventsOf(event.CallCompleted)
		amount, _ := ends[len(ends)-1]["cost"].(map[string]any)
		items, _ := amount["items"].([]any)
		if len(ends) != 4 || amount["total"] != "0.0077" || amount["currency"] != "EUR" || len(items) != 1 {
			t.Errorf("the last of %d ends: %v", len(ends), ends[len(ends)-1])
		}
		other := slices.DeleteFunc(h.eventsOf(event.CallStarted), func(data map[string]any) bool { return data["cost"] == nil })
		if len(other) != 0 {
			t.Errorf("calls that have begun have a cost: %v", other)
		}
	})
}

// The running cost of a call is that of what it has recorded and of what it uses now.
func TestRunningCost(t *testing.T) {
	each(t, priced(t), func(t *testing.T, h *fixture) {
		lease := h.active()
		if err := h.calls.Record(t.Context(), lease, call.Records{Usage: []cost.Usage{used("desk", cost.STT, "ear", "e", cost.Seconds, "60"), used("desk", cost.TTS, "mouth", "m", cost.Characters, "9")}}); err != nil {
			t.Fatal(err)
		}
		c := h.get(lease.CallID)
		c.CallType, c.Direction = call.SIP, call.Outbound
		running, err := h.calls.RunningCost(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for seconds, want := range map[int64]string{0: "0.0154", 1: "0.0354", 61: "0.0554"} {
			if got := running.Of([]cost.Usage{used("", cost.STT, "ear", "e", cost.Seconds, "60")}, seconds); got.String() != want {
				t.Errorf("after %d s: %s, want %s", seconds, got, want)
			}
		}
	})
}
