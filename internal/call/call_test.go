package call_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/plan"
	"parley/internal/provider/catalogtest"
	"parley/internal/providerkey"
	"parley/internal/seal"
	"parley/internal/tool"
	"parley/internal/workflow"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"

	unknown  = "0193a6f0-0000-7000-8000-00000000000f" // no call
	newcomer = "0193a6f0-0000-7000-8000-00000000000e" // created later
)

// fixture is a call service over a fresh database with two tenants; acme has the
// agent desk and the workflow support.
type fixture struct {
	t     *testing.T
	db    *database.DB
	calls *call.Service
	bus   *event.Bus

	restart     func() // replaces calls by a new service, as in a process that starts
	restartWith func(call.Options)
}

// each runs f on both databases, in virtual time.
func each(t *testing.T, options call.Options, f func(t *testing.T, h *fixture)) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		sealer, err := seal.New(make([]byte, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		bus := event.NewBus()
		h := &fixture{t: t, db: db, bus: bus}
		h.restartWith = func(o call.Options) { h.calls = call.NewService(db, event.NewLog(bus), bus, sealer, o) }
		h.restart = func() { h.restartWith(options) }
		h.restart()
		agents := agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}.In(db.Tenant(acme))
		for _, name := range []string{"desk", "booking", "billing"} {
			_, _, err := agents.Create(t.Context(), agent.Draft{Name: name, Config: agent.Config{
				Prompt:   agent.Prompt{System: "You are " + name + "."},
				STT:      agent.STT{Provider: "offline", Model: "pocketsphinx"},
				TTS:      agent.TTS{Provider: "offline", VoiceID: "rms"},
				LLM:      agent.LLM{Provider: "offline", Model: "scripted"},
				Handoffs: map[string][]agent.Handoff{"desk": {{TargetAgent: "booking"}, {TargetAgent: "nobody"}}}[name],
				Tools:    map[string][]string{"booking": {"look_up", "book"}}[name],
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := (tool.Registry{Agents: agent.Directory{}}).In(db.Tenant(acme)).Create(t.Context(), tool.Draft{Name: "book", Config: &tool.Config{Actions: []tool.Action{
			{Type: tool.APICall, URL: "https://api.example.com/", OnSuccess: []tool.Action{{Type: tool.Handoff, TargetAgent: "billing"}}}}}}); err != nil {
			t.Fatal(err)
		}
		_, _, err = workflow.Registry{Agents: agent.Directory{}}.In(db.Tenant(acme)).Create(t.Context(), workflow.Draft{Slug: "support", Name: "Support",
			Config: workflow.Config{Nodes: []workflow.Node{{ID: "a", AgentName: "desk", IsEntry: true, IsExit: true}}, Connections: []workflow.Connection{}}})
		if err != nil {
			t.Fatal(err)
		}
		f(t, h)
	})
}

var defaults = call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour}

func (h *fixture) dispatch() *call.Call {
	h.t.Helper()
	c, _, err := h.calls.Dispatch(h.t.Context(), call.Request{TenantID: acme, WorkflowSlug: "support", CallType: call.VoIP, Livemode: true,
		UserContext: json.RawMessage(`{"name":"Ada"}`), Metadata: json.RawMessage(`{"order":7}`)})
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// active dispatches a call and advances it to active, claimed by a worker.
func (h *fixture) active() call.Lease {
	h.t.Helper()
	h.dispatch()
	lease := h.claim("w1")
	for _, step := range []func(context.Context, call.Lease) error{h.calls.MarkConnecting, h.calls.MarkActive} {
		if err := step(h.t.Context(), lease); err != nil {
			h.t.Fatal(err)
		}
	}
	return lease
}

func (h *fixture) claim(worker string) call.Lease {
	h.t.Helper()
	claimed, err := h.calls.Claim(h.t.Context(), worker, 1)
	if err != nil || len(claimed) != 1 {
		h.t.Fatalf("claimed %d calls, %v; want one", len(claimed), err)
	}
	return claimed[0].Lease()
}

func (h *fixture) takeOver(worker string) call.Lease {
	h.t.Helper()
	claimed, err := h.calls.TakeOver(h.t.Context(), worker, 1)
	if err != nil || len(claimed) != 1 {
		h.t.Fatalf("took over %d calls, %v; want one", len(claimed), err)
	}
	return claimed[0].Lease()
}

func (h *fixture) get(id string) *call.Call {
	h.t.Helper()
	c, err := h.calls.Get(h.t.Context(), acme, id)
	if err != nil {
		h.t.Fatal(err)
	}
	return c
}

// events lists the types of a call's events, in order.
func (h *fixture) events(id string) (types []string) {
	h.t.Helper()
	if err := h.db.Tenant(acme).Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT type FROM events WHERE tenant_id = ? AND call_id = ? ORDER BY id", acme, id).Scan(ctx, &types)
	}); err != nil {
		h.t.Fatal(err)
	}
	return types
}

// set changes a call's row behind the service's back.
func (h *fixture) set(id, assignment string, args ...any) {
	h.t.Helper()
	if err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE calls SET "+assignment+" WHERE id = ?", append(args, id)...)
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
}

func TestDispatchWritesCallAndEvent(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		woken, unsubscribe := h.bus.Subscribe(event.Pending, 1)
		defer unsubscribe()
		c := h.dispatch()
		select {
		case <-woken:
		default:
			t.Error("no worker was woken")
		}
		got := h.get(c.ID)
		if got.Status != call.Pending || *got.WorkflowSlug != "support" || got.Direction != call.Inbound || !got.Livemode || !got.StartedAt.IsZero() {
			t.Errorf("got %+v", got)
		}
		if events := h.events(c.ID); !slices.Equal(events, []string{event.CallStarted}) {
			t.Errorf("events %v", events)
		}
		user, err := h.calls.UserContext(got)
		if err != nil || user["name"] != "Ada" {
			t.Errorf("context %v, %v", user, err)
		}
		if string(got.UserContext) == `{"name":"Ada"}` {
			t.Error("the context is stored in the clear")
		}
		if _, err := h.calls.Get(t.Context(), other, c.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant got the call: %v", err)
		}
	})
}

func TestDispatchRefuses(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		if _, err := (agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}).In(h.db.Tenant(acme)).Deactivate(t.Context(), "desk"); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			name    string
			request call.Request
			code    fault.Code
		}{
			{"missing workflow", call.Request{TenantID: acme, WorkflowSlug: "none", CallType: call.VoIP}, fault.NotFound},
			{"another tenant's workflow", call.Request{TenantID: other, WorkflowSlug: "support", CallType: call.VoIP}, fault.NotFound},
			{"missing agent", call.Request{TenantID: acme, AgentName: "none", CallType: call.VoIP}, fault.NotFound},
			{"inactive agent", call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP}, fault.Conflict},
			{"workflow of an inactive agent", call.Request{TenantID: acme, WorkflowSlug: "support", CallType: call.VoIP}, fault.Conflict},
		} {
			if _, _, err := h.calls.Dispatch(t.Context(), test.request); !fault.Is(err, test.code) {
				t.Errorf("%s: got %v, want %s", test.name, err, test.code)
			}
		}
	})
}

func TestTestAgentReachesHandoffs(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		c, needs, err := h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP})
		if err != nil {
			t.Fatal(err)
		}
		var stored struct {
			Agents map[string]json.RawMessage
			Tools  map[string]tool.Definition
		}
		if err := json.Unmarshal(c.Plan, &stored); err != nil {
			t.Fatal(err)
		}
		if got := slices.Sorted(maps.Keys(stored.Agents)); !slices.Equal(got, []string{"billing", "booking", "desk"}) {
			t.Errorf("the plan knows the agents %q: desk, its handoff, and that of its handoff's tool are to be", got)
		}
		if len(stored.Tools) != 1 || !slices.Equal(stored.Tools["book"].Config.Targets(), []string{"billing"}) {
			t.Errorf("the plan knows the tools %+v, want book", stored.Tools)
		}
		if len(needs) != 3 {
			t.Errorf("needs %v, want one provider a kind", needs)
		}
		sealer, err := seal.New(make([]byte, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		keys := providerkey.Registry{Providers: catalogtest.Any{}, Sealer: sealer}.In(h.db.Tenant(acme))
		if _, err := keys.Create(t.Context(), providerkey.Draft{ProviderType: needs[0].Kind, ProviderName: needs[0].Candidates[0].Name, APIKey: "key"}); err != nil {
			t.Fatal(err)
		}
		_, with, err := h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP})
		if err != nil {
			t.Fatal(err)
		}
		for i, need := range with {
			if need.Candidates[0].OwnKey != (i == 0) || needs[i].Candidates[0].OwnKey {
				t.Errorf("before the key was kept: %v, after: %v", needs, with)
			}
		}
		if c.WorkflowID != nil || c.WorkflowSlug != nil {
			t.Error("a test call has a workflow")
		}
		var messages []string
		if err := h.db.Tenant(acme).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT service || ' ' || level || ' ' || agent || ': ' || message FROM call_errors WHERE call_id = ? ORDER BY id", c.ID).Scan(ctx, &messages)
		}); err != nil {
			t.Fatal(err)
		}
		if want := []string{
			"workflow warning desk: a handoff leads to the agent nobody, which does not exist or is not active; it is not offered",
			"tool warning booking: the tool look_up does not exist; it is not offered",
		}; !slices.Equal(messages, want) {
			t.Errorf("error log %q, want %q", messages, want)
		}

		read, absent, err := call.ReadPlan(t.Context(), h.db.Tenant(acme), "", "desk")
		dispatched, decoded := plan.Decode(c.Plan)
		if err != nil || decoded != nil || !reflect.DeepEqual(read, dispatched) || len(absent) != 2 || absent[1].Message != "the tool look_up does not exist; it is not offered" {
			t.Errorf("the plan as it is read: %+v, %+v, %v; as it was dispatched: %s", read, absent, err, c.Plan)
		}
		if _, _, err := call.ReadPlan(t.Context(), h.db.Tenant(other), "", "desk"); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant's agent: %v", err)
		}
	})
}

func TestLifeOfACall(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease := h.active()
		if err := h.calls.Record(t.Context(), lease, call.Records{
			Entries:  []call.TranscriptEntry{{Role: "assistant", Content: "Hello", CreatedAt: time.Now().UTC()}},
			Handoffs: []call.Handoff{{Agent: "desk"}, {Agent: "booking", Previous: "desk"}},
			Turns: []call.Turn{
				{AgentName: "desk", LLMMS: call.Milliseconds(100 * time.Millisecond), CreatedAt: time.Now().UTC()},
				{AgentName: "booking", LLMMS: call.Milliseconds(300 * time.Millisecond), TTSMS: call.Milliseconds(0), CreatedAt: time.Now().UTC()},
			},
		}); err != nil {
			t.Fatal(err)
		}
		h.set(lease.CallID, "started_at = ?", time.Now().UTC().Add(-90*time.Second))
		ended, err := h.calls.Finish(t.Context(), lease, call.AgentEnded)
		if err != nil {
			t.Fatal(err)
		}
		got := h.get(lease.CallID)
		if got.Status != call.Completed || *got.StatusReason != call.AgentEnded || got.DurationSeconds < 89 || got.DurationSeconds > 91 || ended.Status != got.Status {
			t.Errorf("got %s/%v after %d s", got.Status, *got.StatusReason, got.DurationSeconds)
		}
		if !slices.Equal(got.AgentHistory, []string{"desk", "booking"}) || got.CurrentAgent != nil || got.Metrics.AgentHandoffs != 1 || got.Metrics.LLM.Mean() != 200 {
			t.Errorf("got history %v, current %v, metrics %+v", got.AgentHistory, got.CurrentAgent, got.Metrics)
		}
		if kept, err := plan.Decode(ended.Plan); err != nil || len(kept.Agents) != 1 || kept.Agents["desk"].Prompt.System != "You are desk." || kept.Agents["desk"].LLM.Provider != "" || kept.Workflow != nil {
			t.Errorf("after the end the plan is %s, %v; want the prompt of desk alone", ended.Plan, err)
		}
		want := []string{event.CallStarted, event.CallConnected, event.CallAgentChanged, event.CallCompleted}
		if events := h.events(lease.CallID); !slices.Equal(events, want) {
			t.Errorf("events %v, want %v", events, want)
		}
		extras := call.EventExtras{Calls: h.calls}
		metrics, err := extras.Metrics(t.Context(), acme, lease.CallID)
		var numbers map[string]int
		if err != nil || json.Unmarshal(metrics, &numbers) != nil || numbers["agent_count"] != 2 || numbers["message_count"] != 1 {
			t.Errorf("metrics %s, %v", metrics, err)
		}
		transcript, err := extras.Transcript(t.Context(), acme, lease.CallID)
		if err != nil || string(transcript) != `[{"role":"assistant","content":"Hello"}]` {
			t.Errorf("transcript %s, %v", transcript, err)
		}
		given, err := extras.Context(t.Context(), acme, lease.CallID)
		if err != nil || string(given) != `{"name":"Ada"}` {
			t.Errorf("context %s, %v", given, err)
		}
	})
}

func TestTerminalStatesNeverChange(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease := h.active()
		if _, err := h.calls.Finish(t.Context(), lease, call.CallerHangup); err != nil {
			t.Fatal(err)
		}
		if _, err := h.calls.Finish(t.Context(), lease, call.Silence); !errors.Is(err, call.ErrFenced) {
			t.Errorf("a second end: %v", err)
		}
		if err := h.calls.Record(t.Context(), lease, call.Records{}); !errors.Is(err, call.ErrFenced) {
			t.Errorf("notes after the end: %v", err)
		}
		if got, err := h.calls.End(t.Context(), acme, lease.CallID); err != nil || got.Status != call.Completed {
			t.Errorf("end of an ended call: %v", err)
		}
		if events := h.events(lease.CallID); len(events) != 3 {
			t.Errorf("events %v, want one end", events)
		}
	})
}

func TestClaimsAreExclusive(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		const calls, workers = 20, 8
		for range calls {
			h.dispatch()
		}
		var mu sync.Mutex
		var wg sync.WaitGroup
		owners := map[string]string{}
		for w := range workers {
			wg.Go(func() {
				for {
					claimed, err := h.calls.Claim(t.Context(), string(rune('a'+w)), 1)
					if err != nil {
						t.Error(err)
						return
					}
					if len(claimed) == 0 {
						return
					}
					mu.Lock()
					if before, taken := owners[claimed[0].ID]; taken {
						t.Errorf("call claimed by %s and %c", before, 'a'+w)
					}
					owners[claimed[0].ID] = string(rune('a' + w))
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(owners) != calls {
			t.Errorf("%d calls claimed, want %d", len(owners), calls)
		}
	})
}

func TestLostLeaseIsFenced(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		h.dispatch()
		lost := h.claim("w1")
		h.set(lost.CallID, "lease_until = ?", time.Now().UTC().Add(-time.Second))
		if claimed, err := h.calls.Claim(t.Context(), "w2", 5); err != nil || len(claimed) != 0 {
			t.Fatalf("claimed %d calls that do not wait, %v", len(claimed), err)
		}
		if err := call.ReapOnce(h.calls, t.Context()); err != nil {
			t.Fatal(err)
		}
		held := h.claim("w2")
		if held.Fence <= lost.Fence {
			t.Fatalf("fence %d after %d", held.Fence, lost.Fence)
		}
		if err := h.calls.MarkConnecting(t.Context(), lost); !errors.Is(err, call.ErrFenced) {
			t.Errorf("the worker that lost the call wrote: %v", err)
		}
		if renewed, err := h.calls.Renew(t.Context(), "w1", []string{lost.CallID}); err != nil || len(renewed) != 0 {
			t.Errorf("the worker that lost the call renewed %v, %v", renewed, err)
		}
		if renewed, err := h.calls.Renew(t.Context(), "w2", []string{held.CallID}); err != nil || len(renewed) != 1 {
			t.Errorf("the worker that has the call renewed %v, %v", renewed, err)
		}
		if renewed, err := h.calls.Renew(t.Context(), "w2", []string{unknown}); err != nil || len(renewed) != 0 {
			t.Errorf("a call that the worker does not know that it has is renewed: %v, %v", renewed, err)
		}
		if err := h.calls.Release(t.Context(), held); err != nil {
			t.Fatal(err)
		}
		h.claim("w3")
	})
}

// A started call is taken over by another worker unchanged; without one, the reaper ends it.
func TestBegunCallIsClaimedAgain(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lost := h.active()
		if claimed, err := h.calls.TakeOver(t.Context(), "w2", 5); err != nil || len(claimed) != 0 {
			t.Fatalf("took over %d calls that are held, %v", len(claimed), err)
		}
		h.set(lost.CallID, "lease_until = ?", time.Now().UTC().Add(-time.Second))
		h.dispatch()
		claimed, err := h.calls.TakeOver(t.Context(), "w2", 5)
		if err != nil || len(claimed) != 1 || claimed[0].ID != lost.CallID || claimed[0].Status != call.Active {
			t.Fatalf("took over %+v, %v", claimed, err)
		}
		if err := h.calls.Record(t.Context(), lost, call.Records{}); !errors.Is(err, call.ErrFenced) {
			t.Errorf("the worker that lost the call wrote: %v", err)
		}
		part, err := h.calls.StartRecording(t.Context(), claimed[0].Lease())
		if again, err2 := h.calls.StartRecording(t.Context(), claimed[0].Lease()); err != nil || err2 != nil || part != 1 || again != 2 {
			t.Errorf("parts of the recording %d and %d, %v, %v", part, again, err, err2)
		}
		// A transition that is repeated because its response was lost changes nothing.
		if err := h.calls.MarkActive(t.Context(), claimed[0].Lease()); err != nil {
			t.Error(err)
		}
		// A worker that drains gives it to the next one.
		if err := h.calls.Release(t.Context(), claimed[0].Lease()); err != nil {
			t.Fatal(err)
		}
		if next := h.takeOver("w3"); next.CallID != lost.CallID {
			t.Errorf("took over %+v", next)
		}
		if events := h.events(lost.CallID); !slices.Equal(events, []string{event.CallStarted, event.CallConnected}) {
			t.Errorf("events %q", events)
		}
	})
}

func TestEnd(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		pending := h.dispatch()
		got, err := h.calls.End(t.Context(), acme, pending.ID)
		if err != nil || got.Status != call.Failed || *got.StatusReason != call.EndedByAPI {
			t.Errorf("end of a pending call: %+v, %v", got, err)
		}
		// The worker of an active call is asked, and ends it.
		lease := h.active()
		asked, unsubscribe := h.bus.Subscribe(event.Ending, 1)
		defer unsubscribe()
		finished := make(chan error, 1)
		go func() {
			<-asked
			_, err := h.calls.Finish(context.Background(), lease, call.EndedByAPI)
			finished <- err
		}()
		got, err = h.calls.End(t.Context(), acme, lease.CallID)
		if err != nil || got.Status != call.Completed || *got.StatusReason != call.EndedByAPI {
			t.Errorf("end of an active call: %+v, %v", got, err)
		}
		if err := <-finished; err != nil {
			t.Error(err)
		}
		// One whose worker does not respond ends, too.
		lease = h.active()
		got, err = h.calls.End(t.Context(), acme, lease.CallID)
		if err != nil || got.Status != call.Completed {
			t.Errorf("end of a call whose worker does not respond: %+v, %v", got, err)
		}
		if _, err := h.calls.End(t.Context(), other, lease.CallID); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant's end: %v", err)
		}
	})
}

// asked counts the calls of a context's Done: a waiting goroutine makes one, and a database one for each step.
type asked struct {
	context.Context
	times atomic.Int64
}

func (a *asked) Done() <-chan struct{} {
	a.times.Add(1)
	return a.Context.Done()
}

// Whoever waits for the end of a call does not look at the database for the changes of other tenants, of which there may be
// hundreds a second.
func TestEndIsNotWokenByOthers(t *testing.T) {
	const changes = 100
	each(t, defaults, func(t *testing.T, h *fixture) {
		end := func(others int) int64 {
			lease := h.active()
			asking, unsubscribe := h.bus.Subscribe(event.Ending, 1)
			defer unsubscribe()
			finished := make(chan error, 1)
			go func() {
				<-asking
				for range others {
					h.bus.Publish(event.Calls, other)
					time.Sleep(2 * time.Millisecond)
				}
				_, err := h.calls.Finish(context.Background(), lease, call.EndedByAPI)
				finished <- err
			}()
			ctx := &asked{Context: h.t.Context()}
			if got, err := h.calls.End(ctx, acme, lease.CallID); err != nil || got.Status != call.Completed {
				h.t.Errorf("%+v, %v", got, err)
			}
			if err := <-finished; err != nil {
				h.t.Error(err)
			}
			return ctx.times.Load()
		}
		alone, among := end(0), end(changes)
		h.t.Logf("asked %d times, and %d times among the changes of others", alone, among)
		if among > alone+6*changes {
			h.t.Errorf("asked %d times for %d changes of others", among-alone, changes)
		}
	})
}

// noRooms remembers which rooms were deleted.
type noRooms struct {
	mu      sync.Mutex
	deleted []string
}

func (r *noRooms) Delete(_ context.Context, name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deleted = append(r.deleted, name)
	return nil
}

func (r *noRooms) gone(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.deleted, name)
}

func (r *noRooms) List(context.Context) ([]call.Room, error)    { return nil, nil }
func (r *noRooms) Caller(context.Context, string) (bool, error) { return false, nil }
func (r *noRooms) Own() bool                                    { return true }

func TestReaper(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		past := time.Now().UTC().Add(-time.Minute)
		claimed := func() string { h.dispatch(); return h.claim("w1").CallID }
		active := func() string { return h.active().CallID }
		tests := []*struct {
			name    string
			make    func() string
			changes []string
			arg     any
			status  call.Status
			reason  call.Reason
			id      string
		}{
			{name: "never joined", make: claimed, changes: []string{"join_by"}, arg: past, status: call.Timeout, reason: call.JoinTimeout},
			{name: "worker lost, and nobody came", make: claimed, changes: []string{"join_by", "lease_until"}, arg: past, status: call.Timeout, reason: call.JoinTimeout},
			{name: "worker lost, and the caller waits", make: claimed, changes: []string{"join_by", "lease_until", "arrived_at"}, arg: past, status: call.Failed, reason: call.NoWorker},
			{name: "the worker did not get into the room to dial", make: func() string {
				if _, _, err := h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.SIP, PhoneNumber: new("+15551234567")}); err != nil {
					t.Fatal(err)
				}
				return h.claim("w1").CallID
			}, changes: []string{"join_by"}, arg: past, status: call.Failed, reason: call.ConnectionLost},
			{name: "worker lost while active", make: active, changes: []string{"lease_until"}, arg: past, status: call.Disconnected, reason: call.WorkerLost},
			{name: "worker lost while connecting", make: func() string {
				h.dispatch()
				l := h.claim("w1")
				if err := h.calls.MarkConnecting(t.Context(), l); err != nil {
					t.Fatal(err)
				}
				return l.CallID
			}, changes: []string{"lease_until"}, arg: past, status: call.Failed, reason: call.WorkerLost},
			{name: "over-long", make: active, changes: []string{"started_at"}, arg: time.Now().UTC().Add(-2 * time.Hour), status: call.Timeout, reason: call.MaxDuration},
			{name: "left alone", make: active, changes: []string{"metadata"}, arg: `{}`, status: call.Active},
			{name: "never claimed", make: func() string { return h.dispatch().ID }, changes: []string{"join_by"}, arg: past, status: call.Failed, reason: call.NoWorker},
		}
		for _, test := range tests {
			test.id = test.make()
			for _, column := range test.changes {
				h.set(test.id, column+" = ?", test.arg)
			}
		}
		rooms := &noRooms{}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			h.calls.Reap(ctx, rooms, slog.New(slog.DiscardHandler))
		}()
		deadline := time.Now().Add(30 * time.Second)
		for _, test := range tests {
			got := h.get(test.id)
			for test.status.Terminal() && !(got.Status.Terminal() && rooms.gone(got.RoomName)) && time.Now().Before(deadline) {
				time.Sleep(20 * time.Millisecond)
				got = h.get(test.id)
			}
			var reason call.Reason
			if got.StatusReason != nil {
				reason = *got.StatusReason
			}
			if got.Status != test.status || reason != test.reason {
				t.Errorf("%s: got %s/%s, want %s/%s", test.name, got.Status, reason, test.status, test.reason)
			}
			items, want := 0, 0
			if err := h.db.Tenant(acme).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
				return tx.NewRaw("SELECT count(*) FROM call_errors WHERE call_id = ? AND level = 'error' AND message <> ''", test.id).Scan(ctx, &items)
			}); err != nil {
				t.Fatal(err)
			}
			if reason == call.NoWorker || reason == call.WorkerLost || reason == call.ConnectionLost {
				want = 1
			}
			if items != want {
				t.Errorf("%s: %d items in the error log, want %d", test.name, items, want)
			}
			if rooms.gone(got.RoomName) != test.status.Terminal() {
				t.Errorf("%s: the room is gone: %t", test.name, rooms.gone(got.RoomName))
			}
		}
		cancel()
		<-done
	})
}

// A conversation's context is stored encrypted, can be read by the worker that takes the call over, and is deleted when the
// call ends.
func TestContextIsKept(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease := h.active()
		for _, n := range []call.Records{{Snapshot: json.RawMessage(`{"old":1}`)}, {Snapshot: json.RawMessage(`{"secret":"4711"}`)}, {Handoffs: []call.Handoff{{Agent: "desk"}}}} {
			if err := h.calls.Record(t.Context(), lease, n); err != nil {
				t.Fatal(err)
			}
		}
		c := h.get(lease.CallID)
		kept, err := h.calls.ConversationSnapshot(c)
		if err != nil || string(kept) != `{"secret":"4711"}` || bytes.Contains(c.Snapshot, []byte("4711")) {
			t.Errorf("kept %s, %v; stored as %q", kept, err, c.Snapshot)
		}
		c.ID = "0193a6f0-0000-7000-8000-00000000000f"
		if _, err := h.calls.ConversationSnapshot(c); !errors.Is(err, seal.ErrOpen) {
			t.Errorf("it opens for another call: %v", err)
		}
		ended, err := h.calls.Finish(t.Context(), lease, call.AgentEnded)
		if err != nil {
			t.Fatal(err)
		}
		if again := h.get(lease.CallID); again.Snapshot != nil || ended.Snapshot != nil {
			t.Error("it outlives the call")
		}
		if kept, err := h.calls.ConversationSnapshot(ended); kept != nil || err != nil {
			t.Errorf("kept %s, %v of a call that is over", kept, err)
		}
	})
}
