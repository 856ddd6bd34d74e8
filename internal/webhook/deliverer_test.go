package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
)

func TestFormA(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		h.configure(acme, r, map[string]any{"headers": map[string]any{"X-Team": "blue", "Authorization": "Bearer b"},
			"filter": map[string]any{"include_transcript": true, "include_context": true}})
		h.append(acme, event.CallCompleted, 1)
		h.deliver()
		got := r.wait(1)[0]
		created := got.json["created"].(float64)
		if age := h.now().Sub(time.Unix(int64(created), 0)); age < -time.Second || age > 5*time.Minute {
			t.Errorf("created %v is %s ago", created, age)
		}
		id := got.json["id"].(string)
		want := map[string]any{"id": id, "object": "event", "api_version": event.APIVersion, "created": created, "type": "call.completed",
			"tenant_id": acme, "livemode": true, "data": map[string]any{
				"call_id": call1, "status": "completed",
				"transcript": []any{map[string]any{"role": "user", "content": "hello"}},
				"context":    map[string]any{"tenant": acme, "call": call1}}}
		if diff := cmp.Diff(want, got.json); diff != "" || !strings.HasPrefix(id, "evt_") {
			t.Errorf("id %s: %s", id, diff)
		}
		d := h.settled(acme)[0]
		for name, want := range map[string]string{"Content-Type": "application/json", "User-Agent": userAgent, "X-Team": "blue", "Authorization": "Bearer b",
			"X-Webhook-Event": "call.completed", "X-Webhook-Delivery": d.ID, "X-Webhook-Attempt": "1", "X-Webhook-Max-Attempts": "5"} {
			if have := got.header.Get(name); have != want {
				t.Errorf("header %s is %q, want %q", name, have, want)
			}
		}
		if d.Status != Delivered || d.Attempts != 1 || d.EventID != id || *d.ResponseStatus != 200 || *d.CallID != call1 || d.NextAttemptAt != nil || d.Error != nil {
			t.Errorf("log entry: %+v", d)
		}
	})
}

// A context that does not open is left out, and does not count against the
// endpoint.
func TestContextDoesNotOpen(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		var logged bytes.Buffer
		h.options.Log = slog.New(slog.NewTextHandler(&logged, nil))
		h.extras.closed = true
		r := h.newReceiver()
		h.configure(acme, r, map[string]any{"filter": map[string]any{"include_transcript": true, "include_context": true}})
		h.append(acme, event.CallCompleted, 1)
		stop := h.deliver()
		d := h.settled(acme)[0]
		stop()
		if d.Status != Delivered || d.Attempts != 1 {
			t.Fatalf("%+v", d)
		}
		want := map[string]any{"call_id": call1, "status": "completed", "transcript": []any{map[string]any{"role": "user", "content": "hello"}}}
		if diff := cmp.Diff(want, r.wait(1)[0].json["data"]); diff != "" {
			t.Error(diff)
		}
		line, _, _ := strings.Cut(logged.String(), "\n")
		for _, want := range []string{"level=ERROR", "cannot be decrypted", "extra=context", "delivery=" + d.ID, "tenant=" + acme} {
			if !strings.Contains(line, want) {
				t.Errorf("no %s in %s", want, line)
			}
		}
	})
}

// Webhooks that ask for it have the link of a person's page, or null when it opens nothing any more.
func TestPageLinks(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		h.options.Log = slog.New(slog.DiscardHandler)
		r := h.newReceiver()
		add := func(eventType, data string) {
			if err := h.db.Tenant(acme).Write(context.Background(), func(ctx context.Context, tx database.Tx) error {
				return h.events.Append(ctx, tx, event.Event{TenantID: acme, CallID: call1, Type: eventType, Livemode: true, Data: json.RawMessage(data)})
			}); err != nil {
				t.Fatal(err)
			}
		}
		h.deliver()
		link := "https://voice.example.com/transfer/page#" + acme
		for n, c := range []struct {
			include bool
			of      string
			page    string
			want    any // nil: no field
		}{
			{true, event.CallTransferStarted, "page", link},
			{true, event.CallTransferAnswered, "used", "null"},
			{true, event.CallTransferCompleted, "page", link},
			{true, event.CallTransferStarted, "", nil},
			{true, event.CallTransferStarted, "closed", nil},
			{true, event.CallHeld, "page", nil},
			{false, event.CallTransferStarted, "page", nil},
		} {
			h.configure(acme, r, map[string]any{"filter": map[string]any{"include_page": c.include}})
			add(c.of, `{"page_id":"`+c.page+`"}`)
			data := r.wait(n + 1)[n].json["data"].(map[string]any)
			got, has := data["page_url"]
			if has && got == nil {
				got = "null"
			}
			if has != (c.want != nil) || got != c.want || data["page_id"] != c.page {
				t.Errorf("%d: %v, want page_url %v", n, data, c.want)
			}
		}
	})
}

func TestFormB(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		h.configure(acme, r, map[string]any{"payload_format": "envelope", "max_retries": 3})
		h.append(acme, event.CallStarted, 1)
		h.deliver()
		got := r.wait(1)[0]
		inner := got.json["event"].(map[string]any)
		want := map[string]any{"delivery_id": h.settled(acme)[0].ID, "attempt": 1.0, "max_attempts": 3.0, "event": map[string]any{
			"id": inner["id"], "type": "call.started", "created": inner["created"], "tenant_id": acme, "livemode": true,
			"data": map[string]any{"call_id": call1, "status": "completed"}}}
		if diff := cmp.Diff(want, got.json); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFilter(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		count := func() int {
			_, total, err := h.queue.Deliveries(context.Background(), acme, DeliveryQuery{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			return total
		}
		r := h.newReceiver()
		h.append(acme, event.CallStarted, 1)
		if n := count(); n != 0 {
			t.Fatalf("%d deliveries without a configuration", n)
		}
		h.configure(acme, r, map[string]any{"filter": map[string]any{"events": []string{"call.completed", "call.failed"}}})
		for _, kind := range event.Types {
			h.append(acme, kind, 1)
			h.append(other, kind, 1)
		}
		if n := count(); n != 2 {
			t.Errorf("%d deliveries, want the 2 that the filter names", n)
		}
		if _, err := h.settings.SetEnabled(context.Background(), acme, false); err != nil {
			t.Fatal(err)
		}
		h.append(acme, event.CallFailed, 1)
		if n := count(); n != 2 {
			t.Errorf("%d deliveries, want none more while disabled", n)
		}
	})
}

// What an answer means, and what is kept of it.
func TestAnswers(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		trap := h.newReceiver() // nothing is to be redirected here
		for i, c := range []struct {
			code   int
			body   string
			status Status
		}{
			{200, "", Delivered},
			{204, "", Delivered},
			{202, strings.Repeat("a", 40_000) + "end", Delivered},
			{201, "nul \x00, \x1b[31mred\u0085, \"tab\t\" and broken \xff text\r\n", Delivered},
			{302, "", Failed},
			{307, "", Failed},
			{400, "no", Failed},
			{401, "", Failed},
			{410, "", Failed},
			{429, "slow down", Failed}, // after its last attempt
			{500, "oops", Failed},
			{503, "", Failed},
		} {
			r := h.newReceiver()
			r.answer = func(w http.ResponseWriter, n int) {
				w.Header().Set("Location", trap.url)
				w.WriteHeader(c.code)
				w.Write([]byte(c.body))
			}
			h.configure(acme, r, map[string]any{"max_retries": 1})
			h.append(acme, event.CallTimeout, 1)
			stop := h.deliver()
			r.wait(1)
			d := h.settled(acme)
			stop()
			if len(d) != i+1 || d[0].Status != c.status || *d[0].ResponseStatus != c.code || len(r.arrivals) != 1 {
				t.Errorf("%d: %d log entries, the newest %+v", c.code, len(d), d[0])
			}
			_, attempts, err := h.queue.Delivery(context.Background(), acme, d[0].ID)
			if err != nil || len(attempts) != 1 {
				t.Fatalf("%d: %d attempts, %v", c.code, len(attempts), err)
			}
			want := c.body[:min(len(c.body), 16<<10)]
			want = strings.NewReplacer("\x00", "", "\xff", "", "\x1b", "", "\u0085", "").Replace(want)
			if attempts[0].ResponseBody != want || attempts[0].Number != 1 || *attempts[0].ResponseStatus != c.code {
				t.Errorf("%d: attempt %d: status %d, %d bytes of body, want %d", c.code, attempts[0].Number, *attempts[0].ResponseStatus, len(attempts[0].ResponseBody), len(want))
			}
		}
		if len(trap.arrivals) > 0 {
			t.Error("a redirect was followed")
		}
	})
}

// The retry comes when it is due, not at the next poll; Retry-After lengthens.
func TestRetryInTime(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		r.answer = func(w http.ResponseWriter, n int) {
			if n < 3 {
				w.Header().Set("Retry-After", []string{"", "0", "3"}[n])
				w.WriteHeader([]int{0, 500, 429}[n])
			}
		}
		h.configure(acme, r, nil)
		h.append(acme, event.CallConnected, 1)
		h.deliver()
		got := r.wait(3)
		for i, want := range []time.Duration{time.Second, 3 * time.Second} {
			if wait := got[i+1].at.Sub(got[i].at); wait < want || wait > want+50*time.Millisecond {
				t.Errorf("attempt %d came %s after the one before, want %s to 50 ms more", i+2, wait, want)
			}
		}
		if id := got[0].header.Get("X-Webhook-Delivery"); got[2].header.Get("X-Webhook-Delivery") != id || got[2].header.Get("X-Webhook-Attempt") != "3" || !bytes.Equal(got[0].body, got[2].body) {
			t.Errorf("the third attempt is another delivery: %v", got[2].header)
		}
		d := h.settled(acme)[0]
		if _, attempts, err := h.queue.Delivery(context.Background(), acme, d.ID); err != nil || len(attempts) != 3 || d.Status != Delivered || d.Attempts != 3 {
			t.Errorf("%+v with %d attempts, %v", d, len(attempts), err)
		}
	})
}

// What a failed attempt waits for is in the row, by the database's clock, and is
// what comes next.
func TestNextDue(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		h.append(acme, event.CallStarted, 1)
		if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			if next, err := newStore(h.db).nextDue(ctx, tx); err != nil || !next.IsZero() {
				t.Errorf("while all is due: next due at %s, %v", next, err)
			}
			jobs, _, err := newStore(h.db).claim(ctx, tx, "holder", testBudget)
			if err != nil || len(jobs) != 1 {
				t.Fatalf("claimed %d, %v", len(jobs), err)
			}
			if next, err := newStore(h.db).nextDue(ctx, tx); err != nil || !next.Equal(tx.Now().Add(lease)) {
				t.Errorf("while it is leased: next due at %s, %v, want %s", next, err, tx.Now().Add(lease))
			}
			if _, err := newStore(h.db).record(ctx, tx, "holder", []result{{job: jobs[0], attempted: true, status: Pending, wait: time.Hour, started: time.Now()}}); err != nil {
				return err
			}
			if next, err := newStore(h.db).nextDue(ctx, tx); err != nil || !next.Equal(tx.Now().Add(time.Hour)) {
				t.Errorf("while it waits for an hour: next due at %s, %v, want %s", next, err, tx.Now().Add(time.Hour))
			}
			if jobs, _, err = newStore(h.db).claim(ctx, tx, "holder", testBudget); err != nil || len(jobs) != 0 {
				t.Errorf("claimed %d that are not due, %v", len(jobs), err)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
}

// A process that died holding a delivery leaves a lease behind; when it ends,
// the same attempt is made.
func TestLapsedLease(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		ctx := context.Background()
		r := h.newReceiver()
		h.configure(acme, r, nil)
		h.append(acme, event.CallStarted, 1)
		var jobs []job
		var end time.Time // of the lease
		if err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
			if jobs, _, err = newStore(h.db).claim(ctx, tx, "dead", testBudget); err != nil {
				return err
			}
			end = tx.Now().Add(600 * time.Millisecond)
			_, err = tx.ExecContext(ctx, "UPDATE webhook_deliveries SET due_at = ?", end)
			return err
		}); err != nil || len(jobs) != 1 {
			t.Fatalf("claimed %d, %v", len(jobs), err)
		}
		h.deliver()
		got := r.wait(1)[0]
		if late := got.at.Sub(end); late < 0 || late > 50*time.Millisecond {
			t.Errorf("delivered %s after the end of the lease", late)
		}
		if n := got.header.Get("X-Webhook-Attempt"); n != "1" {
			t.Errorf("attempt %s, want the same one again", n)
		}
		h.settled(acme)
		// The dead process's result comes late and counts no more.
		if err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			recorded, err := newStore(h.db).record(ctx, tx, "dead", []result{{job: jobs[0], attempted: true, status: Failed}})
			if len(recorded) != 0 {
				t.Error("a result without a lease recorded")
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if d := h.settled(acme)[0]; d.Status != Delivered || d.Attempts != 1 {
			t.Errorf("log entry: %+v", d)
		}
	})
}

// A hanging endpoint holds two slots; other tenants do not notice, and two
// nodes together keep to the two slots.
func TestHangingEndpoint(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		hanging, quick := h.newReceiver(), h.newReceiver()
		release := make(chan struct{})
		hanging.answer = func(http.ResponseWriter, int) { <-release }
		h.configure(acme, hanging, nil)
		h.configure(other, quick, nil)
		h.append(acme, event.CallStarted, 200)
		h.deliver()
		h.deliver()
		hanging.wait(2)
		for n := range 20 {
			committed := time.Now()
			h.append(other, event.CallStarted, 1)
			quick.wait(n + 1)
			if wait := time.Since(committed); wait > 2*busyPoll {
				t.Errorf("another tenant waited %s", wait)
			}
		}
		if n := len(hanging.wait(2)); n != 2 {
			t.Errorf("%d deliveries in flight to one endpoint, want 2", n)
		}
		close(release)
		hanging.wait(200)
		h.settled(acme)
		if hanging.top != 2 || len(hanging.arrivals) != 200 {
			t.Errorf("%d deliveries for 200 events, %d at once", len(hanging.arrivals), hanging.top)
		}
	})
}

func TestTimeout(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		release := make(chan struct{})
		defer close(release)
		r.answer = func(http.ResponseWriter, int) { <-release }
		h.configure(acme, r, map[string]any{"timeout": 1, "max_retries": 1})
		h.append(acme, event.CallStarted, 1)
		h.deliver()
		d := h.settled(acme)[0]
		if d.Status != Failed || d.ResponseStatus != nil || *d.Error != "no answer within 1 s" {
			t.Errorf("log entry: %+v", d)
		}
	})
}

// Stopping waits for an attempt; one that does not finish is returned immediately, uncounted, and no goroutine is left.
func TestStop(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		finish, release := make(chan struct{}), make(chan struct{})
		r.answer = func(_ http.ResponseWriter, n int) {
			if n == 1 {
				<-finish
			} else {
				<-release
			}
		}
		h.configure(acme, r, nil)
		h.options.Drain = time.Second
		before := goleak.IgnoreCurrent()
		h.append(acme, event.CallStarted, 2)
		stop := h.deliver()
		r.wait(2)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			stop()
		}()
		close(finish)
		<-stopped // though the second attempt hangs
		close(release)
		page, _, err := h.queue.Deliveries(context.Background(), acme, DeliveryQuery{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		ended := map[Status]int{}
		for _, d := range page {
			ended[d.Status] = d.Attempts
		}
		if diff := cmp.Diff(map[Status]int{Delivered: 1, Pending: 0}, ended); diff != "" {
			t.Error(diff)
		}
		if err := goleak.Find(before, goleak.IgnoreAnyFunction("net/http.(*conn).serve")); err != nil {
			t.Error(err)
		}
	})
}

func TestRotationOverlaps(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		ctx := context.Background()
		r := h.newReceiver()
		h.configure(acme, r, nil)
		old := r.secrets()[0]
		_, fresh, err := h.settings.Rotate(ctx, acme, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		r.secrets = func() []string { return []string{fresh, old} }
		h.append(acme, event.CallStarted, 1)
		h.deliver()
		r.wait(1)
		if d := h.settled(acme)[0]; d.Status != Delivered {
			t.Errorf("%+v", d)
		}
	})
}

func TestTestAndReplay(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		ctx := context.Background()
		if _, err := h.queue.Test(ctx, acme, true); !fault.Is(err, fault.NotFound) {
			t.Errorf("test without a configuration: got %v", err)
		}
		r := h.newReceiver()
		h.configure(acme, r, map[string]any{"filter": map[string]any{"events": []string{"call.failed"}}})
		receipt, err := h.queue.Test(ctx, acme, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.queue.Replay(ctx, acme, receipt.DeliveryID, true); !fault.Is(err, fault.Conflict) {
			t.Errorf("replay of a pending delivery: got %v", err)
		}
		h.deliver()
		got := r.wait(1)[0]
		if got.json["id"] != receipt.EventID || got.json["type"] != "call.test" || got.json["livemode"] != false || got.header.Get("X-Webhook-Delivery") != receipt.DeliveryID {
			t.Errorf("%+v got %s", receipt, got.body)
		}
		h.settled(acme)
		if _, err := h.queue.Replay(ctx, other, receipt.DeliveryID, true); !fault.Is(err, fault.NotFound) {
			t.Errorf("replay of another tenant's delivery: got %v", err)
		}
		again, err := h.queue.Replay(ctx, acme, receipt.DeliveryID, true)
		if err != nil || again.EventID != receipt.EventID || again.DeliveryID == receipt.DeliveryID {
			t.Fatalf("%+v, %v", again, err)
		}
		if got := r.wait(2)[1]; got.json["id"] != receipt.EventID || got.header.Get("X-Webhook-Delivery") != again.DeliveryID {
			t.Errorf("replayed %s", got.body)
		}
		h.settled(acme)
		if _, _, err := h.queue.Delivery(ctx, other, again.DeliveryID); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant's delivery: got %v", err)
		}
		for query, want := range map[DeliveryQuery]int{{Status: Delivered}: 2, {Status: Failed}: 0, {EventType: "call.test"}: 2, {EventType: "call.failed"}: 0, {CallID: call1}: 0, {Offset: 1}: 2} {
			query.Limit = 10
			if page, total, err := h.queue.Deliveries(ctx, acme, query); err != nil || total != want || len(page) != want-query.Offset {
				t.Errorf("%+v: %d of %d, %v; want %d", query, len(page), total, err, want)
			}
		}
		if _, err := h.settings.SetEnabled(ctx, acme, false); err != nil {
			t.Fatal(err)
		}
		if _, err := h.queue.Test(ctx, acme, true); !fault.Is(err, fault.Conflict) {
			t.Errorf("test while disabled: got %v", err)
		}
		if _, err := h.queue.Replay(ctx, acme, receipt.DeliveryID, true); !fault.Is(err, fault.Conflict) {
			t.Errorf("replay while disabled: got %v", err)
		}
	})
}

// Deliveries of a disabled webhook go out once it is enabled, and fail with its
// deletion.
func TestDisabledAndDeleted(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		ctx := context.Background()
		r := h.newReceiver()
		h.configure(acme, r, nil)
		h.append(acme, event.CallStarted, 1)
		if _, err := h.settings.SetEnabled(ctx, acme, false); err != nil {
			t.Fatal(err)
		}
		stop := h.deliver()
		if _, err := h.settings.SetEnabled(ctx, acme, true); err != nil {
			t.Fatal(err)
		}
		r.wait(1)
		h.settled(acme)
		stop()
		h.append(acme, event.CallStarted, 1)
		if err := h.settings.Delete(ctx, acme); err != nil {
			t.Fatal(err)
		}
		if d := h.settled(acme); d[0].Status != Failed || d[1].Status != Delivered {
			t.Errorf("%+v", d)
		}
	})
}

// The log has a delivery's result and nothing that is the tenant's own.
func TestLogLine(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		r := h.newReceiver()
		r.answer = func(w http.ResponseWriter, _ int) { w.Write([]byte("private answer")) }
		var logged bytes.Buffer
		h.options.Log = slog.New(slog.NewTextHandler(&logged, nil))
		h.configure(acme, r, map[string]any{"headers": map[string]any{"X-Key": "private key"}})
		h.append(acme, event.CallCompleted, 1)
		stop := h.deliver()
		d := h.settled(acme)[0]
		stop()
		lines := strings.Split(strings.TrimSpace(logged.String()), "\n")
		if len(lines) != 1 {
			t.Fatalf("%d log lines: %s", len(lines), logged.String())
		}
		for _, want := range []string{"webhook delivered", "delivery=" + d.ID, "event=" + d.EventID, "tenant=" + acme, "http_status=200", "duration_ms="} {
			if !strings.Contains(lines[0], want) {
				t.Errorf("no %s in %s", want, lines[0])
			}
		}
		for _, private := range []string{"hidden", "token", "private", call1} {
			if strings.Contains(lines[0], private) {
				t.Errorf("%s in %s", private, lines[0])
			}
		}
	})
}
