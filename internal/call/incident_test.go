package call_test

import (
	"slices"
	"testing"
	"time"

	"parley/internal/call"
)

// The timeline has an incident for each worker that a call lost (one died, one's lease expired, one released the call), and
// those that its sessions recorded.
func TestIncidents(t *testing.T) {
	var reported []call.Incident
	options := defaults
	options.Incident = func(i call.Incident) { reported = append(reported, i) }
	each(t, options, func(t *testing.T, h *fixture) {
		reported = nil
		first := h.active()
		if err := h.calls.RegisterWorker(t.Context(), "w1", 1); err != nil {
			t.Fatal(err)
		}
		h.set(first.CallID, "claimed_by = ?", "w1")
		for range 2 { // as several nodes do
			if err := h.calls.RemoveDeadWorkers(t.Context(), []string{"w1"}); err != nil {
				t.Fatal(err)
			}
		}
		second := h.takeOver("w2")
		h.set(first.CallID, "lease_until = ?", time.Now().UTC().Add(-time.Second))
		third := h.takeOver("w3")
		if err := h.calls.Record(t.Context(), third, call.Records{Number: 1, Incidents: []call.Incident{{Type: call.AgentRejoined, Cause: call.RoomLost, CreatedAt: time.Now().UTC()}}}); err != nil {
			t.Fatal(err)
		}
		if err := h.calls.Release(t.Context(), third); err != nil {
			t.Fatal(err)
		}
		h.takeOver("w4")
		want := []string{
			"worker_lost process_died", "taken_over process_died", "worker_lost lease_lapsed", "taken_over lease_lapsed",
			"agent_rejoined room_lost", "worker_lost given_back", "taken_over given_back",
		}
		moments, err := h.calls.Timeline(t.Context(), first.TenantID, first.CallID)
		if err != nil {
			t.Fatal(err)
		}
		var got, heard []string
		for _, m := range moments {
			if m.Incident != nil {
				got = append(got, string(m.Incident.Type)+" "+string(m.Incident.Cause))
			}
		}
		for _, i := range reported {
			heard = append(heard, string(i.Type)+" "+string(i.Cause))
			if i.CallID != first.CallID || i.TenantID != first.TenantID {
				t.Errorf("told of %+v", i)
			}
		}
		slices.Sort(got) // the session's clock may be another than the database's
		if !slices.Equal(got, slices.Sorted(slices.Values(want))) || !slices.Equal(heard, want) {
			t.Errorf("timeline %q, told %q, want %q", got, heard, want)
		}
		if second.Fence != first.Fence+1 {
			t.Errorf("fence %d after %d", second.Fence, first.Fence)
		}
	})
}
