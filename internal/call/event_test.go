package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/audio"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/event"
)

// Each event of a call carries all its data, and no event is left out.
func TestEventData(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		phoned, _, err := h.calls.Dispatch(ctx, call.Request{TenantID: acme, AgentName: "desk", CallType: call.SIP, PhoneNumber: new("+15551234567"), UserID: new("u7")})
		must(err)
		refused := h.claim("w1")
		_, err = h.calls.Finish(ctx, refused, call.NoTrunk)
		must(err)
		rung, _, err := h.calls.Dispatch(ctx, call.Request{TenantID: acme, AgentName: "desk", CallType: call.SIP, PhoneNumber: new("+15551234567"), UserID: new("u7")})
		must(err)
		busy := h.claim("w1")
		must(h.calls.MarkConnecting(ctx, busy))
		_, err = h.calls.FinishUnreached(ctx, busy, call.Busy, 486)
		must(err)
		talked := h.active()
		must(h.calls.Record(ctx, talked, call.Records{Handoffs: []call.Handoff{{Agent: "desk"}, {Agent: "booking", Previous: "desk"}}}))
		h.set(talked.CallID, "started_at = ?", time.Now().UTC().Add(-90*time.Second))
		_, err = h.calls.Finish(ctx, talked, call.CallerHangup)
		must(err)
		lost := h.active()
		_, err = h.calls.Finish(ctx, lost, call.ConnectionLost)
		must(err)
		silent := h.active()
		_, err = h.calls.Finish(ctx, silent, call.Silence)
		must(err)

		voip := func(id string, more map[string]any) map[string]any {
			data := map[string]any{"call_id": id, "workflow_slug": "support", "agent_name": nil, "user_id": nil, "call_type": "voip", "direction": "inbound", "phone_number": nil,
				"status_reason": nil, "metadata": map[string]any{"order": 7.0}, "started_at": nil, "ended_at": nil, "duration_seconds": 0.0}
			for k, v := range more {
				data[k] = v
			}
			return data
		}
		sip := map[string]any{"workflow_slug": nil, "agent_name": "desk", "user_id": "u7", "call_type": "sip", "direction": "outbound", "phone_number": "+15551234567", "metadata": nil}
		with := func(base map[string]any, more map[string]any) map[string]any {
			all := map[string]any{}
			for _, m := range []map[string]any{base, more} {
				for k, v := range m {
					all[k] = v
				}
			}
			return all
		}
		const at = "a time"
		want := map[string][]map[string]any{
			phoned.ID: {
				voip(phoned.ID, with(sip, map[string]any{"type": event.CallStarted, "status": "pending"})),
				voip(phoned.ID, with(sip, map[string]any{"type": event.CallFailed, "status": "failed", "status_reason": "no_trunk", "ended_at": at, "agent_history": []any{}})),
			},
			rung.ID: {
				voip(rung.ID, with(sip, map[string]any{"type": event.CallStarted, "status": "pending"})),
				voip(rung.ID, with(sip, map[string]any{"type": event.CallFailed, "status": "failed", "status_reason": "busy", "sip_status": 486.0, "ended_at": at, "agent_history": []any{}})),
			},
			talked.CallID: {
				voip(talked.CallID, map[string]any{"type": event.CallStarted, "status": "pending"}),
				voip(talked.CallID, map[string]any{"type": event.CallConnected, "status": "active", "started_at": at}),
				voip(talked.CallID, map[string]any{"type": event.CallAgentChanged, "status": "active", "started_at": at, "agent": "booking", "previous_agent": "desk"}),
				voip(talked.CallID, map[string]any{"type": event.CallCompleted, "status": "completed", "status_reason": "caller_hangup", "started_at": at, "ended_at": at, "duration_seconds": 90.0,
					"agent_history": []any{"desk", "booking"}}),
			},
			lost.CallID: {
				voip(lost.CallID, map[string]any{"type": event.CallStarted, "status": "pending"}),
				voip(lost.CallID, map[string]any{"type": event.CallConnected, "status": "active", "started_at": at}),
				voip(lost.CallID, map[string]any{"type": event.CallDisconnected, "status": "disconnected", "status_reason": "connection_lost", "started_at": at, "ended_at": at, "agent_history": []any{}}),
			},
			silent.CallID: {
				voip(silent.CallID, map[string]any{"type": event.CallStarted, "status": "pending"}),
				voip(silent.CallID, map[string]any{"type": event.CallConnected, "status": "active", "started_at": at}),
				voip(silent.CallID, map[string]any{"type": event.CallTimeout, "status": "timeout", "status_reason": "silence", "started_at": at, "ended_at": at, "agent_history": []any{}}),
			},
		}
		about := cmpopts.EquateApprox(0, 2) // seconds
		for id, want := range want {
			var events []event.Event
			must(h.db.Tenant(acme).Read(ctx, func(ctx context.Context, tx database.Tx) (err error) {
				events, err = event.OfCall(ctx, tx, id)
				return err
			}))
			var got []map[string]any
			for i, e := range events {
				data := map[string]any{}
				must(json.Unmarshal(e.Data, &data))
				if data["sequence"] != float64(i+1) {
					t.Errorf("%s: sequence %v, want %d", e.Type, data["sequence"], i+1)
				}
				delete(data, "sequence")
				if room, _ := data["room_name"].(string); room != h.get(id).RoomName {
					t.Errorf("%s: room %q", e.Type, room)
				}
				delete(data, "room_name")
				for _, moment := range []string{"started_at", "ended_at"} {
					if text, ok := data[moment].(string); ok {
						if when, err := time.Parse(time.RFC3339Nano, text); err == nil && time.Since(when) < 3*time.Minute {
							data[moment] = at
						}
					}
				}
				data["type"] = e.Type
				if e.Livemode != (id != phoned.ID && id != rung.ID) {
					t.Errorf("%s: livemode %v", e.Type, e.Livemode)
				}
				got = append(got, data)
			}
			if diff := cmp.Diff(want, got, about); diff != "" {
				t.Errorf("events of a call: %s", diff)
			}
		}
		moments, err := h.calls.Timeline(ctx, acme, rung.ID)
		must(err)
		if last := moments[len(moments)-1].Status; last.SIPStatus == nil || *last.SIPStatus != 486 || *last.Reason != call.Busy {
			t.Errorf("the timeline ends with %+v", last)
		}
	})
}

// A disabled webhook is an item of the error log, with its cause, at the call whose event was not delivered, and is counted.
func TestDisabledWebhookIsLogged(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		id := h.dispatch().ID
		report := func(tenantID, callID string) {
			t.Helper()
			if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				return call.ErrorLog{}.WebhookDisabled(ctx, tx, tenantID, callID, "the webhook was disabled", map[string]any{"failed_attempts": 100})
			}); err != nil {
				t.Fatal(err)
			}
		}
		report(acme, id)
		report(acme, "")
		report(other, id)
		report(acme, "0193a6f0-0000-7000-8000-00000000dead")
		var log []struct {
			CallID, Service, Level, Message string
			Details                         json.RawMessage
		}
		var counted int
		if err := h.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			if err := tx.NewRaw("SELECT call_id, service, level, message, details FROM call_errors").Scan(ctx, &log); err != nil {
				return err
			}
			return tx.NewRaw("SELECT sum(n) FROM error_counts WHERE tenant_id = ? AND service = 'webhook'", acme).Scan(ctx, &counted)
		}); err != nil {
			t.Fatal(err)
		}
		if len(log) != 1 || log[0].CallID != id || log[0].Service != "webhook" || log[0].Level != call.LevelError || counted != 1 || cmp.Diff(`{"failed_attempts":100}`, string(compact(t, log[0].Details))) != "" {
			t.Errorf("%d counted, log %+v", counted, log)
		}
	})
}

// Of a call whose deliveries fail the error log has one entry.
func TestFailedDeliveryIsLoggedOnce(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		first, second := h.dispatch().ID, h.dispatch().ID
		for _, id := range []string{first, first, second, "0193a6f0-0000-7000-8000-00000000dead"} {
			if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				return call.ErrorLog{}.DeliveryFailed(ctx, tx, acme, id, "a delivery failed", map[string]any{"attempts": 5})
			}); err != nil {
				t.Fatal(err)
			}
		}
		var calls []string
		if err := h.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT call_id FROM call_errors WHERE service = 'webhook' ORDER BY created_at, id").Scan(ctx, &calls)
		}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{first, second}, calls); diff != "" {
			t.Error(diff)
		}
	})
}

func compact(t *testing.T, text json.RawMessage) []byte {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	short, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return short
}

// The sequence of a call's events is the order of their commits, whichever worker or request writes them, also while
// several do at once.
func TestEventSequence(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease := h.active()
		elsewhere := h.dispatch() // its events count for themselves
		const writers, changes = 4, 5
		for _, worker := range []string{"w2", "w3"} { // each takes the call over in turn
			var writing sync.WaitGroup
			for w := range writers {
				writing.Go(func() {
					for i := range changes {
						name := fmt.Sprintf("%s-%d-%d", worker, w, i)
						if err := h.calls.Record(t.Context(), lease, call.Records{Handoffs: []call.Handoff{{Agent: name, Previous: "desk"}}}); err != nil {
							t.Error(err)
						}
					}
				})
			}
			writing.Wait()
			h.set(lease.CallID, "lease_until = ?", time.Now().UTC().Add(-time.Hour))
			lease = h.takeOver(worker)
		}
		ended, err := h.calls.Finish(t.Context(), lease, call.CallerHangup)
		if err != nil {
			t.Fatal(err)
		}
		bySequence := map[int]string{} // the agents in the order of the numbers
		last := 0
		for _, e := range h.dataOf(lease.CallID) {
			if e.Sequence < 1 || bySequence[e.Sequence] != "" {
				t.Fatalf("sequence %d of %s %s", e.Sequence, e.Status, e.Agent)
			}
			bySequence[e.Sequence] = e.Status
			if e.Agent != "" {
				bySequence[e.Sequence] = e.Agent
			}
			last = max(last, e.Sequence)
		}
		want := slices.Concat([]string{"pending", "active"}, ended.AgentHistory, []string{"completed"})
		for n, what := range want {
			if bySequence[n+1] != what {
				t.Fatalf("number %d is %s, want %s", n+1, bySequence[n+1], what)
			}
		}
		if last != len(want) {
			t.Errorf("numbers go up to %d, want %d", last, len(want))
		}
		if other := h.dataOf(elsewhere.ID); len(other) != 1 || other[0].Sequence != 1 {
			t.Errorf("another call's events: %+v", other)
		}
	})
}

// eventData is of the data of an event.
type eventData struct {
	Sequence      int
	Status, Agent string
	Quality       *audio.Quality
	PageID        string    `json:"page_id"`
	PageExpiresAt time.Time `json:"page_expires_at"`
}

func (h *fixture) dataOf(callID string) (all []eventData) {
	h.t.Helper()
	if err := h.db.Tenant(acme).Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		events, err := event.OfCall(ctx, tx, callID)
		for _, e := range events {
			var d eventData
			if err := json.Unmarshal(e.Data, &d); err != nil {
				return err
			}
			all = append(all, d)
		}
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
	return all
}
