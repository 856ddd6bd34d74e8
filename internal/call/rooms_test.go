package call_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"parley/internal/call"
)

// rooms is a media server.
type rooms struct {
	there   []call.Room
	own     bool
	stuck   string // a room that cannot be deleted
	deleted []string
	callers map[string]bool // rooms with a caller
}

func (r *rooms) Caller(_ context.Context, name string) (bool, error) { return r.callers[name], nil }

func (r *rooms) List(context.Context) ([]call.Room, error) { return r.there, nil }
func (r *rooms) Own() bool                                 { return r.own }
func (r *rooms) Delete(_ context.Context, name string) error {
	if name == r.stuck {
		return errors.New("stuck")
	}
	r.deleted = append(r.deleted, name)
	return nil
}

// Rooms of ended calls remain when the process that ended the call died before it deleted the room: they are found and deleted.
func TestSweep(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		over, stuck, going, young := h.active(), h.active(), h.active(), h.active()
		pending := h.dispatch()
		for _, l := range []call.Lease{over, stuck, young} {
			if _, err := h.calls.Finish(t.Context(), l, call.AgentEnded); err != nil {
				t.Fatal(err)
			}
		}
		old := time.Now().Add(-call.RoomAge - time.Second)
		r := &rooms{stuck: "call-" + stuck.CallID, there: []call.Room{
			{Name: "call-" + stuck.CallID, Created: old},
			{Name: "call-" + over.CallID, Created: old},
			{Name: "call-" + going.CallID, Created: old},
			{Name: "call-" + pending.ID, Created: old},
			{Name: "call-" + young.CallID, Created: time.Now()}, // somebody has joined again
			{Name: "call-" + newcomer, Created: time.Now()},
			{Name: "call-" + unknown, Created: old},
			{Name: "call-_+15550100_xyz", Created: old}, // LiveKit's own name for a telephone call
			{Name: "meeting", Created: old},
			{Name: call.OperatorRoom("call-"+over.CallID, unknown), Created: old},
			{Name: call.OperatorRoom("call-"+going.CallID, unknown), Created: old},
			{Name: call.OperatorRoom("call-"+unknown, unknown), Created: old},
		}}
		sweep := func(want ...string) {
			t.Helper()
			r.deleted = nil
			cleared, err := call.Sweep(h.calls, t.Context(), r)
			if err == nil || !slices.Equal(r.deleted, want) || !slices.Equal(cleared, want) {
				t.Errorf("deleted %q, told %q, %v; want %q, and the one that is stuck told", r.deleted, cleared, err, want)
			}
		}
		operator := call.OperatorRoom("call-"+over.CallID, unknown)
		sweep("call-"+over.CallID, "call-"+young.CallID, operator)
		r.own = true
		sweep("call-"+over.CallID, "call-"+young.CallID, "call-"+unknown, operator, call.OperatorRoom("call-"+unknown, unknown))
	})
}

// reopened is an outside media server, which makes a room again whenever somebody joins.
type reopened struct {
	rooms
	name   string
	closed chan struct{}
}

func (r *reopened) List(context.Context) ([]call.Room, error) {
	return []call.Room{{Name: r.name, Created: time.Now(), Occupied: true}}, nil
}

func (r *reopened) Delete(_ context.Context, name string) error {
	if name == r.name {
		r.closed <- struct{}{}
	}
	return nil
}

// On an outside media server the room of a call that is over is closed again and again, well before the next comparison of
// all rooms is due.
func TestRoomStaysClosedOutside(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		l := h.active()
		if _, err := h.calls.Finish(t.Context(), l, call.AgentEnded); err != nil {
			t.Fatal(err)
		}
		r := &reopened{name: "call-" + l.CallID, closed: make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			h.calls.Reap(ctx, r, slog.New(slog.DiscardHandler))
		}()
		for range 3 {
			select {
			case <-r.closed:
			case <-time.After(call.SweepInterval / 2):
				t.Error("the room stays open")
			}
		}
		cancel()
		for {
			select {
			case <-r.closed:
				continue
			case <-done:
			}
			return
		}
	})
}

// Leases of workers that have died expire immediately, those of others do not: started calls can be taken over, and the
// rest return to the queue.
func TestExpireLeases(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		begun := func(worker string) call.Lease {
			h.dispatch()
			l := h.claim(worker)
			if err := h.calls.MarkConnecting(t.Context(), l); err != nil {
				t.Fatal(err)
			}
			return l
		}
		gone := begun("gone")
		begun("alive")
		h.dispatch()
		waits := h.claim("gone")
		h.dispatch()
		h.claim("alive")
		h.dispatch()
		long := h.claim("gone") // for so long that its lease has lapsed by itself
		h.set(long.CallID, "lease_until = ?", time.Now().UTC().Add(-time.Minute))
		lapse := func(want int64) {
			t.Helper()
			if n, err := h.calls.ExpireLeases(t.Context(), call.ServerRestart, func(worker string) bool { return worker == "gone" }); err != nil || n != want {
				t.Errorf("%d leases ended, %v; want %d", n, err, want)
			}
		}
		lapse(3)
		lapse(0)
		if got := h.takeOver("next"); got.CallID != gone.CallID {
			t.Errorf("took over %s, want %s", got.CallID, gone.CallID)
		}
		if claimed, err := h.calls.TakeOver(t.Context(), "next", 9); err != nil || len(claimed) != 0 {
			t.Errorf("took over %d calls that are held, %v", len(claimed), err)
		}
		wantIDs(t, "in the queue", ids(t, h.calls.Claim, 9), waits.CallID, long.CallID)
	})
}
