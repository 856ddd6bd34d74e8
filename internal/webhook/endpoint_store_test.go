package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// create creates a webhook of acme for a receiver.
func (h *fixture) create(r *receiver, settings map[string]any) *Webhook {
	h.t.Helper()
	doc := map[string]any{"url": r.url + "/hook"}
	for k, v := range settings {
		doc[k] = v
	}
	text, err := json.Marshal(doc)
	if err != nil {
		h.t.Fatal(err)
	}
	w, err := h.settings.Store(acme, true).Create(context.Background(), text)
	if err != nil {
		h.t.Fatal(err)
	}
	r.secrets = func() []string { return []string{w.Secret} }
	return w
}

// appendOf inserts a call of acme that has been with agents, and appends an event of it.
func (h *fixture) appendOf(n int, workflow, agent *string, eventType string, agents ...string) {
	h.t.Helper()
	id := fmt.Sprintf("0193a6f0-0000-7000-8000-0000000001%02d", n)
	history, err := json.Marshal(append([]string{}, agents...))
	if err != nil {
		h.t.Fatal(err)
	}
	err = h.db.Tenant(acme).Write(context.Background(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO calls (id, tenant_id, room_name, workflow_slug, agent_name, agent_history, user_id, call_type, status, livemode, metrics, created_at, join_by, direction, duration_seconds, fence, end_asked)
			VALUES (?, ?, ?, ?, ?, ?, 'u', 'voip', 'active', ?, '{}', ?, ?, 'outbound', 0, 0, false) ON CONFLICT DO NOTHING`,
			id, acme, "room-"+id, workflow, agent, string(history), true, tx.Now(), tx.Now())
		if err != nil {
			return err
		}
		return h.events.Append(ctx, tx, event.Event{TenantID: acme, CallID: id, Type: eventType, Livemode: true, Data: json.RawMessage(`{}`)})
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// Each webhook receives what its own filter includes, signed with its own secret, and deliveries name it.
func TestSeveralWebhooks(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		all, failures, bookings, desk := h.newReceiver(), h.newReceiver(), h.newReceiver(), h.newReceiver()
		first := h.configure(acme, all, nil)
		made := map[string]*Webhook{
			"failures": h.create(failures, map[string]any{"filter": map[string]any{"events": []string{"call.failed"}}}),
			"bookings": h.create(bookings, map[string]any{"filter": map[string]any{"workflows": []string{"booking", "other"}}}),
			"desk":     h.create(desk, map[string]any{"filter": map[string]any{"agents": []string{"desk"}}}),
		}
		if !first.Primary || made["failures"].Primary || made["failures"].Secret == made["bookings"].Secret {
			t.Errorf("primary: %+v; further: %+v", first, made)
		}
		h.deliver()
		h.appendOf(1, new("booking"), nil, event.CallStarted)                          // all, bookings
		h.appendOf(2, new("book_ng"), nil, event.CallFailed, "desk", "nurse")          // all, failures, desk
		h.appendOf(3, nil, new("desk"), event.CallCompleted)                           // all, desk
		h.appendOf(4, new("other"), new("nurse"), event.CallFailed, "nurse", "doctor") // all, failures, bookings
		log := h.settled(acme)
		if len(log) != 10 {
			t.Fatalf("%d deliveries, want 10: %+v", len(log), log)
		}
		for name, c := range map[string]struct {
			r    *receiver
			id   string
			want []string
		}{
			"all":      {all, first.ID, []string{"call.started", "call.failed", "call.completed", "call.failed"}},
			"failures": {failures, made["failures"].ID, []string{"call.failed", "call.failed"}},
			"bookings": {bookings, made["bookings"].ID, []string{"call.started", "call.failed"}},
			"desk":     {desk, made["desk"].ID, []string{"call.failed", "call.completed"}},
		} {
			var types []string
			for _, got := range c.r.wait(len(c.want)) {
				types = append(types, got.json["type"].(string))
				if got.header.Get("X-Webhook-Id") != c.id {
					t.Errorf("%s: the delivery names %q, want %q", name, got.header.Get("X-Webhook-Id"), c.id)
				}
			}
			slices.Sort(types)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, types); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			page, total, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{WebhookID: c.id, Limit: 100})
			if err != nil || total != len(c.want) || len(page) != total || *page[0].WebhookID != c.id {
				t.Errorf("%s: %d of %d logged, %v", name, len(page), total, err)
			}
		}
	})
}

// A webhook whose endpoint fails leaves the tenant's others alone, and is the only one that is disabled.
func TestFailingWebhookBesideAnother(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		fine, broken := h.newReceiver(), h.newReceiver()
		answers := make(chan int, 10)
		broken.answer = status(answers)
		h.configure(acme, fine, nil)
		second := h.create(broken, map[string]any{"max_retries": 1})
		h.deliver()
		answers <- 500
		h.append(acme, event.CallCompleted, 1)
		h.settled(acme)
		fine.wait(1)
		var failures []int
		err := h.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT failures FROM webhooks WHERE tenant_id = ? ORDER BY ordinal", acme).Scan(ctx, &failures)
		})
		if diff := cmp.Diff([]int{0, 1}, failures); diff != "" || err != nil {
			t.Errorf("failures: %v (-want +got):\n%s", err, diff)
		}

		// What failed is replayed to the webhook that it failed for.
		answers <- 200
		replayed, err := h.queue.ReplayFailed(t.Context(), acme, ReplayQuery{Before: h.now().Add(time.Hour)}, true)
		if err != nil || replayed.Count != 1 {
			t.Fatalf("replayed %+v, %v", replayed, err)
		}
		broken.wait(2)
		h.settled(acme)
		if n := len(fine.wait(1)); n != 1 {
			t.Errorf("the other webhook received %d deliveries", n)
		}
		page, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{WebhookID: second.ID, Limit: 10})
		if err != nil || len(page) != 2 {
			t.Fatalf("%+v, %v", page, err)
		}
		answers <- 200
		if _, err := h.queue.Replay(t.Context(), acme, page[1].ID, true); err != nil {
			t.Fatal(err)
		}
		broken.wait(3)

		// Deleting it fails its deliveries alone.
		store := h.settings.Store(acme, true)
		if err := store.Delete(t.Context(), second.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Get(t.Context(), second.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("the deleted one: %v", err)
		}
		if _, err := h.queue.Replay(t.Context(), acme, page[1].ID, true); !fault.Is(err, fault.NotFound) {
			t.Errorf("a replay for the deleted one: %v", err)
		}
		h.append(acme, event.CallCompleted, 1)
		h.settled(acme)
		fine.wait(2)
	})
}

// The store changes any webhook of its tenant and no other's, and the limit holds.
func TestWebhookStore(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		first := h.create(h.newReceiver(), nil)
		if !first.Primary || !strings.HasPrefix(first.Secret, "whsec_") {
			t.Errorf("the first: %+v", first)
		}
		if w, err := h.settings.Get(ctx, acme); err != nil || w.ID != first.ID {
			t.Errorf("/api/v1/webhooks is %+v, %v", w, err)
		}
		second := h.create(h.newReceiver(), map[string]any{"headers": map[string]string{"X-Key": "k"}})
		store := h.settings.Store(acme, true)
		patched, err := store.Update(ctx, second.ID, []byte(`{"filter":{"workflows":["a","a","b"],"agents":["x"]}}`))
		if err != nil || !slices.Equal(patched.Filter.Workflows, []string{"a", "b"}) || !slices.Equal(patched.Filter.Agents, []string{"x"}) || patched.Headers["X-Key"] != "k" {
			t.Errorf("patched %+v, %v", patched, err)
		}
		if patched, err = store.Update(ctx, second.ID, []byte(`{"filter":{"workflows":null}}`)); err != nil || patched.Filter.Workflows != nil || patched.Filter.Agents == nil {
			t.Errorf("patched %+v, %v", patched, err)
		}
		for patch, want := range map[string]string{
			`{"filter":{"workflows":[]}}`:   "filter.workflows",
			`{"filter":{"workflows":[""]}}`: "filter.workflows[0]",
			`{"filter":{"agents":["a",7]}}`: "filter.agents[1]",
		} {
			if _, err := store.Update(ctx, second.ID, []byte(patch)); !fault.Is(err, fault.Validation) || !strings.Contains(err.Error(), want+": ") {
				t.Errorf("%s: %v", patch, err)
			}
		}
		if w, err := store.Disable(ctx, second.ID); err != nil || w.Enabled {
			t.Errorf("disabled: %+v, %v", w, err)
		}
		if w, err := store.Get(ctx, first.ID); err != nil || !w.Enabled {
			t.Errorf("the other: %+v, %v", w, err)
		}
		if w, err := store.Rotate(ctx, second.ID, time.Hour); err != nil || w.Secret == second.Secret || w.Secret == "" {
			t.Errorf("rotated: %+v, %v", w, err)
		}
		if page, total, err := store.List(ctx, 1, 1); err != nil || total != 2 || len(page) != 1 || page[0].ID != second.ID || page[0].Secret != "" {
			t.Errorf("the second page of %d: %+v, %v", total, page, err)
		}
		stranger := h.settings.Store(other, true)
		if _, err := stranger.Update(ctx, second.ID, []byte(`{}`)); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant's: %v", err)
		}
		if err := stranger.Delete(ctx, second.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant's: %v", err)
		}

		// The place of the primary one stays empty for the next.
		if err := store.Delete(ctx, first.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := h.settings.Get(ctx, acme); !fault.Is(err, fault.NotFound) {
			t.Errorf("/api/v1/webhooks without a primary one: %v", err)
		}
		if w := h.create(h.newReceiver(), nil); !w.Primary {
			t.Errorf("the next: %+v", w)
		}
		if _, err := tenant.Set(ctx, h.db, "acme", tenant.Change{Limits: map[tenant.Limit]*int64{tenant.Webhooks: new(int64(2))}}); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Create(ctx, []byte(`{"url":"https://example.com"}`)); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "limit webhooks") {
			t.Errorf("one too many: %v", err)
		}
	})
}
