package call_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley/internal/call"
	"parley/internal/control"
	"parley/internal/database"
	"parley/internal/fault"
)

// controlled is what a request to a call is answered with.
type controlled struct {
	x   *call.Control
	err error
}

// control sends a request, and returns its answer on a channel, and the request as the session of a call receives it.
func (h *fixture) control(l call.Lease, r control.Request, key *call.Idempotency) (answers chan controlled, taken call.TakenControl) {
	h.t.Helper()
	answers = make(chan controlled, 1)
	go func() {
		x, err := h.calls.Control(h.t.Context(), acme, l.CallID, r, key)
		answers <- controlled{x, err}
	}()
	for {
		select {
		case a := <-answers:
			h.t.Fatalf("%s is answered with %+v, %v before its session has received it", r.Kind, a.x, a.err)
		default:
		}
		waiting, err := h.calls.WaitingControls(h.t.Context(), []string{l.CallID})
		if err != nil {
			h.t.Fatal(err)
		}
		if len(waiting) == 0 {
			continue
		}
		received, err := h.calls.TakeControls(h.t.Context(), l)
		if err != nil || len(received) != 1 {
			h.t.Fatalf("received %v, %v", received, err)
		}
		return answers, received[0]
	}
}

func (h *fixture) endControl(l call.Lease, id, detail string) {
	h.t.Helper()
	if err := h.calls.Record(h.t.Context(), l, call.Records{Controls: []call.ControlOutcome{{ID: id, Detail: detail}}}); err != nil {
		h.t.Fatal(err)
	}
}

// controls are the requests in a call's timeline.
func (h *fixture) controls(id string) string {
	h.t.Helper()
	items, err := h.calls.Timeline(h.t.Context(), acme, id)
	if err != nil {
		h.t.Fatal(err)
	}
	var found []string
	for _, item := range items {
		if x := item.Control; x != nil {
			found = append(found, strings.TrimSpace(string(x.Kind)+" "+string(x.Status)+" "+x.Detail))
		}
	}
	return strings.Join(found, ", ")
}

func TestControlReachesTheSessionOnce(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		l := h.active()
		key := &call.Idempotency{Key: "k", Request: []byte("digest")}
		say := control.Request{Kind: control.Say, Text: "Hello.", Interrupt: true}
		answers, taken := h.control(l, say, key)
		if taken.Text != "Hello." || !taken.Interrupt {
			t.Errorf("the session receives %+v", taken.Request)
		}
		h.endControl(l, taken.ID, "")
		a := <-answers
		if a.err != nil || a.x.Status != call.ControlApplied || a.x.ID != taken.ID {
			t.Fatalf("answer %+v, %v", a.x, a.err)
		}
		if again, err := h.calls.Control(t.Context(), acme, l.CallID, say, key); err != nil || again.ID != taken.ID || again.Status != call.ControlApplied {
			t.Errorf("the same request again: %+v, %v", again, err)
		}
		if _, err := h.calls.Control(t.Context(), acme, l.CallID, say, &call.Idempotency{Key: "k", Request: []byte("another")}); !fault.Is(err, fault.Validation) {
			t.Errorf("the key with another request: %v", err)
		}
		if more, err := h.calls.TakeControls(t.Context(), l); err != nil || len(more) != 0 {
			t.Errorf("received again: %v, %v", more, err)
		}
		answers, taken = h.control(l, control.Request{Kind: control.Mute, Muted: true}, nil)
		h.endControl(l, taken.ID, "the call is ending")
		if a := <-answers; !fault.Is(a.err, fault.Conflict) || !strings.Contains(a.err.Error(), "the call is ending") {
			t.Errorf("a refused request: %v", a.err)
		}
		if got, want := h.controls(l.CallID), "say applied, mute refused the call is ending"; got != want {
			t.Errorf("the timeline has %s, want %s", got, want)
		}
		var bodies int
		if err := h.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT COUNT(*) FROM call_controls WHERE length(body) > 0").Scan(ctx, &bodies)
		}); err != nil || bodies != 0 {
			t.Errorf("%d texts are kept, %v", bodies, err)
		}
	})
}

// A request whose worker is lost is refused rather than executed twice; one that no worker has received waits for the next, and is refused
// when the call ends.
func TestControlsOfALostWorker(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		l := h.active()
		answers, _ := h.control(l, control.Request{Kind: control.Say, Text: "Hello."}, nil)
		h.set(l.CallID, "lease_until = ?", h.get(l.CallID).CreatedAt)
		next := h.takeOver("next")
		if a := <-answers; !fault.Is(a.err, fault.Conflict) {
			t.Errorf("a request of a lost worker: %+v, %v", a.x, a.err)
		}
		waits := make(chan controlled, 1)
		go func() {
			x, err := h.calls.Control(t.Context(), acme, l.CallID, control.Request{Kind: control.Message, Text: "A fact."}, nil)
			waits <- controlled{x, err}
		}()
		for waiting := []string(nil); len(waiting) == 0; {
			var err error
			if waiting, err = h.calls.WaitingControls(t.Context(), []string{l.CallID}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.calls.TakeControls(t.Context(), l); err == nil {
			t.Error("a lost worker receives requests")
		}
		if _, err := h.calls.Finish(t.Context(), next, call.CallerHangup); err != nil {
			t.Fatal(err)
		}
		if a := <-waits; !fault.Is(a.err, fault.Conflict) {
			t.Errorf("a request of a call that ends: %+v, %v", a.x, a.err)
		}
		if _, err := h.calls.Control(t.Context(), acme, l.CallID, control.Request{Kind: control.Mute}, nil); !fault.Is(err, fault.Conflict) {
			t.Errorf("a request to an ended call: %v", err)
		}
		if got, want := h.controls(l.CallID), "say refused the worker that had received it was lost, message refused the call has ended"; got != want {
			t.Errorf("the timeline has %s, want %s", got, want)
		}
	})
}

// A call has so many requests that wait, and so many in all; another call is not concerned.
func TestControlsAreBounded(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		l, other := h.active(), h.active()
		add := func(n int, status call.ControlStatus) {
			t.Helper()
			err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				for range n {
					x := &call.Control{ID: uuid.NewString(), TenantID: acme, CallID: l.CallID, Kind: control.Mute, Body: []byte{}, Status: status, CreatedAt: tx.Now(), TakenAt: tx.Now()}
					if _, err := tx.NewInsert().Model(x).Exec(ctx); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		ask := func(of call.Lease) error {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second) // the session does not answer
			defer cancel()
			_, err := h.calls.Control(ctx, acme, of.CallID, control.Request{Kind: control.Mute}, nil)
			return err
		}
		add(32, call.ControlPending)
		if err := ask(l); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "32") {
			t.Errorf("with 32 that wait: %v", err)
		}
		if err := ask(other); fault.Is(err, fault.Conflict) {
			t.Errorf("of another call: %v", err)
		}
		if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE call_controls SET status = 'applied' WHERE call_id = ?", l.CallID)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		add(5_000-32, call.ControlApplied)
		if err := ask(l); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "5000") {
			t.Errorf("with 5,000 in all: %v", err)
		}
	})
}
