package worker

import (
	"context"
	"log/slog"
	"runtime"
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

// queueDesk is a worker whose calls stay as they were claimed, and what dispatches calls to it.
type queueDesk struct {
	t     *testing.T
	db    *database.DB
	calls *call.Service
	*Worker
}

// runQueueDesk runs a worker until the test ends. Both tenants have an agent.
func runQueueDesk(t *testing.T, db *database.DB, capacity int, before func(d *queueDesk)) *queueDesk {
	t.Helper()
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
	d := &queueDesk{t: t, db: db, calls: calls}
	before(d)
	d.Worker = New(Options{Name: "w", Capacity: capacity, Calls: calls, Bus: bus, Rooms: stillRooms{}, Log: slog.New(slog.DiscardHandler), Tokens: media.Tokens{Key: "key", Secret: strings.Repeat("s", 32)},
		Providers: func(context.Context, string) voice.Providers { return nil }})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Run(ctx, ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return d
}

func (d *queueDesk) dispatch(tenant string) *call.Call {
	d.t.Helper()
	c, _, err := d.calls.Dispatch(d.t.Context(), call.Request{TenantID: tenant, AgentName: "desk", CallType: call.VoIP})
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

// arrive has the caller of a call join.
func (d *queueDesk) arrive(c *call.Call) {
	d.t.Helper()
	if _, going, err := d.calls.MarkArrived(d.t.Context(), c.RoomName); err != nil || !going {
		d.t.Fatalf("%t, %v", going, err)
	}
}

// held waits until the worker has exactly these calls.
func (d *queueDesk) held(want ...*call.Call) {
	d.t.Helper()
	var ids, got []string
	for _, c := range want {
		ids = append(ids, c.ID)
	}
	slices.Sort(ids)
	for end := time.Now().Add(testTimeout); ; time.Sleep(10 * time.Millisecond) {
		got = nil
		if err := d.db.System().Read(d.t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT id FROM calls WHERE claimed_by = 'w' ORDER BY id").Scan(ctx, &got)
		}); err != nil && !database.NoRows(err) {
			d.t.Fatal(err)
		}
		if slices.Equal(got, ids) {
			return
		}
		if time.Now().After(end) {
			d.t.Fatalf("the worker has %q, want %q", got, ids)
		}
	}
}

// One tenant's calls that nobody has joined fill a worker, and many more wait. The caller of another tenant is served
// immediately, as are one of the same tenant and one whose worker disappeared. Released calls return to the queue with their
// deadline.
func TestCallsAreReleasedForCallersWhoArePresent(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		const capacity = 4
		var many []*call.Call
		d := runQueueDesk(t, db, capacity, func(d *queueDesk) {
			for range 12 {
				many = append(many, d.dispatch(acme))
			}
		})
		d.held(many[:capacity]...)
		theirs := d.dispatch(other)
		d.arrive(theirs)
		d.held(many[0], many[1], many[2], theirs)
		d.arrive(many[9])
		d.held(many[0], many[1], many[9], theirs)
		back, err := d.calls.Get(t.Context(), acme, many[3].ID)
		if err != nil || back.Status != call.Pending || back.ClaimedBy != nil || !back.JoinBy.Equal(many[3].JoinBy) {
			t.Errorf("a call that gave way: %+v, %v", back, err)
		}
		d.arrive(back)
		d.held(many[0], many[3], many[9], theirs)
		if n := d.Calls(); n > capacity+1 {
			t.Errorf("the worker runs %d calls", n)
		}

		lost := many[11]
		if err := db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.NewRaw("UPDATE calls SET status = 'active', started_at = ?, claimed_by = 'vanished', fence = 1, lease_until = ? WHERE id = ?", tx.Now(), tx.Now().Add(-time.Second), lost.ID).Exec(ctx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		d.held(many[3], many[9], lost, theirs)
		if back, err = d.calls.Get(t.Context(), acme, many[0].ID); err != nil || back.Status != call.Pending || back.ClaimedBy != nil {
			t.Errorf("a call that gave way: %+v, %v", back, err)
		}
	})
}

// A worker with room for a hundred calls prepares only so many that nobody has joined. Callers who come are served
// immediately.
func TestFewCallsAreHeldForCallersToCome(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		most := waitingPerProcessor * runtime.NumCPU()
		var many []*call.Call
		d := runQueueDesk(t, db, 100, func(d *queueDesk) {
			for range most + 5 {
				many = append(many, d.dispatch(acme))
			}
		})
		d.held(many[:most]...)
		d.arrive(many[most+3])
		d.held(append(slices.Clone(many[:most]), many[most+3])...)
		d.arrive(many[most])
		d.held(append(slices.Clone(many[:most+1]), many[most+3])...)
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
