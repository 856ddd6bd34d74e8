package call_test

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/event"
)

// wait writes n calls of a tenant that wait, and returns their ids, the oldest first.
func (h *fixture) wait(tenant string, n int) (ids []string) {
	h.t.Helper()
	if err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		calls := make([]*call.Call, n)
		for i := range calls {
			id := fmt.Sprintf("0193a6f1-%s-7000-8000-%012d", tenant[len(tenant)-4:], i)
			calls[i] = &call.Call{ID: id, TenantID: tenant, Status: call.Pending, Direction: call.Inbound, CallType: call.VoIP, RoomName: "call-" + id, AgentHistory: []string{},
				CreatedAt: tx.Now().Add(time.Duration(i-n) * time.Millisecond), JoinBy: tx.Now().Add(time.Minute)}
			ids = append(ids, id)
		}
		_, err := tx.NewInsert().Model(&calls).Exec(ctx)
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
	return ids
}

// arrive has a caller come to a call's room.
func (h *fixture) arrive(id string) call.Arrival {
	h.t.Helper()
	a, going, err := h.calls.MarkArrived(h.t.Context(), "call-"+id)
	if err != nil || !going {
		h.t.Fatalf("arrive at %s: %t, %v", id, going, err)
	}
	return a
}

// ids of the calls that a claim returns, in order of their age.
func ids(t *testing.T, claim func(context.Context, string, int) ([]*call.Call, error), most int) (taken []string) {
	t.Helper()
	claimed, err := claim(t.Context(), "w", most)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(claimed, func(a, b *call.Call) int { return strings.Compare(a.TenantID+a.ID, b.TenantID+b.ID) })
	for _, c := range claimed {
		taken = append(taken, c.ID)
	}
	return taken
}

func wantIDs(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: took %q, want %q", what, got, want)
	}
}

// However many calls of one tenant wait, others' are claimed in turn with them: first those of the tenant with the fewest
// claimed calls, and of one tenant the oldest.
func TestTenantsTakeTurns(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		many, few := h.wait(acme, 40), h.wait(other, 3)
		wantIDs(t, "two at first", ids(t, h.calls.Claim, 2), many[0], few[0])
		wantIDs(t, "three of equals", ids(t, h.calls.Claim, 3), many[1], many[2], few[1])
		wantIDs(t, "one, of who has fewer", ids(t, h.calls.Claim, 1), few[2])
		wantIDs(t, "of who is left", ids(t, h.calls.Claim, 2), many[3], many[4])
		if got := ids(t, h.calls.Claim, 100); !slices.Equal(got, many[5:]) {
			t.Errorf("all: %d calls, want %d", len(got), len(many[5:]))
		}
		if got := ids(t, h.calls.Claim, 1); got != nil {
			t.Errorf("none waits, %q taken", got)
		}
	})
}

// Calls whose callers are present are claimed before all others, in turn by tenant.
func TestCallsWithCallersAreClaimedFirst(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		many, few := h.wait(acme, 10), h.wait(other, 3)
		heard, unsubscribe := h.bus.Subscribe(event.Arrived, 1)
		defer unsubscribe()
		for _, id := range many[5:9] {
			h.arrive(id)
		}
		select {
		case <-heard:
		default:
			t.Error("workers are not notified that callers have come")
		}
		h.arrive(few[2])
		wantIDs(t, "two", ids(t, h.calls.ClaimArrived, 2), many[5], few[2])
		gone := h.arrive(many[7])
		again := h.arrive(many[6])
		if err := h.calls.MarkDeparted(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		h.arrive(many[6]) // whose first connection then ends
		if err := h.calls.MarkDeparted(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		wantIDs(t, "who has not left", ids(t, h.calls.ClaimArrived, 9), many[6], many[8])
		wantIDs(t, "no caller is there", ids(t, h.calls.ClaimArrived, 9))
		h.arrive(many[9])
		wantIDs(t, "all kinds", ids(t, h.calls.Claim, 2), many[9], few[0])
		if _, going, err := h.calls.MarkArrived(t.Context(), "call-"+unknown); going || err != nil {
			t.Errorf("a room of no call: %t, %v", going, err)
		}
	})
}

// Callers who reach an outside media server by themselves are found in their rooms: agents there are none, and who has gone
// again is not waited for.
func TestCallersFoundInTheirRooms(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		waiting := h.wait(acme, 4)
		held := h.claim("w").CallID
		there := func(ids ...string) *rooms {
			r := &rooms{callers: map[string]bool{}}
			for _, id := range ids {
				r.callers["call-"+id] = true
			}
			for _, id := range append(waiting, unknown) {
				r.there = append(r.there, call.Room{Name: "call-" + id, Occupied: id != waiting[3]})
			}
			return r
		}
		arrived := func(what string, want ...string) {
			h.t.Helper()
			var got []string
			for _, id := range waiting {
				if !h.get(id).ArrivedAt.IsZero() {
					got = append(got, id)
				}
			}
			wantIDs(h.t, what, got, want...)
		}
		heard, unsubscribe := h.bus.Subscribe(event.Arrived, 1)
		defer unsubscribe()
		h.arrive(waiting[3]) // and gone before anybody looks
		<-heard
		if err := call.Watch(h.calls, h.t.Context(), there(held, waiting[1], unknown)); err != nil {
			h.t.Fatal(err)
		}
		arrived("who is there", waiting[1])
		select {
		case <-heard:
		default:
			h.t.Error("workers are not notified of the caller")
		}
		if err := call.Watch(h.calls, h.t.Context(), there(waiting[1], waiting[2])); err != nil {
			h.t.Fatal(err)
		}
		arrived("who is there then", waiting[1], waiting[2])
	})
}

// A released call keeps its deadline, and is claimed as soon as its caller arrives. If no worker claims it again, it ends
// with no_worker if the caller arrived, or else because the caller is absent.
func TestReleasedCall(t *testing.T) {
	each(t, call.Options{JoinTimeout: time.Second, MaxDuration: time.Hour}, func(t *testing.T, h *fixture) {
		c, absent := h.dispatch(), h.dispatch()
		claimed, err := h.calls.Claim(t.Context(), "w", 2)
		if err != nil || len(claimed) != 2 {
			t.Fatalf("claimed %d, %v", len(claimed), err)
		}
		h.arrive(c.ID)
		heard, unsubscribe := h.bus.Subscribe(event.Arrived, 1)
		defer unsubscribe()
		for _, held := range claimed {
			if err := h.calls.Release(t.Context(), held.Lease()); err != nil {
				t.Fatal(err)
			}
		}
		select {
		case <-heard:
		default:
			t.Error("workers are not notified that the caller is there already")
		}
		again, err := h.calls.ClaimArrived(t.Context(), "w2", 5)
		if err != nil || len(again) != 1 || again[0].ID != c.ID || again[0].Fence != 2 || !again[0].JoinBy.Equal(c.JoinBy) || again[0].ArrivedAt.IsZero() {
			t.Fatalf("%+v, %v", again, err)
		}
		if err := h.calls.Release(t.Context(), again[0].Lease()); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{c.ID, absent.ID} {
			h.set(id, "join_by = ?", time.Now().UTC().Add(-time.Minute))
		}
		if err := call.ReapOnce(h.calls, t.Context()); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]call.Reason{c.ID: call.NoWorker, absent.ID: call.JoinTimeout} {
			if got := h.get(id); got.StatusReason == nil || *got.StatusReason != want {
				t.Errorf("%s, %v; want %s", got.Status, got.StatusReason, want)
			}
		}
	})
}

// Calls that nobody has joined return to the queue when their worker disappears, and workers are notified; those that had
// started wait to be taken over. Other calls are unaffected.
func TestCallsOfAWorkerThatVanished(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		waiting := h.wait(acme, 5)
		if got := ids(t, h.calls.Claim, 5); !slices.Equal(got, waiting) {
			t.Fatalf("claimed %q", got)
		}
		begun := h.active().CallID
		h.arrive(waiting[3])
		lapsed := time.Now().UTC().Add(-time.Second)
		for _, id := range []string{waiting[1], waiting[3], begun} {
			h.set(id, "lease_until = ?", lapsed)
		}
		var heard []<-chan string
		for _, topic := range []event.Topic{event.Pending, event.Arrived} {
			c, unsubscribe := h.bus.Subscribe(topic, 1)
			defer unsubscribe()
			heard = append(heard, c)
		}
		if err := call.ReapOnce(h.calls, t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, c := range heard {
			select {
			case <-c:
			default:
				t.Errorf("workers are not notified of calls that wait again (%d)", i)
			}
		}
		wantIDs(t, "whose callers are there", ids(t, h.calls.ClaimArrived, 9), waiting[3])
		wantIDs(t, "the others", ids(t, h.calls.Claim, 9), waiting[1])
		h.set(waiting[0], "lease_until = ?", lapsed)
		wantIDs(t, "to be taken over", ids(t, h.calls.TakeOver, 9), begun)
		if c := h.get(waiting[1]); c.Fence != 2 || c.ClaimedBy == nil {
			t.Errorf("claimed again: %+v", c)
		}
	})
}

// For a while after the database was unreachable, or stalled, expired leases count as about to be renewed.
func TestReaperAfterAGap(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease := h.active()
		h.set(lease.CallID, "lease_until = ?", time.Now().UTC().Add(-time.Minute))
		h.dispatch()
		pending := h.claim("w1").CallID
		h.set(pending, "lease_until = ?", time.Now().UTC().Add(-time.Minute))
		reap := call.Reaper(h.calls, nil, time.Now().Add(-20*time.Second))
		began := time.Now()
		for h.get(pending).ClaimedBy != nil {
			if err := reap(t.Context()); err != nil {
				t.Fatal(err)
			}
			if time.Since(began) > 30*time.Second {
				t.Fatal("it never waits in the queue again")
			}
			time.Sleep(call.RecoveryTime / 6)
		}
		if after := time.Since(began); after < call.RecoveryTime {
			t.Errorf("in the queue %v after the gap", after)
		}
		// That one waits until workers had their time, too.
		if c := h.get(lease.CallID); c.Status.Terminal() && time.Since(began) < 2*call.RecoveryTime {
			t.Errorf("ended %v after the gap: %v", time.Since(began), *c.StatusReason)
		}
	})
}

// A media server that does not answer keeps no other call from its end.
func TestReaperWithAMediaServerThatHangs(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		past := time.Now().UTC().Add(-time.Minute)
		first, second := h.dispatch().ID, h.dispatch().ID
		h.set(first, "join_by = ?", past)
		ctx, cancel := context.WithCancel(t.Context())
		rooms := hanging{noRooms: &noRooms{}, asked: make(chan string, 9)}
		done := make(chan struct{})
		go func() {
			defer close(done)
			h.calls.Reap(ctx, rooms, slog.New(slog.DiscardHandler))
		}()
		defer func() {
			cancel()
			<-done
		}()
		select {
		case <-rooms.asked:
		case <-time.After(30 * time.Second):
			t.Fatal("no room is deleted")
		}
		h.set(second, "join_by = ?", past)
		for deadline := time.Now().Add(10 * time.Second); !h.get(second).Status.Terminal(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("the other call is held up")
			}
		}
	})
}

// hanging is a media server that does not answer when a room is to be deleted.
type hanging struct {
	*noRooms
	asked chan string
}

func (r hanging) Delete(ctx context.Context, name string) error {
	r.asked <- name
	<-ctx.Done()
	return ctx.Err()
}

// Workers that claim at the same time get different calls, and leave none.
func TestWorkersClaimAtOnce(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		h.wait(acme, 60)
		h.wait(other, 60)
		var (
			mu      sync.Mutex
			taken   = map[string]bool{}
			claims  sync.WaitGroup
			workers = 6
		)
		for range workers {
			claims.Go(func() {
				for {
					claimed, err := h.calls.Claim(t.Context(), "w", 4)
					if err != nil {
						t.Error(err)
					}
					if len(claimed) == 0 {
						return
					}
					mu.Lock()
					for _, c := range claimed {
						if taken[c.ID] {
							t.Errorf("call %s was claimed twice", c.ID)
						}
						taken[c.ID] = true
					}
					mu.Unlock()
				}
			})
		}
		claims.Wait()
		if len(taken) != 120 {
			t.Errorf("%d calls were claimed, want 120", len(taken))
		}
	})
}

// whole is a query plan that reads all calls, without an index.
var whole = regexp.MustCompile(`(?m)Seq Scan on calls|SCAN (calls|c|o|h)$`)

// With a backlog of one tenant's a claim costs no more than without: it reads no more rows than it claims.
func TestClaimFromABacklog(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		backlog := 5000
		if !h.db.Postgres() {
			backlog = 500 // its plan does not depend on how many there are
		}
		h.wait(acme, backlog)
		few := h.wait(other, 1)
		var plan string
		if err := h.db.System().With(call.QueueSettings...).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			explain := "EXPLAIN (ANALYZE, BUFFERS) "
			if !tx.Postgres() {
				explain = "EXPLAIN QUERY PLAN "
			}
			rows, err := tx.QueryContext(ctx, explain+call.TurnsIn(call.Queued, tx.Postgres()), 2, 2)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id, parent, unused int
				var line string
				if tx.Postgres() {
					err = rows.Scan(&line)
				} else {
					err = rows.Scan(&id, &parent, &unused, &line)
				}
				if err != nil {
					return err
				}
				plan += line + "\n"
			}
			return rows.Err()
		}); err != nil {
			t.Fatal(err)
		}
		if whole.MatchString(plan) {
			h.t.Errorf("the plan reads the whole table:\n%s", plan)
		}
		began := time.Now()
		got := ids(t, h.calls.Claim, 2)
		h.t.Logf("%v for a claim", time.Since(began))
		if len(got) != 2 || got[1] != few[0] {
			h.t.Errorf("took %q", got)
		}
	})
}

// After an outage of the database, calls whose time to be answered has passed meanwhile wait for workers first. One that none takes ends
// with the outage in its error log.
func TestReaperAfterAnOutage(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		taken, left := h.dispatch().ID, h.dispatch().ID
		for _, id := range []string{taken, left} {
			h.set(id, "join_by = ?", time.Now().UTC().Add(-time.Minute))
		}
		began := time.Now()
		reap := call.ReaperAfterOutage(h.calls, began)
		reapUntil := func(after time.Duration) {
			t.Helper()
			for time.Since(began) < after {
				if err := reap(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(call.RecoveryTime / 6)
			}
		}
		reapUntil(2 * call.RecoveryTime)
		if l := h.claim("w1"); l.CallID != taken {
			t.Fatalf("claimed %s", l.CallID)
		}
		reapUntil(4 * call.RecoveryTime)
		var message string
		if err := h.db.Tenant(acme).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT message FROM call_errors WHERE call_id = ?", left).Scan(ctx, &message)
		}); err != nil {
			t.Fatal(err)
		}
		if c := h.get(left); c.StatusReason == nil || *c.StatusReason != call.NoWorker || !strings.Contains(message, "the database was unavailable") {
			t.Errorf("%+v: %q", c, message)
		}
	})
}
