package call_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/fault"
)

// isRejected reports whether a dispatch of a tenant is rejected now.
func (h *fixture) isRejected(tenant string) bool {
	h.t.Helper()
	if err := call.Weigh(h.calls, h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	err := call.Admit(h.calls, tenant, call.VoIP)
	var later *fault.Error
	if err != nil && (!fault.Is(err, fault.ServiceUnavailable) || !errors.As(err, &later) || later.RetryAfter < time.Second) {
		h.t.Errorf("turned away with %v", err)
	}
	return err != nil
}

// When conversations fill the workers, a dispatch is rejected once more callers of the same tenant wait than slots will
// become free; calls that nobody has joined, and other tenants' callers, cause no rejection.
func TestAdmissionByCapacity(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		want := func(what string, acmes, others bool) {
			h.t.Helper()
			if got := h.isRejected(acme); got != acmes {
				h.t.Errorf("%s: a dispatch is turned away: %t", what, got)
			}
			if got := h.isRejected(other); got != others {
				h.t.Errorf("%s: a dispatch of another tenant is turned away: %t", what, got)
			}
		}
		if err := h.calls.RegisterWorker(h.t.Context(), "w1", 2); err != nil {
			h.t.Fatal(err)
		}
		talks, also := h.active(), h.active()
		many := h.wait(acme, 20)
		want("calls wait that nobody has joined", false, false)
		h.arrive(many[0])
		want("one caller waits", true, false)
		h.arrive(many[1])
		want("two callers wait", true, false)
		if l := h.calls.Load(); l.Waiting != 20 || l.Callers != 2 || l.Slots != 2 || l.Free != 0 {
			h.t.Errorf("load %+v", l)
		}
		if err := h.calls.RegisterWorker(h.t.Context(), "w2", 3); err != nil {
			h.t.Fatal(err)
		}
		want("another worker comes", false, false)
		if err := h.calls.UnregisterWorker(h.t.Context(), "w2"); err != nil {
			h.t.Fatal(err)
		}
		want("and goes", true, false)
		for _, l := range []call.Lease{talks, also} {
			if _, err := h.calls.Finish(h.t.Context(), l, call.AgentEnded); err != nil {
				h.t.Fatal(err)
			}
		}
		want("conversations have ended", false, false)
		if l := h.calls.Load(); l.Free != 2 || l.Ended != 2 {
			h.t.Errorf("load %+v", l)
		}
	})
}

// Retry-After is by when a slot would be free at the rate at which conversations end, and each refusal is counted.
func TestRetryAfterByFreeSlots(t *testing.T) {
	var refused []call.Refusal
	counted := defaults
	counted.JoinTimeout = time.Minute
	counted.Refused = func(r call.Refusal) { refused = append(refused, r) }
	each(t, counted, func(t *testing.T, h *fixture) {
		refused = nil
		if err := h.calls.RegisterWorker(t.Context(), "w1", 2); err != nil {
			t.Fatal(err)
		}
		ended := []call.Lease{h.active(), h.active()}
		for _, l := range ended {
			if _, err := h.calls.Finish(t.Context(), l, call.AgentEnded); err != nil {
				t.Fatal(err)
			}
		}
		h.active()
		h.active()
		for _, id := range h.wait(acme, 3) {
			h.arrive(id)
		}
		if err := call.Weigh(h.calls, t.Context()); err != nil {
			t.Fatal(err)
		}
		var later *fault.Error
		// Two ended within the minute: a slot every 30 s, and three callers wait before this one.
		if err := call.Admit(h.calls, acme, call.VoIP); !errors.As(err, &later) || later.RetryAfter != time.Minute {
			t.Errorf("refused with %v, want Retry-After of the join timeout", err)
		}
		if len(refused) != 1 || refused[0] != call.WorkersBusy {
			t.Errorf("counted refusals: %v", refused)
		}
	})
}

// Without any worker, dispatches are rejected if one was registered and has been gone for longer than workerRestart.
func TestAdmissionWithoutWorkers(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		h.wait(acme, 20)
		if h.isRejected(acme) {
			h.t.Error("turned away before a worker was seen")
		}
		if err := h.calls.RegisterWorker(h.t.Context(), "w1", 2); err != nil {
			h.t.Fatal(err)
		}
		if h.isRejected(acme) {
			h.t.Error("turned away with a worker")
		}
		if err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE workers SET renewed_at = ?", tx.Now().Add(-call.LeaseDuration-time.Second))
			return err
		}); err != nil {
			h.t.Fatal(err)
		}
		if h.isRejected(acme) {
			h.t.Error("turned away at once when the worker is gone")
		}
		call.SetBack(h.calls, time.Minute)
		if !h.isRejected(acme) {
			h.t.Error("a worker is gone for a minute, and calls are taken on")
		}
		h.restart()
		if h.isRejected(acme) {
			h.t.Error("turned away at once by a server that starts while no worker is there")
		}
		call.SetBack(h.calls, time.Minute)
		if !h.isRejected(acme) || h.calls.CheckWorkers() == nil {
			h.t.Error("no worker is there a minute after the server's start, and calls are taken on")
		}
		if err := h.calls.RegisterWorker(h.t.Context(), "w2", 2); err != nil {
			h.t.Fatal(err)
		}
		if h.isRejected(acme) {
			h.t.Error("turned away although a worker is back")
		}
	})
}

// While more calls wait than may, dispatches are rejected and leave nothing behind; workers and time make room.
func TestAdmission(t *testing.T) {
	crowd := defaults
	crowd.MaxWaiting = 2
	each(t, crowd, func(t *testing.T, h *fixture) {
		kept, _, err := h.once(h.calls, acme, "first", "a")
		if err != nil {
			t.Fatal(err)
		}
		h.dispatch()
		count := func(want int64) {
			t.Helper()
			if err := call.Weigh(h.calls, t.Context()); err != nil || h.calls.Load().Waiting != want {
				t.Fatalf("%d calls wait, %v; want %d", h.calls.Load().Waiting, err, want)
			}
		}
		count(2)
		h.dispatch() // two may wait
		count(3)

		_, _, err = h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP})
		var later *fault.Error
		if !fault.Is(err, fault.ServiceUnavailable) || !errors.As(err, &later) || later.RetryAfter < time.Second {
			t.Errorf("a dispatch too many: %v", err)
		}
		if _, _, err := h.once(h.calls, acme, "second", "a"); !fault.Is(err, fault.ServiceUnavailable) {
			t.Errorf("a dispatch too many, with a key: %v", err)
		}
		if again, c, err := h.once(h.calls, acme, "first", "a"); err != nil || c != nil || again != kept {
			t.Errorf("an answer that was kept: %q, %v, %v", again, c, err)
		}
		if n := h.total(acme); n != 3 {
			t.Errorf("%d calls, want 3", n)
		}

		h.claim("w")
		count(2)
		if _, c, err := h.once(h.calls, acme, "second", "b"); err != nil || c == nil {
			t.Errorf("the key of a dispatch that was turned away: %v", err)
		}
		count(3)
	})
}
