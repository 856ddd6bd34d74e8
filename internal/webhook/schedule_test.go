package webhook

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
)

// endpoint is a tenant's backend at the other end of connections in memory. It
// gives its answers one after the other; to "" it cannot be reached.
type endpoint struct {
	answers  []string
	arrivals []time.Time
}

func (e *endpoint) dial(context.Context, string, string) (net.Conn, error) {
	n := len(e.arrivals)
	e.arrivals = append(e.arrivals, time.Now())
	if e.answers[n] == "" {
		return nil, io.ErrClosedPipe
	}
	near, far := net.Pipe()
	go answer(far, e.answers[n])
	return near, nil
}

// virtually runs f in virtual time, on SQLite. Deliveries go to the endpoint.
func virtually(t *testing.T, e *endpoint, f func(t *testing.T, h *fixture)) {
	databasetest.SQLiteVirtual(t, func(t *testing.T, db *database.DB) {
		h := fixtureOf(t, db)
		h.options.transport.DisableKeepAlives = true
		h.options.transport.DialContext = e.dial
		f(t, h)
	})
}

// The whole retry table.
func TestSchedule(t *testing.T) {
	e := &endpoint{answers: []string{"503 Service Unavailable\r\nRetry-After: 1", "", "429 Too Many Requests\r\nRetry-After: 10", "500 Internal Server Error", "hang", "502 Bad Gateway"}}
	virtually(t, e, func(t *testing.T, h *fixture) {
		if _, _, err := h.settings.Put(t.Context(), acme, []byte(`{"url":"http://receiver.test/","max_retries":6,"timeout":5}`), true); err != nil {
			t.Fatal(err)
		}
		stop := h.deliver()
		time.Sleep(10500 * time.Millisecond) // idle, between two polls
		began := time.Now()
		h.append(acme, event.CallFailed, 1)
		time.Sleep(time.Minute)
		stop()

		// Retry-After extends the third wait to 10 s and does not affect the
		// first; the fifth attempt lasts 5 s.
		want := []time.Duration{0, time.Second, 2 * time.Second, 10 * time.Second, 8 * time.Second, 5*time.Second + 16*time.Second}
		if len(e.arrivals) != len(want) {
			t.Fatalf("%d attempts, want %d", len(e.arrivals), len(want))
		}
		last := began
		for i, at := range e.arrivals {
			if wait := at.Sub(last); wait < want[i] || wait > want[i]+50*time.Millisecond {
				t.Errorf("attempt %d came after %s, want %s", i+1, wait, want[i])
			}
			last = at
		}
		entries, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Limit: 1})
		if err != nil || entries[0].Status != Failed || entries[0].Attempts != 6 || *entries[0].ResponseStatus != 502 {
			t.Errorf("log entry %+v, %v", entries, err)
		}
		_, attempts, err := h.queue.Delivery(t.Context(), acme, entries[0].ID)
		if err != nil || len(attempts) != 6 || attempts[4].DurationMS != 5000 || attempts[4].Error != "no answer within 5 s" || attempts[1].Error == "" {
			t.Errorf("attempts %+v, %v", attempts, err)
		}
	})
}

// No poll finds the deliveries of a webhook that is disabled.
func TestDisabledWaits(t *testing.T) {
	e := &endpoint{answers: []string{"204 No Content"}}
	virtually(t, e, func(t *testing.T, h *fixture) {
		if _, _, err := h.settings.Put(t.Context(), acme, []byte(`{"url":"http://receiver.test/"}`), true); err != nil {
			t.Fatal(err)
		}
		h.append(acme, event.CallStarted, 1)
		if _, err := h.settings.SetEnabled(t.Context(), acme, false); err != nil {
			t.Fatal(err)
		}
		stop := h.deliver()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(e.arrivals) > 0 {
			t.Error("a disabled webhook was called")
		}
		if _, err := h.settings.SetEnabled(t.Context(), acme, true); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * poll)
		stop()
		if len(e.arrivals) != 1 {
			t.Errorf("%d attempts once it is enabled, want 1", len(e.arrivals))
		}
	})
}

// answer reads a request and answers it with a status line and headers, or hangs until the
// other side closes the connection.
func answer(c net.Conn, head string) {
	defer c.Close()
	if head == "hang" {
		io.Copy(io.Discard, c)
		return
	}
	request, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	io.Copy(io.Discard, request.Body)
	fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", head)
}

// after is a job of which an attempt, numbered from 1, was just made.
func after(attempt int, policy RetryPolicy, most int) *job {
	j := &job{configRow: configRow{RetryPolicy: policy}}
	j.Delivery.Attempts, j.Delivery.MaxAttempts = attempt-1, most
	return j
}

// The extended policy makes its attempts over 24 hours, with pauses that no two deliveries share.
func TestExtendedPolicy(t *testing.T) {
	var all time.Duration
	for attempt, want := range extendedPauses {
		all += want
		different := map[time.Duration]bool{}
		for range 100 {
			status, wait := after(attempt+1, RetryExtended, extendedAttempts).nextStatus(&http.Response{StatusCode: 500}, nil)
			if status != Pending || wait < want*9/10 || wait > want*11/10 {
				t.Fatalf("after attempt %d: %s in %s, want about %s", attempt+1, status, wait, want)
			}
			different[wait] = true
		}
		if len(different) < 90 {
			t.Errorf("after attempt %d 100 deliveries have %d pauses", attempt+1, len(different))
		}
	}
	if all.Round(time.Hour) != 24*time.Hour || len(extendedPauses) != extendedAttempts-1 {
		t.Errorf("%d attempts in %s", len(extendedPauses)+1, all)
	}
	if status, _ := after(extendedAttempts, RetryExtended, extendedAttempts).nextStatus(nil, io.EOF); status != Failed {
		t.Errorf("after the last attempt: %s", status)
	}
	if _, wait := after(1, RetryExtended, extendedAttempts).nextStatus(&http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {"60"}}}, nil); wait != time.Minute {
		t.Errorf("Retry-After: 60 waits %s", wait)
	}
}

// An endpoint that is unreachable for hours receives its delivery eventually, under the extended policy.
func TestExtendedSchedule(t *testing.T) {
	e := &endpoint{answers: []string{"", "", "500 Oops", "", "503 Busy", "500 Oops", "", "204 No Content"}}
	virtually(t, e, func(t *testing.T, h *fixture) {
		if _, _, err := h.settings.Put(t.Context(), acme, []byte(`{"url":"http://receiver.test/","max_retries":2,"retry_policy":"extended"}`), true); err != nil {
			t.Fatal(err)
		}
		stop := h.deliver()
		h.append(acme, event.CallFailed, 1)
		const moment = 2 * time.Second
		for n, pause := range extendedPauses {
			time.Sleep(moment)
			entries, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Limit: 1})
			if err != nil || entries[0].Attempts != n+1 || entries[0].Status != Pending {
				t.Fatalf("after attempt %d: %+v, %v", n+1, entries, err)
			}
			if wait := entries[0].NextAttemptAt.Sub(h.now()); wait < pause*9/10-moment || wait > pause*11/10 {
				t.Errorf("after attempt %d it waits %s, want about %s", n+1, wait, pause)
			}
			if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error { // hours of polls cost minutes
				_, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET due_at = ?", tx.Now())
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(moment)
		stop()
		entries, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Limit: 1})
		if err != nil || entries[0].Status != Delivered || entries[0].Attempts != extendedAttempts || entries[0].MaxAttempts != extendedAttempts {
			t.Errorf("log entry %+v, %v", entries, err)
		}
	})
}

func TestVerdict(t *testing.T) {
	for attempt, want := range []time.Duration{1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 4: 8 * time.Second, 5: 16 * time.Second, 19: 1 << 18 * time.Second} {
		if want == 0 {
			continue
		}
		if status, wait := after(attempt, RetryStandard, 20).nextStatus(&http.Response{StatusCode: 500}, nil); status != Pending || wait != want {
			t.Errorf("after attempt %d: %s in %s, want %s", attempt, status, wait, want)
		}
	}
	if status, _ := after(20, RetryStandard, 20).nextStatus(nil, io.EOF); status != Failed {
		t.Errorf("after the last attempt: %s", status)
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{"": 0, "0": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "-1": 0, "soon": 0, "1.5": 0, "999999": time.Hour, "99999999999999999999": 0,
		"Wed, 21 Oct 2015 07:28:00 GMT": 0} {
		if got := retryAfter(header, time.Now()); got != want {
			t.Errorf("%q: %s, want %s", header, got, want)
		}
	}
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	date := now.Add(30 * time.Second).Format(http.TimeFormat)
	if got := retryAfter(date, now); got != 30*time.Second {
		t.Errorf("%s: %s", date, got)
	}
}
