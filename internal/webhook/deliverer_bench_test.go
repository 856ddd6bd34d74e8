package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
)

// benchFixture is a fixture whose tenants each have a webhook that leads to one
// quick receiver.
type benchFixture struct {
	*fixture
	url     string // of the receiver
	tenants []string
	arrived atomic.Int64
	// arrive, when set, is given what each delivery's event has for "n".
	arrive atomic.Pointer[func(n int)]
}

// benchDatabases runs f on both databases with as many tenants.
func benchDatabases(b *testing.B, tenants int, f func(b *testing.B, h *benchFixture)) {
	for _, kind := range []string{"sqlite", "postgres"} {
		b.Run(fmt.Sprintf("%s/endpoints=%d", kind, tenants), func(b *testing.B) {
			url, path := "", filepath.Join(b.TempDir(), "parley.db")
			if kind == "postgres" {
				url, path = databasetest.PostgresURL(b), ""
			}
			db, err := database.Open(b.Context(), url, path)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Migrate(b.Context()); err != nil {
				b.Fatal(err)
			}
			h := &benchFixture{fixture: newFixture(b, db)}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				body, err := io.ReadAll(q.Body)
				h.arrived.Add(1)
				arrive := h.arrive.Load()
				if arrive == nil || err != nil {
					return
				}
				var e struct{ Data struct{ N int } }
				if err := json.Unmarshal(body, &e); err != nil {
					b.Error(err)
				}
				(*arrive)(e.Data.N)
			}))
			defer server.Close()
			h.url = server.URL
			for i := range tenants {
				id := fmt.Sprintf("0193a6f0-0000-7000-8000-%012d", i+1)
				databasetest.Tenant(b, db, id, id)
				h.direct(id, server.URL)
				h.tenants = append(h.tenants, id)
			}
			f(b, h)
		})
	}
}

// direct leads a tenant's webhook to an address.
func (h *benchFixture) direct(tenantID, url string) {
	h.t.Helper()
	doc, err := json.Marshal(map[string]any{"url": url, "filter": map[string]any{"include_metrics": false}})
	if err != nil {
		h.t.Fatal(err)
	}
	if _, _, err := h.settings.Put(h.t.Context(), tenantID, doc, true); err != nil {
		h.t.Fatal(err)
	}
}

// writeEvent writes an event in a separate transaction and returns when it is
// committed.
func (h *benchFixture) writeEvent(tenantID string, n int) time.Time {
	err := h.db.Tenant(tenantID).Write(context.Background(), func(ctx context.Context, tx database.Tx) error {
		return h.events.Append(ctx, tx, event.Event{TenantID: tenantID, CallID: call1, Type: event.CallCompleted, Livemode: true, Data: json.RawMessage(fmt.Sprintf(`{"n": %d}`, n))})
	})
	if err != nil {
		h.t.Error(err)
	}
	return time.Now()
}

// paced writes events of the tenants in turn at a steady rate, and returns the latency of each from its commit to its arrival,
// sorted.
func (h *benchFixture) paced(tenants []string, perSecond, n int) []time.Duration {
	committed, arrived := make([]atomic.Int64, n), make([]atomic.Int64, n)
	began := time.Now()
	var left sync.WaitGroup
	left.Add(n)
	arrive := func(i int) {
		arrived[i].Store(int64(time.Since(began)))
		left.Done()
	}
	h.arrive.Store(&arrive)
	var writing sync.WaitGroup
	ticker := time.NewTicker(time.Second / time.Duration(perSecond))
	defer ticker.Stop()
	for i := range n {
		<-ticker.C
		writing.Go(func() { committed[i].Store(int64(h.writeEvent(tenants[i%len(tenants)], i).Sub(began))) })
	}
	writing.Wait()
	left.Wait()
	h.arrive.Store(nil)
	took := make([]time.Duration, n)
	for i := range took {
		took[i] = max(0, time.Duration(arrived[i].Load()-committed[i].Load()))
	}
	slices.Sort(took)
	return took
}

func report(b *testing.B, took []time.Duration) {
	for _, q := range []int{50, 99} {
		b.ReportMetric(float64(took[len(took)*q/100].Microseconds())/1000, fmt.Sprintf("ms-p%d", q))
	}
}

// BenchmarkCommitToReceiver has 50 events a second.
func BenchmarkCommitToReceiver(b *testing.B) {
	benchDatabases(b, 10, func(b *testing.B, h *benchFixture) {
		defer h.deliver()()
		for b.Loop() {
			report(b, h.paced(h.tenants, 50, 1000))
		}
	})
}

// BenchmarkHangingTenant has one tenant whose endpoint hangs, at several rates of events, and ten others with 50 a second
// together.
func BenchmarkHangingTenant(b *testing.B) {
	hung := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		io.Copy(io.Discard, q.Body)
		select {
		case <-q.Context().Done():
		case <-time.After(30 * time.Second):
		}
	}))
	defer hung.Close()
	for _, rate := range []int{1, 5, 50} {
		b.Run(fmt.Sprintf("hanging=%d", rate), func(b *testing.B) {
			benchDatabases(b, 11, func(b *testing.B, h *benchFixture) {
				h.direct(h.tenants[0], hung.URL)
				h.options.Drain = time.Millisecond
				defer h.deliver()()
				for b.Loop() {
					over := make(chan struct{})
					var writing sync.WaitGroup
					writing.Go(func() {
						ticker := time.NewTicker(time.Second / time.Duration(rate))
						defer ticker.Stop()
						for n := 0; n < 1000; n++ {
							select {
							case <-over:
								return
							case <-ticker.C:
								h.writeEvent(h.tenants[0], n)
							}
						}
					})
					report(b, h.paced(h.tenants[1:], 50, 1000))
					close(over)
					writing.Wait()
				}
			})
		})
	}
}

// BenchmarkWaiting has 100,000 deliveries wait for an endpoint that does not
// answer, while ten other tenants have 50 events a second.
func BenchmarkWaiting(b *testing.B) {
	benchDatabases(b, 11, func(b *testing.B, h *benchFixture) {
		h.direct(h.tenants[0], "http://127.0.0.1:1/") // refused, and tried again later
		heap := func() float64 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return float64(m.HeapAlloc) / (1 << 20)
		}
		before := heap()
		if err := h.db.System().Write(b.Context(), func(ctx context.Context, tx database.Tx) error {
			h.events.Append(ctx, tx, event.Event{TenantID: h.tenants[0], CallID: call1, Type: event.CallCompleted, Livemode: true, Data: json.RawMessage(`{"n": 0}`)})
			_, err := tx.ExecContext(ctx, `INSERT INTO webhook_deliveries (id, tenant_id, event_id, event_type, call_id, status, attempts, max_attempts, due_at, created_at)
				WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
				SELECT 'dlv_' || n.i, d.tenant_id, d.event_id, d.event_type, d.call_id, d.status, 0, 20, d.due_at, d.created_at FROM n CROSS JOIN (SELECT * FROM webhook_deliveries LIMIT 1) d`)
			return err
		}); err != nil {
			b.Fatal(err)
		}
		defer h.deliver()()
		for b.Loop() {
			report(b, h.paced(h.tenants[1:], 50, 500))
			b.ReportMetric(heap()-before, "MB-more")
		}
	})
}

// BenchmarkBacklog delivers 5,000 that wait.
func BenchmarkBacklog(b *testing.B) {
	for _, tenants := range []int{1, 50} {
		benchDatabases(b, tenants, func(b *testing.B, h *benchFixture) {
			const each = 5000
			for b.Loop() {
				b.StopTimer()
				for n := range each / 100 {
					h.append(h.tenants[n%len(h.tenants)], event.CallCompleted, 100)
				}
				h.arrived.Store(0)
				b.StartTimer()
				began := time.Now()
				stop := h.deliver()
				for open := 1; open > 0; time.Sleep(5 * time.Millisecond) {
					if h.arrived.Load() < each {
						continue
					}
					if err := h.db.System().Read(context.Background(), func(ctx context.Context, tx database.Tx) error {
						return tx.NewRaw("SELECT count(*) FROM webhook_deliveries WHERE due_at IS NOT NULL").Scan(ctx, &open)
					}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(each/time.Since(began).Seconds(), "deliveries/s")
				stop()
			}
		})
	}
}
