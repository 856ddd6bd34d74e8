package webhook

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
)

// A node whose clock is wrong, here by decades (a synctest bubble begins in the year 2000), signs, waits and keeps its log by the
// database's clock, and its events are in order with those of other nodes.
func TestClockOff(t *testing.T) {
	url := databasetest.PostgresURL(t)
	db, err := database.Open(t.Context(), url, "")
	if err != nil {
		t.Fatal(err)
	}
	databasetest.Tenant(t, db, acme, "acme")
	before := newFixture(t, db)
	if _, _, err := before.settings.Put(t.Context(), acme, []byte(`{"url":"http://receiver.test/"}`), true); err != nil {
		t.Fatal(err)
	}
	before.append(acme, event.CallStarted, 1)
	if err := db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET status = 'delivered', due_at = NULL, finished_at = ?", tx.Now())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	db.Close()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		db, err := database.Open(ctx, url, "")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		now := func() (now time.Time) {
			if err := db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error { now = tx.Now(); return nil }); err != nil {
				t.Error(err)
			}
			return now
		}
		if off := time.Until(now()); off < 1000*time.Hour {
			t.Fatalf("the clocks differ by %s", off)
		}
		h := newFixture(t, db)
		type arrival struct{ at, signed time.Time }
		arrivals := make(chan arrival, 10)
		transport := newTransport(true)
		transport.DisableKeepAlives = true
		transport.DialContext = func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				defer far.Close()
				request, err := http.ReadRequest(bufio.NewReader(far))
				if err != nil {
					return
				}
				io.Copy(io.Discard, request.Body)
				stamp, _, _ := strings.Cut(strings.TrimPrefix(request.Header.Get(SignatureHeader), "t="), ",")
				seconds, _ := strconv.ParseInt(stamp, 10, 64)
				n := len(arrivals)
				arrivals <- arrival{now(), time.Unix(seconds, 0)}
				io.WriteString(far, []string{"HTTP/1.1 500 Oops", "HTTP/1.1 204 Fine"}[min(n, 1)]+"\r\nConnection: close\r\n\r\n")
			}()
			return near, nil
		}
		h.options.transport = transport
		if _, _, err := h.settings.Put(ctx, acme, []byte(`{"url":"http://receiver.test/"}`), true); err != nil {
			t.Fatal(err)
		}
		began := now()
		h.append(acme, event.CallFailed, 1)
		if page, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Limit: 2}); err != nil || len(page) != 2 || page[0].EventType != event.CallFailed {
			t.Fatalf("not the newest first: %+v, %v", page, err)
		}
		d := NewDeliverer(db, h.bus, h.settings.sealer, extras{}, errorLog{}, h.options)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			d.Run(ctx)
		}()
		for now().Before(began.Add(patience)) { // by the database's clock, since this one's is wrong
			page, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			if page[0].FinishedAt != nil {
				break
			}
			time.Sleep(50 * time.Millisecond) // of virtual time, which queries do not advance
		}
		cancel()
		<-ended
		if len(arrivals) != 2 {
			t.Fatalf("%d attempts, want 2", len(arrivals))
		}
		first, second := <-arrivals, <-arrivals
		if wait := second.at.Sub(first.at); wait < time.Second || wait > patience {
			t.Errorf("the second attempt came after %s, want 1 s", wait)
		}
		for _, a := range []arrival{first, second} {
			if off := a.at.Sub(a.signed); off < -2*time.Second || off > patience {
				t.Errorf("signed %s from the database's time", off)
			}
		}
		page, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, attempts, err := h.queue.Delivery(t.Context(), acme, page[0].ID)
		if err != nil || len(attempts) != 2 || page[0].Status != Delivered {
			t.Fatalf("%+v, %+v, %v", page, attempts, err)
		}
		if off := attempts[1].StartedAt.Sub(second.at); off.Abs() > patience {
			t.Errorf("the log has an attempt %s from when it was", off)
		}
	})
}
