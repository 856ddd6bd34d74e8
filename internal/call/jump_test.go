package call_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/call"
)

// The database's clock is set by an hour while calls wait and run. Those whose worker renews its leases continue, with their
// true duration; one whose worker died is taken over when its lease expires, and one that nobody joins ends at its deadline.
func TestDatabaseClockJumps(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(by.String(), func(t *testing.T) { each(t, defaults, func(t *testing.T, h *fixture) { clockJumps(t, h, by) }) })
	}
}

func clockJumps(t *testing.T, h *fixture, by time.Duration) {
	var offset atomic.Int64
	h.db.SetClock(func() time.Time { return time.Now().Add(time.Duration(offset.Load())) })
	log := slog.New(slog.DiscardHandler)
	keeper := h.db.KeepClock(log, h.calls.ShiftTimes)
	keeper.Look(t.Context())

	lost := h.active()
	h.set(lost.CallID, "claimed_by = ?", "w2")
	running, waiting := h.active(), h.dispatch()
	if l := h.claim("w1"); l.CallID != waiting.ID {
		t.Fatalf("claimed %s", l.CallID)
	}
	h.dispatch() // which no worker claims
	began := time.Now()

	ctx, cancel := context.WithCancel(t.Context())
	var others sync.WaitGroup
	defer others.Wait()
	defer cancel()
	others.Go(func() { keeper.Run(ctx) })
	others.Go(func() { h.calls.Reap(ctx, &noRooms{}, log) })
	each := func(interval time.Duration, do func()) {
		others.Go(func() {
			for ctx.Err() == nil {
				do()
				select {
				case <-ctx.Done():
				case <-time.After(interval):
				}
			}
		})
	}
	each(call.LeaseRenewal, func() {
		if _, err := h.calls.Renew(ctx, "w1", []string{running.CallID, waiting.ID}); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	})
	var mu sync.Mutex
	taken := map[string]time.Duration{} // calls that another worker took over, and when
	each(500*time.Millisecond, func() {
		got, err := h.calls.TakeOver(ctx, "w3", 10)
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, c := range got {
			if _, again := taken[c.ID]; !again { // w3 renews no lease either
				taken[c.ID] = time.Since(began)
			}
		}
	})
	time.Sleep(10*time.Second + 300*time.Millisecond)
	offset.Store(int64(by))
	time.Sleep(30 * time.Second)
	mu.Lock()
	if after, ok := taken[lost.CallID]; len(taken) != 1 || !ok || after < 13*time.Second || after > 20*time.Second {
		t.Errorf("taken over, after how long: %v; want %s alone, after its lease of 15 s", taken, lost.CallID)
	}
	mu.Unlock()
	if c := h.get(waiting.ID); c.Status != call.Pending || c.ClaimedBy == nil {
		t.Errorf("a call that waits: %s, in the hands of %v", c.Status, c.ClaimedBy)
	}
	c, err := h.calls.Finish(t.Context(), running, call.CallerHangup)
	if err != nil {
		t.Fatal(err)
	}
	if lasted := fmt.Sprint(c.DurationSeconds, " ", c.EndedAt.Sub(c.StartedAt).Round(time.Second)); lasted != "40 40s" {
		t.Errorf("the call lasted %s, want 40 s", lasted)
	}
	time.Sleep(35 * time.Second)
	if c := h.get(waiting.ID); c.Status != call.Timeout || *c.StatusReason != call.JoinTimeout {
		t.Errorf("a call that nobody joined is %s", c.Status)
	}
}

// A call that ends right after the clock jumped, before anybody has seen that, lasted as long as it did.
func TestCallEndsAsTheClockJumps(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		var offset atomic.Int64
		h.db.SetClock(func() time.Time { return time.Now().Add(time.Duration(offset.Load())) })
		keeper := h.db.KeepClock(slog.New(slog.DiscardHandler), h.calls.ShiftTimes)
		for _, by := range []time.Duration{time.Hour, -time.Hour} {
			offset.Store(0)
			for range 3 {
				keeper.Look(t.Context())
				time.Sleep(time.Second)
			}
			lease := h.active()
			keeper.Look(t.Context())
			time.Sleep(7 * time.Second)
			offset.Store(int64(by))
			c, err := h.calls.Finish(t.Context(), lease, call.CallerHangup)
			if err != nil {
				t.Fatal(err)
			}
			if lasted := c.EndedAt.Sub(c.StartedAt).Round(time.Second); c.DurationSeconds != 7 || lasted != 7*time.Second {
				t.Errorf("jumped by %v: lasted %d s, and %v from its start to its end; want 7 s", by, c.DurationSeconds, lasted)
			}
		}
	})
}

// A clock that was set while no process ran is found by nobody: a call lasts no longer than it may, and not less than nothing.
func TestDurationIsBounded(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		for started, want := range map[time.Duration]int64{-30 * time.Hour: 3660, time.Hour: 0} {
			lease := h.active()
			h.set(lease.CallID, "started_at = ?", time.Now().UTC().Add(started))
			c, err := h.calls.Finish(t.Context(), lease, call.CallerHangup)
			if err != nil {
				t.Fatal(err)
			}
			if c.DurationSeconds != want {
				t.Errorf("a call that began %v from now lasted %d s, want %d", started, c.DurationSeconds, want)
			}
		}
	})
}
