package call_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/plan"
	"parley/internal/provider/catalogtest"
	"parley/internal/tenant"
	"parley/internal/workflow"
)

// read returns the first row of a query.
func read[T any](h *fixture, query string, args ...any) (value T) {
	h.t.Helper()
	if err := h.db.System().Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw(query, args...).Scan(ctx, &value)
	}); err != nil {
		h.t.Fatal(err)
	}
	return value
}

// plans is how many plans are stored.
func (h *fixture) plans() int {
	h.t.Helper()
	return read[int](h, "SELECT COUNT(*) FROM call_plans")
}

// copyBilling creates the agent billing of another tenant with the configuration of acme's.
func (h *fixture) copyBilling(tenantID string) {
	h.t.Helper()
	registry := agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}
	original, err := registry.In(h.db.Tenant(acme)).Get(h.t.Context(), "billing")
	if err != nil {
		h.t.Fatal(err)
	}
	if _, _, err := registry.In(h.db.Tenant(tenantID)).Create(h.t.Context(), agent.Draft{Name: "billing", Config: original.Config}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) dispatchAgent(tenantID, name string) *call.Call {
	h.t.Helper()
	c, _, err := h.calls.Dispatch(h.t.Context(), call.Request{TenantID: tenantID, AgentName: name, CallType: call.VoIP})
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// Calls with the same configuration share one plan, within their tenant. It is there for whoever claims them, and deleted with the
// last call that needs it.
func TestPlansAreStoredOnce(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		for range 5 {
			h.dispatchAgent(acme, "billing")
		}
		if n := h.plans(); n != 1 {
			t.Errorf("five calls with one configuration have %d plans", n)
		}
		h.copyBilling(other)
		h.dispatchAgent(other, "billing")
		h.dispatch() // of a workflow
		if n := h.plans(); n != 3 {
			t.Errorf("%d plans, want 3: another tenant's is its own", n)
		}
		claimed, err := h.calls.Claim(ctx, "w1", 10)
		if err != nil || len(claimed) != 7 {
			t.Fatalf("claimed %d calls, %v", len(claimed), err)
		}
		for _, c := range claimed {
			if p, err := plan.Decode(c.Plan); err != nil || len(p.Agents) == 0 {
				t.Errorf("the plan of a claimed call: %s, %v", c.Plan, err)
			}
			if err := h.calls.MarkConnecting(ctx, c.Lease()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(call.LeaseDuration + time.Second)
		taken, err := h.calls.TakeOver(ctx, "w2", 10)
		if err != nil || len(taken) != 7 || taken[0].Plan == nil {
			t.Fatalf("took over %d calls, %v", len(taken), err)
		}
		var ended []string
		for i, c := range taken {
			if i < 2 { // an agent has held them, so that its prompt is kept
				if err := h.calls.Record(ctx, c.Lease(), call.Records{Handoffs: []call.Handoff{{Agent: "billing"}}}); err != nil {
					t.Fatal(err)
				}
				ended = append(ended, c.ID)
			}
			if _, err := h.calls.Finish(ctx, c.Lease(), call.ProviderError); err != nil {
				t.Fatal(err)
			}
		}
		if err := call.DeleteUnused(h.calls, ctx); err != nil {
			t.Fatal(err)
		}
		if n := h.plans(); n != 1 {
			t.Errorf("%d plans are left, want the prompts of two calls alone", n)
		}
		for _, id := range ended {
			agents, _, err := h.calls.Prompts(ctx, acme, id)
			if err != nil || len(agents) != 1 || agents[0].System != "You are billing." {
				t.Errorf("prompts %v, %v", agents, err)
			}
		}
		for i, id := range ended {
			if err := h.db.Tenant(acme).Write(ctx, func(ctx context.Context, tx database.Tx) error {
				return call.Purge(ctx, tx, []string{id}, []string{id})
			}); err != nil {
				t.Fatal(err)
			}
			if n := h.plans(); n != 1-i {
				t.Errorf("%d plans after %d of 2 purges", n, i+1)
			}
		}
	})
}

// A plan is not deleted under a call that is being dispatched with it.
func TestPlanInUseIsNotDeleted(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		for range 20 {
			var both sync.WaitGroup
			both.Go(func() { h.dispatchAgent(acme, "billing") })
			both.Go(func() {
				if err := call.DeleteUnused(h.calls, t.Context()); err != nil {
					t.Error(err)
				}
			})
			both.Wait()
			claimed, err := h.calls.Claim(t.Context(), "w1", 1)
			if err != nil || len(claimed) != 1 || claimed[0].Plan == nil {
				t.Fatalf("claimed %v, %v", claimed, err)
			}
			if _, err := h.calls.Finish(t.Context(), claimed[0].Lease(), call.NoWorker); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Nodes of the version before keep plans in the calls' rows. Each finds the plans of the other's calls, and nothing of a plan
// outlives the purge by such a node.
func TestPlansOfTheVersionBefore(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		const inline = "UPDATE calls SET plan = (SELECT %s FROM call_plans p WHERE p.hash = calls.plan_hash), plan_hash = NULL WHERE id = ?"
		content := "content"
		if h.db.Postgres() {
			content = "content::jsonb"
		}
		exec := func(query string, args ...any) {
			t.Helper()
			if err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
				_, err := tx.ExecContext(ctx, query, args...)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		theirs := h.dispatchAgent(acme, "billing")
		exec(strings.Replace(inline, "%s", content, 1), theirs.ID)
		claimed, err := h.calls.Claim(ctx, "w1", 1)
		if err != nil || len(claimed) != 1 || claimed[0].Plan == nil {
			t.Fatalf("claimed %v, %v", claimed, err)
		}
		if err := h.calls.Record(ctx, claimed[0].Lease(), call.Records{Handoffs: []call.Handoff{{Agent: "billing"}}}); err != nil {
			t.Fatal(err)
		}
		if agents, _, err := h.calls.Prompts(ctx, acme, theirs.ID); err != nil || len(agents) != 1 {
			t.Errorf("prompts %v, %v", agents, err)
		}
		if !h.db.Postgres() {
			return // one node alone uses a file
		}
		ours := h.dispatchAgent(acme, "billing")
		exec("UPDATE calls SET claimed_by = 'older', fence = fence + 1 WHERE id = ?", ours.ID)
		var given plan.Plan
		if err := json.Unmarshal([]byte(read[string](h, "SELECT plan FROM calls WHERE id = ?", ours.ID)), &given); err != nil || given.Agent != "billing" {
			t.Errorf("an older node that claims a call has the plan %+v, %v", given, err)
		}
		if n := read[int](h, "SELECT COUNT(*) FROM calls WHERE plan IS NOT NULL AND id = ?", h.claimNext().ID); n != 0 {
			t.Error("the plan of a call that this version claims is copied")
		}
		exec("UPDATE calls SET plan = NULL, ended_at = now(), status = 'failed', purged_at = now() WHERE id = ?", ours.ID)
		if n := read[int](h, "SELECT COUNT(*) FROM calls WHERE plan_hash IS NOT NULL AND id = ?", ours.ID); n != 0 {
			t.Error("a purged call refers to its plan")
		}
	})
}

// claimNext dispatches a call and claims it.
func (h *fixture) claimNext() *call.Call {
	h.t.Helper()
	h.dispatchAgent(acme, "billing")
	claimed, err := h.calls.Claim(h.t.Context(), "w1", 1)
	if err != nil || len(claimed) != 1 {
		h.t.Fatalf("claimed %v, %v", claimed, err)
	}
	return claimed[0]
}

// fixedLimits are the limits of every tenant.
type fixedLimits tenant.Limits

func (l fixedLimits) ForTenant(context.Context, string) (tenant.Limits, error) {
	return tenant.Limits(l), nil
}

// What calls store is counted, over restarts too. Above the limit a dispatch is a conflict that names it, until a purge.
func TestStoredBytes(t *testing.T) {
	options := defaults
	options.Limits = fixedLimits{tenant.StoredBytes: 200_000}
	each(t, options, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		stored := func() int64 {
			t.Helper()
			if err := call.WriteStored(h.calls, ctx); err != nil {
				t.Fatal(err)
			}
			return read[int64](h, "SELECT COALESCE(SUM(bytes), 0) FROM tenant_storage WHERE tenant_id = ?", acme)
		}
		large := call.Request{TenantID: acme, AgentName: "billing", CallType: call.VoIP, UserContext: json.RawMessage(`{"text":"` + strings.Repeat("x", 60_000) + `"}`)}
		var ids []string
		dispatch := func() error {
			c, _, err := h.calls.Dispatch(ctx, large)
			if err == nil {
				ids = append(ids, c.ID)
			}
			return err
		}
		for range 3 {
			if err := dispatch(); err != nil {
				t.Fatal(err)
			}
		}
		if n := stored(); n < 180_000 || n > 190_000 {
			t.Errorf("three contexts of 60 kB are %d bytes", n)
		}
		h.restart()
		if err := dispatch(); err != nil {
			t.Fatal(err)
		}
		if err := dispatch(); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "limit stored_bytes") {
			t.Errorf("above the limit: %v", err)
		}
		if _, _, err := h.once(h.calls, acme, "k", "a"); !fault.Is(err, fault.Conflict) {
			t.Errorf("above the limit, with a key: %v", err)
		}
		if _, _, err := h.once(h.calls, other, "k", "a"); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant: %v", err)
		}
		before := stored()
		claimed, err := h.calls.Claim(ctx, "w1", 10)
		if err != nil || len(claimed) != 4 {
			t.Fatalf("claimed %d calls, %v", len(claimed), err)
		}
		if err := h.calls.Record(ctx, claimed[0].Lease(), call.Records{Snapshot: json.RawMessage(`{}`),
			Entries: []call.TranscriptEntry{{Role: "user", Content: strings.Repeat("x", 5000), CreatedAt: time.Now().UTC()}}}); err != nil {
			t.Fatal(err)
		}
		if added := stored() - before; added < 5000 || added > 6000 {
			t.Errorf("an entry of 5 kB and a snapshot are %d bytes", added)
		}
		for _, c := range claimed {
			if _, err := h.calls.Finish(ctx, c.Lease(), call.ProviderError); err != nil {
				t.Fatal(err)
			}
		}
		stored()
		if err := h.db.Tenant(acme).Write(ctx, func(ctx context.Context, tx database.Tx) error { return call.Purge(ctx, tx, ids, ids) }); err != nil {
			t.Fatal(err)
		}
		if err := call.DeleteUnused(h.calls, ctx); err != nil {
			t.Fatal(err)
		}
		if n := stored(); n != 0 {
			t.Errorf("%d bytes are left after the purge of all calls", n)
		}
		if err := dispatch(); err != nil {
			t.Errorf("after the purge: %v", err)
		}
	})
}
