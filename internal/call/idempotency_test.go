package call_test

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/seal"
)

// once asks for a call with a key.
func (h *fixture) once(calls *call.Service, tenantID, key, request string) (answer string, c *call.Call, err error) {
	kept, c, err := calls.DispatchIdempotent(h.t.Context(), call.Request{TenantID: tenantID, WorkflowSlug: "support", CallType: call.VoIP, Livemode: true},
		call.Idempotency{Key: key, Request: []byte(request)}, func(c *call.Call, _ call.RequiredProviders) ([]byte, error) { return []byte("token of " + c.ID), nil })
	return string(kept), c, err
}

func (h *fixture) total(tenantID string) int64 {
	h.t.Helper()
	_, total, err := h.calls.List(h.t.Context(), tenantID, call.Filter{}, 1, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	return total
}

func TestKeyStartsOneCall(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		first, c, err := h.once(h.calls, acme, "k", "a")
		if err != nil || c == nil || first != "token of "+c.ID {
			t.Fatalf("first: %q, %v, %v", first, c, err)
		}
		again, c, err := h.once(h.calls, acme, "k", "a")
		if err != nil || c != nil || again != first {
			t.Errorf("again: %q, %v, %v; want %q", again, c, err, first)
		}
		if _, _, err := h.once(h.calls, acme, "k", "b"); !fault.Is(err, fault.Validation) {
			t.Errorf("the key with another request: %v", err)
		}
		if _, c, err := h.once(h.calls, acme, "l", "a"); err != nil || c == nil {
			t.Errorf("another key: %v, %v", c, err)
		}
		if total := h.total(acme); total != 2 {
			t.Errorf("%d calls, want 2", total)
		}
		// Another tenant's key is its own: its dispatch fails for want of the
		// workflow, and leaves the key free.
		for range 2 {
			if _, _, err := h.once(h.calls, other, "k", "a"); !fault.Is(err, fault.NotFound) {
				t.Errorf("another tenant: %v", err)
			}
		}
		var stored []byte
		if err := h.db.Tenant(acme).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT answer FROM idempotency_keys WHERE key = 'k'").Scan(ctx, &stored)
		}); err != nil || len(stored) == 0 || bytes.Contains(stored, []byte("token")) {
			t.Errorf("stored %q, %v; want it sealed", stored, err)
		}
	})
}

func TestKeyIsForgottenAfterADay(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		age := func(key string, by time.Duration) {
			if err := h.db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE idempotency_keys SET created_at = ? WHERE key = ?", tx.Now().Add(-by), key)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		for _, key := range []string{"old", "young"} {
			if _, _, err := h.once(h.calls, acme, key, "a"); err != nil {
				t.Fatal(err)
			}
		}
		age("old", 24*time.Hour+time.Second)
		age("young", 24*time.Hour-time.Minute)
		second, c, err := h.once(h.calls, acme, "old", "b")
		if err != nil || c == nil {
			t.Errorf("a key of yesterday: %v, %v", c, err)
		}
		if again, c, err := h.once(h.calls, acme, "old", "b"); err != nil || c != nil || again != second {
			t.Errorf("its second answer: %q, %v, %v", again, c, err)
		}
		if _, c, err := h.once(h.calls, acme, "young", "a"); err != nil || c != nil {
			t.Errorf("a key of less than a day: %v, %v", c, err)
		}
		age("old", 25*time.Hour)
		if err := call.ForgetAnswers(h.calls, t.Context()); err != nil {
			t.Fatal(err)
		}
		var keys []string
		if err := h.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT key FROM idempotency_keys").Scan(ctx, &keys)
		}); err != nil || len(keys) != 1 || keys[0] != "young" {
			t.Errorf("kept %v, %v; want the young one", keys, err)
		}
	})
}

// Two services over one database are two processes: between them the database
// alone decides.
func TestKeyUnderConcurrentRequests(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		sealer, err := seal.New(make([]byte, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		bus := event.NewBus()
		nodes := []*call.Service{h.calls, call.NewService(h.db, event.NewLog(bus), bus, sealer, defaults)}
		for _, key := range []string{"k1", "k2", "k3", "k4"} {
			var mu sync.Mutex
			var wg sync.WaitGroup
			answers, started := map[string]bool{}, 0
			for i := range 12 {
				wg.Go(func() {
					answer, c, err := h.once(nodes[i%2], acme, key, "a")
					mu.Lock()
					defer mu.Unlock()
					switch {
					case fault.Is(err, fault.Conflict):
					case err != nil:
						t.Error(err)
					default:
						answers[answer] = true
						if c != nil {
							started++
						}
					}
				})
			}
			wg.Wait()
			if started != 1 || len(answers) != 1 {
				t.Errorf("%d calls, %d answers; want one", started, len(answers))
			}
		}
		if total := h.total(acme); total != 4 {
			t.Errorf("%d calls, want 4", total)
		}
	})
}

func TestKeyInProgress(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		broken := errors.New("no token today")
		_, _, err := h.calls.DispatchIdempotent(t.Context(), call.Request{TenantID: acme, WorkflowSlug: "support", CallType: call.VoIP},
			call.Idempotency{Key: "k", Request: []byte("a")}, func(*call.Call, call.RequiredProviders) ([]byte, error) {
				if _, _, err := h.once(h.calls, acme, "k", "a"); !fault.Is(err, fault.Conflict) {
					t.Errorf("while the first is under way: %v, want a conflict", err)
				}
				return nil, broken
			})
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if total := h.total(acme); total != 0 {
			t.Errorf("%d calls after a failure", total)
		}
		if _, c, err := h.once(h.calls, acme, "k", "a"); err != nil || c == nil {
			t.Errorf("the key after a failure: %v, %v", c, err)
		}
	})
}
