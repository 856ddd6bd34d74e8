package webhook

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// streak runs attempts of one delivery after the other through verdicts, each
// with a status code, and returns how many of them disabled the webhook.
func (h *fixture) streak(codes ...int) (disabled int) {
	h.t.Helper()
	reported := errorLog{disabled: func(tenantID, callID, message string) {
		disabled++
		if tenantID != acme || callID != call1 || !strings.Contains(message, "disabled") {
			h.t.Errorf("reported of tenant %s, call %s: %s", tenantID, callID, message)
		}
	}}
	webhookID := h.webhook(acme)
	err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		for _, code := range codes {
			o := result{attempted: true, failing: true, status: Pending, code: code}
			if code < 300 {
				o.status = Delivered
			}
			o.job.ID, o.job.TenantID, o.job.URL = webhookID, acme, "https://backend.example.com/hook"
			ended, err := countFailures(ctx, tx, reported, []result{o})
			if err != nil {
				return err
			}
			if len(ended) > 0 && ended[0].job.TenantID != acme {
				return fmt.Errorf("disabled %+v", ended)
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return disabled
}

// failed is n codes of failures.
func failed(n int) []int {
	codes := make([]int, n)
	for i := range codes {
		codes[i] = 500
	}
	return codes
}

// since has the present streak of failures begin a time ago.
func (h *fixture) since(ago time.Duration) {
	h.t.Helper()
	err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE webhooks SET failing_since = ? WHERE tenant_id = ? AND failing_since IS NOT NULL", tx.Now().Add(-ago), acme)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) enabled() bool {
	h.t.Helper()
	w, err := h.settings.Get(h.t.Context(), acme)
	if err != nil {
		h.t.Fatal(err)
	}
	return w.Enabled
}

// A webhook is disabled when its attempts have failed for 120 hours and at
// least a hundred times, all in a row, and by nothing less.
func TestHopelessEndpoint(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		h.configure(acme, r, nil)
		h.append(acme, event.CallCompleted, 1) // the error log's entry names its call
		expect := func(what string, reported int, enabled bool, codes ...int) {
			t.Helper()
			if got := h.streak(codes...); got != reported || h.enabled() != enabled {
				t.Errorf("%s: disabled %d times, enabled %v; want %d, %v", what, got, h.enabled(), reported, enabled)
			}
		}
		expect("many within an hour", 0, true, failed(500)...)
		h.since(disableAfter - time.Minute)
		expect("for not quite so long", 0, true, 404)
		h.since(disableAfter + time.Minute)
		expect("a success", 0, true, 200)
		expect("few", 0, true, failed(99)...)
		h.since(disableAfter + time.Minute)
		expect("few, then a success, then few", 0, true, append([]int{204}, failed(50)...)...)
		h.since(disableAfter + time.Minute)
		expect("one short of a hundred", 0, true, failed(49)...)
		expect("the hundredth", 1, false, 500)
		expect("one that was still in flight", 0, false, 500)

		if _, err := h.settings.SetEnabled(t.Context(), acme, true); err != nil {
			t.Fatal(err)
		}
		expect("after it was enabled again", 0, true, failed(99)...)
		h.since(disableAfter + time.Minute)
		if _, err := h.settings.Patch(t.Context(), acme, []byte(`{"url":"http://127.0.0.1:1/elsewhere"}`), true); err != nil {
			t.Fatal(err)
		}
		expect("after its address changed", 0, true, 500)
	})
}

// The deliverer counts what fails, disables what is disableAfter, and forgets
// failures at a success; what waits continues waiting.
func TestDelivererDisables(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		answers := make(chan int, 10)
		r.answer = status(answers)
		h.configure(acme, r, map[string]any{"max_retries": 1})
		count := func() (n int) {
			t.Helper()
			if err := h.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
				return tx.NewRaw("SELECT failures FROM webhooks WHERE tenant_id = ?", acme).Scan(ctx, &n)
			}); err != nil {
				t.Fatal(err)
			}
			return n
		}
		reported := make(chan string, 10)
		h.faults = errorLog{disabled: func(tenantID, callID, message string) { reported <- message }}
		h.deliver()
		deliver := func(code int) {
			t.Helper()
			answers <- code
			h.append(acme, event.CallCompleted, 1)
			h.settled(acme)
		}
		deliver(500)
		deliver(410)
		if n := count(); n != 2 {
			t.Errorf("%d failures counted, want 2", n)
		}
		deliver(204)
		if n := count(); n != 0 {
			t.Errorf("%d failures after a success", n)
		}
		deliver(500)
		h.streak(failed(98)...)
		h.since(disableAfter + time.Minute)
		deliver(503)
		select {
		case message := <-reported:
			if !strings.Contains(message, "100 attempts in a row failed") {
				t.Errorf("reported %q", message)
			}
		case <-time.After(patience):
			t.Fatal("nothing was reported")
		}
		if h.enabled() {
			t.Error("the webhook is still enabled")
		}
	})
}
