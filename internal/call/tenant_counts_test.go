package call

import (
	"testing"
	"time"

	"parley/internal/tenant"
)

// A call that is dispatched while the tenant's calls are counted stays counted, although the count does not contain it.
func TestDispatchWhileCounting(t *testing.T) {
	limits := tenant.Limits{tenant.ActiveCalls: 1}
	dispatch := func(t *testing.T, counts *tenantCounts) {
		t.Helper()
		leave, err := counts.beginDispatch("acme", limits)
		if err != nil {
			t.Fatal(err)
		}
		counts.add("acme")
		leave()
	}
	expectFull := func(t *testing.T, counts *tenantCounts) {
		t.Helper()
		if _, err := counts.beginDispatch("acme", limits); err == nil {
			t.Errorf("admitted above the limit: %+v", counts.get("acme"))
		}
	}
	t.Run("for a dispatch", func(t *testing.T) {
		var counts tenantCounts
		counted, before, due := counts.startRecount("acme", time.Now())
		if !due {
			t.Fatal("not due")
		}
		dispatch(t, &counts)
		counts.endRecount("acme", counted, before)
		expectFull(t, &counts)
	})
	t.Run("by the reaper", func(t *testing.T) {
		var counts tenantCounts
		before := counts.dispatchedByAll()
		dispatch(t, &counts)
		counts.reset(map[string]tenantLoad{}, before)
		expectFull(t, &counts)
		counts.reset(map[string]tenantLoad{}, counts.dispatchedByAll()) // the call has ended
		dispatch(t, &counts)
	})
}
