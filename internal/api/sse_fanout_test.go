package api

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/live"
)

// fanOut opens streams, of which stalled are never read, commits changes at intervals of between, and returns the latency of
// each change at each reader, from before its transaction, sorted.
func fanOut(t testing.TB, db *database.DB, streams, stalled, changes int, between time.Duration) []time.Duration {
	st := newStation(t, db, live.Options{StreamsPerTenant: streams})
	var mu sync.Mutex
	var took []time.Duration
	var opened, done sync.WaitGroup
	for i := range streams {
		c := st.get(allCalls, st.secret)
		if i < stalled {
			continue
		}
		opened.Add(1)
		done.Go(func() {
			var mine []time.Duration
			c.until("calls_update")
			opened.Done()
			for len(mine) < changes {
				_, data := c.until("calls_update")
				now := time.Now()
				for _, changed := range data["calls"].([]any) {
					var sent int64
					if _, err := fmt.Sscan(changed.(map[string]any)["user_id"].(string), &sent); err != nil {
						t.Error(err)
					}
					mine = append(mine, now.Sub(time.Unix(0, sent)))
				}
			}
			mu.Lock()
			took = append(took, mine...)
			mu.Unlock()
		})
	}
	opened.Wait()
	for range changes {
		st.dispatch(fmt.Sprint(time.Now().UnixNano()))
		time.Sleep(between)
	}
	done.Wait()
	slices.Sort(took)
	if len(took) != (streams-stalled)*changes {
		t.Errorf("%d times heard, want %d", len(took), (streams-stalled)*changes)
	}
	return took
}

// Every stream gets every change, also while some clients do not read. BenchmarkFanOut measures how fast.
func TestFanOut(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) { fanOut(t, db, 30, 5, 10, 0) })
}

// BenchmarkFanOut is the measure of docs/performance.md: 1,000 streams of all
// calls, 50 of them never read, ten changes a second.
func BenchmarkFanOut(b *testing.B) {
	for b.Loop() {
		took := fanOut(b, databasetest.SQLite(b), 1000, 50, 50, 100*time.Millisecond)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		b.ReportMetric(float64(took[len(took)-1].Microseconds())/1000, "max-ms")
	}
}
