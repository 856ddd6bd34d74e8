package analytics

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
)

// TestErrorTotalsEqualBruteForce writes error logs as calls do and asks about
// random ranges and kinds; the totals come from counts, the items do not.
func TestErrorTotalsEqualBruteForce(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	seed := uint64(now.UnixNano())
	t.Logf("seed %d", seed)
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		r := rand.New(rand.NewPCG(seed, 2))
		databasetest.Tenant(t, db, acme, "acme")
		bus := event.NewBus()
		calls := call.NewService(db, event.NewLog(bus), bus, nil, call.Options{})
		services, levels := []string{"stt", "llm", "tool"}, []string{call.LevelError, call.LevelWarning}
		type written struct {
			call.ErrorItem
			livemode bool
		}
		var all []written
		for _, livemode := range []bool{true, false} {
			p := random(r, now, time.Hour)
			p.tenant, p.status, p.livemode = acme, "active", livemode
			record(t, db, p)
			if err := db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE calls SET claimed_by = 'w', fence = 1 WHERE id = ?", p.id)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			for range 60 {
				var notes call.Records
				for range 1 + r.IntN(4) {
					at := now.Add(-time.Duration(r.Int64N(int64(8 * time.Hour)))).Truncate(time.Microsecond)
					if r.IntN(4) == 0 {
						at = at.Truncate(time.Hour)
					}
					e := call.ErrorItem{Service: services[r.IntN(3)], Level: levels[r.IntN(2)], Message: "m", CreatedAt: at}
					notes.Errors = append(notes.Errors, e)
					all = append(all, written{e, livemode})
				}
				if err := calls.Record(t.Context(), call.Lease{CallID: p.id, TenantID: acme, Fence: 1}, notes); err != nil {
					t.Fatal(err)
				}
			}
		}
		moment := func() time.Time {
			at := now.Add(-time.Duration(r.Int64N(int64(9 * time.Hour))))
			switch r.IntN(4) {
			case 0:
				return time.Time{}
			case 1:
				return at.Truncate(time.Hour)
			}
			return at
		}
		for range 150 {
			q := ErrorQuery{Limit: 200}
			q.TenantID, q.From, q.To = acme, moment(), moment()
			if r.IntN(2) == 0 {
				q.Service = services[r.IntN(3)]
			}
			if r.IntN(2) == 0 {
				q.Level = levels[r.IntN(2)]
			}
			if r.IntN(2) == 0 {
				livemode := r.IntN(2) == 0
				q.Livemode = &livemode
			}
			var want int64
			for _, e := range all {
				if !e.CreatedAt.Before(q.From) && (q.To.IsZero() || e.CreatedAt.Before(q.To)) && (q.Service == "" || q.Service == e.Service) &&
					(q.Level == "" || q.Level == e.Level) && (q.Livemode == nil || *q.Livemode == e.livemode) {
					want++
				}
			}
			items, total, err := New(db).Errors(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if total != want || int64(len(items)) != min(want, q.Limit) {
				t.Fatalf("%s to %s, %q %q: total %d and %d items, want %d", q.From, q.To, q.Service, q.Level, total, len(items), want)
			}
		}
	})
}
