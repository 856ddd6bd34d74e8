package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
)

// benchHouses runs f on both databases with as many tenants, each with a
// webhook that leads to one quick receiver. arrived counts what it got.
func benchHouses(b *testing.B, tenants int, f func(b *testing.B, h *house, ids []string, arrived *atomic.Int64)) {
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
			arrived := new(atomic.Int64)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
				io.Copy(io.Discard, q.Body)
				arrived.Add(1)
			}))
			defer server.Close()
			h := newHouse(b, db)
			var ids []string
			for i := range tenants {
				id := fmt.Sprintf("0193a6f0-0000-7000-8000-%012d", i+1)
				databasetest.Tenant(b, db, id, id)
				doc, err := json.Marshal(map[string]any{"url": server.URL, "filter": map[string]any{"include_metrics": false}})
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := h.settings.Put(b.Context(), id, doc); err != nil {
					b.Fatal(err)
				}
				ids = append(ids, id)
			}
			f(b, h, ids, arrived)
		})
	}
}

// BenchmarkBacklog delivers what waits, each event written by a transaction of
// its own beforehand or a hundred at a time.
func BenchmarkBacklog(b *testing.B) {
	for _, tenants := range []int{1, 50} {
		benchHouses(b, tenants, func(b *testing.B, h *house, ids []string, arrived *atomic.Int64) {
			const each = 5000
			for b.Loop() {
				b.StopTimer()
				for n := range each / 100 {
					h.append(ids[n%len(ids)], event.CallCompleted, 100)
				}
				arrived.Store(0)
				b.StartTimer()
				began := time.Now()
				stop := h.deliver()
				for open := 1; open > 0; time.Sleep(5 * time.Millisecond) {
					if arrived.Load() < each {
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
