package worker

import (
	"context"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/media"
	"parley/internal/provider/catalogtest"
	"parley/internal/seal"
	"parley/internal/voice"
	"parley/internal/workflow"
)

const other = "0193a6f0-0000-7000-8000-000000000002"

// stillRooms is a media server that lets nobody in: calls stay as they were claimed.
type stillRooms struct{ noRooms }

func (stillRooms) Create(ctx context.Context, _ string, _ media.RoomOptions) error {
	<-ctx.Done()
	return ctx.Err()
}

// One tenant's calls that nobody has joined fill a worker, and many more wait. The caller of another tenant is served
// immediately, as are one of the same tenant and one whose worker disappeared. Released calls return to the queue with their
// deadline.
func TestCallsAreReleasedForCallersWhoArePresent(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		sealer, err := seal.New(make([]byte, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		bus := event.NewBus()
		calls := call.NewService(db, event.NewLog(bus), bus, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour})
		for i, tenant := range []string{acme, other} {
			databasetest.Tenant(t, db, tenant, "tenant-"+strconv.Itoa(i))
			if _, _, err := (agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}).In(db.Tenant(tenant)).Create(t.Context(), agent.Draft{Name: "desk", Config: agent.Config{
				Prompt: agent.Prompt{System: "You are kind."}, STT: agent.STT{Provider: "ear", Model: "ear-1"},
				TTS: agent.TTS{Provider: "mouth", VoiceID: "v"}, LLM: agent.LLM{Provider: "brain", Model: "brain-1"},
			}}); err != nil {
				t.Fatal(err)
			}
		}
		dispatch := func(tenant string) *call.Call {
			t.Helper()
			c, _, err := calls.Dispatch(t.Context(), call.Request{TenantID: tenant, AgentName: "desk", CallType: call.VoIP})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		const capacity = 4
		var many []*call.Call
		for range 12 {
			many = append(many, dispatch(acme))
		}
		w := New(Options{Name: "w", Capacity: capacity, Calls: calls, Bus: bus, Rooms: stillRooms{}, Log: slog.New(slog.DiscardHandler), Tokens: media.Tokens{Key: "key", Secret: strings.Repeat("s", 32)},
			Providers: func(context.Context, string) voice.Providers { return nil }})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			w.Run(ctx, ctx)
		}()
		defer func() {
			cancel()
			<-done
		}()
		held := func(want ...*call.Call) {
			t.Helper()
			var ids, got []string
			for _, c := range want {
				ids = append(ids, c.ID)
			}
			slices.Sort(ids)
			for end := time.Now().Add(testTimeout); ; time.Sleep(10 * time.Millisecond) {
				got = nil
				if err := db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
					return tx.NewRaw("SELECT id FROM calls WHERE claimed_by = 'w' ORDER BY id").Scan(ctx, &got)
				}); err != nil && !database.NoRows(err) {
					t.Fatal(err)
				}
				if slices.Equal(got, ids) {
					return
				}
				if time.Now().After(end) {
					t.Fatalf("the worker has %q, want %q", got, ids)
				}
			}
		}
		arrive := func(c *call.Call) {
			t.Helper()
			if _, going, err := calls.MarkArrived(t.Context(), c.RoomName); err != nil || !going {
				t.Fatalf("%t, %v", going, err)
			}
		}
		held(many[:capacity]...)
		theirs := dispatch(other)
		arrive(theirs)
		held(many[0], many[1], many[2], theirs)
		arrive(many[9])
		held(many[0], many[1], many[9], theirs)
		back, err := calls.Get(t.Context(), acme, many[3].ID)
		if err != nil || back.Status != call.Pending || back.ClaimedBy != nil || !back.JoinBy.Equal(many[3].JoinBy) {
			t.Errorf("a call that gave way: %+v, %v", back, err)
		}
		arrive(back)
		held(many[0], many[3], many[9], theirs)
		if n := w.Calls(); n > capacity+1 {
			t.Errorf("the worker runs %d calls", n)
		}

		lost := many[11]
		if err := db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.NewRaw("UPDATE calls SET status = 'active', started_at = ?, claimed_by = 'vanished', fence = 1, lease_until = ? WHERE id = ?", tx.Now(), tx.Now().Add(-time.Second), lost.ID).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		held(many[3], many[9], lost, theirs)
		if back, err = calls.Get(t.Context(), acme, many[0].ID); err != nil || back.Status != call.Pending || back.ClaimedBy != nil {
			t.Errorf("a call that gave way: %+v, %v", back, err)
		}
	})
}

// Who gives way: calls that nobody has joined, and whose callers are not about to; the newest of the tenant with most.
func TestWhoGivesWay(t *testing.T) {
	now := time.Now()
	w := &Worker{sessions: map[string]*session{}}
	add := func(id, tenant string, age time.Duration, change func(s *session)) {
		s := &session{call: &call.Call{ID: id, TenantID: tenant, CreatedAt: now.Add(-age)}, claimedAt: now.Add(-age)}
		s.waiting.Store(true)
		if change != nil {
			change(s)
		}
		w.sessions[id] = s
	}
	arrived := func(s *session) { s.call.ArrivedAt = s.call.CreatedAt }
	add("a1", acme, 40*time.Second, nil)
	add("a2", acme, 30*time.Second, nil)
	add("a3", acme, 3*time.Second, nil)
	add("b1", other, 50*time.Second, nil)
	add("b2", other, time.Second, nil)
	add("joined", acme, time.Second, func(s *session) { s.waiting.Store(false) })
	add("expected", acme, time.Second, arrived)
	add("absent", other, 55*time.Second, arrived)
	var order []string
	for _, s := range w.releasableSessions() {
		order = append(order, s.call.ID)
	}
	// The third of each, the second of each, and the first.
	if want := []string{"b2", "a3", "a2", "b1", "a1", "absent"}; !slices.Equal(order, want) {
		t.Errorf("%q give way in this order, want %q", order, want)
	}
}
