package call_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"parley/internal/analysis"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
)

// many is calls of one tenant, of 19 workflows and 1,000 users, over 30 days
// before benchNow. %s are the expressions of an id, of a workflow's, of a
// moment in those days and of false, the numbers from 1, and the number after
// which calls are active.
const many = `INSERT INTO calls (id, tenant_id, workflow_id, workflow_slug, user_id, status, direction, call_type, livemode, room_name, agent_history, metrics,
	created_at, started_at, ended_at, duration_seconds, metadata, join_by, fence, end_asked)
	SELECT %[1]s, '` + acme + `', %[2]s, 'w', 'user-' || (i * 7919 %% 1000),
		CASE WHEN i > %[6]d THEN 'active' WHEN i %% 10000 = 5000 THEN 'timeout' WHEN i %% 10 = 0 THEN 'failed' ELSE 'completed' END,
		'inbound', 'voip', i %% 50 <> 0, 'room-' || i, '["desk","booking"]', '{}', %[3]s, CASE WHEN i %% 10 <> 0 THEN %[3]s END,
		CASE WHEN i <= %[6]d THEN %[3]s END, 60, '{"campaign":"autumn","order":"4711"}', %[3]s, 1, %[4]s
	FROM %[5]s`

// answers are two answers of an analysis of each ended call that was active: yes, no, or one time in 10,000 unknown, and a score.
const answers = `INSERT INTO analysis_values (tenant_id, call_id, analysis, name, value, number, agent, workflow, livemode, at)
	SELECT tenant_id, id, 'outcome', 'booked', CASE WHEN room_name LIKE '%1234' THEN 'unknown'
		WHEN room_name LIKE '%1' OR room_name LIKE '%2' OR room_name LIKE '%3' THEN 'no' ELSE 'yes' END, NULL, 'booking', workflow_slug, livemode, listed_at FROM calls WHERE ended_at IS NOT NULL
	UNION ALL SELECT tenant_id, id, 'outcome', 'polite', '9', 9, 'booking', workflow_slug, livemode, listed_at FROM calls WHERE ended_at IS NOT NULL`

var benchNow = time.Date(2026, 11, 20, 13, 37, 11, 0, time.UTC)

// BenchmarkList measures pages of ten thousand and of a million calls with each
// filter; ns/op is the mean, p95-ms what the issue of the API bounds.
func BenchmarkList(b *testing.B) {
	for _, kind := range []string{"sqlite", "postgres"} {
		for _, size := range []int64{10_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", kind, size), func(b *testing.B) { benchmarkList(b, kind == "postgres", size) })
		}
	}
}

func benchmarkList(b *testing.B, postgres bool, size int64) {
	var url string
	if postgres {
		url = databasetest.PostgresURL(b)
	}
	db, err := database.Open(b.Context(), url, filepath.Join(b.TempDir(), "parley.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	if _, err := db.Migrate(b.Context()); err != nil {
		b.Fatal(err)
	}
	databasetest.Tenant(b, db, acme, "acme")
	load(b, db, size)
	bus := event.NewBus()
	benchmarkFilters(b, call.NewService(db, event.NewLog(bus), bus, nil, defaults), size)
}

func load(b *testing.B, db *database.DB, size int64) {
	seconds := 30 * 24 * 3600 / float64(size) // between two calls
	statement := fmt.Sprintf(many, "printf('0193a6f0-0000-7000-8000-%012x', i)", "printf('0193a6f0-0000-7000-8000-%012x', i / 7 % 19)",
		fmt.Sprintf("strftime('%%Y-%%m-%%d %%H:%%M:%%f+00:00', '2026-11-20 13:37:11', '-' || ((%d - i) * %g) || ' seconds')", size, seconds), "0",
		fmt.Sprintf("(WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < %d) SELECT i FROM numbers)", size), size-20)
	if db.Postgres() {
		statement = fmt.Sprintf(many, "('0193a6f0-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid", "('0193a6f0-0000-7000-8000-' || lpad(to_hex(i / 7 % 19), 12, '0'))::uuid",
			fmt.Sprintf("timestamptz '2026-11-20 13:37:11Z' - (%d - i) * interval '%g seconds'", size, seconds), "false",
			fmt.Sprintf("generate_series(1, bigint '%d') numbers (i)", size), size-20)
	}
	if err := db.System().Write(b.Context(), func(ctx context.Context, tx database.Tx) error {
		if _, err := tx.Tx.Tx.ExecContext(ctx, statement); err != nil {
			return err
		}
		if _, err := tx.Tx.Tx.ExecContext(ctx, answers); err != nil {
			return err
		}
		return recount(ctx, tx)
	}); err != nil {
		b.Fatal(err)
	}
	if db.Postgres() { // what autovacuum does within minutes
		if err := db.System().Write(b.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "ANALYZE calls, call_counts, call_user_counts, analysis_values")
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkFilters(b *testing.B, calls *call.Service, size int64) {
	workflow, user, test := "0193a6f0-0000-7000-8000-000000000003", "user-3", false
	for _, c := range []struct {
		name   string
		filter call.Filter
		offset int64 // among a million
	}{
		{"all", call.Filter{}, 0},
		{"all, the middle page", call.Filter{}, 500_000},
		{"all, the last page", call.Filter{}, 999_980},
		{"completed", call.Filter{Status: call.Completed}, 0},
		{"completed, a deep page", call.Filter{Status: call.Completed}, 700_000},
		{"timeout", call.Filter{Status: call.Timeout}, 0},
		{"active", call.Filter{Status: call.Active}, 0},
		{"workflow", call.Filter{WorkflowID: &workflow}, 0},
		{"workflow, a deep page", call.Filter{WorkflowID: &workflow}, 40_000},
		{"workflow and failed", call.Filter{WorkflowID: &workflow, Status: call.Failed}, 0},
		{"user", call.Filter{UserID: &user}, 0},
		{"user and completed", call.Filter{UserID: &user, Status: call.Completed}, 0},
		{"after", call.Filter{After: benchNow.Add(-29*24*time.Hour - 1234*time.Second)}, 0},
		{"before", call.Filter{Before: benchNow.Add(-1234 * time.Second)}, 0},
		{"a week", call.Filter{After: benchNow.Add(-14 * 24 * time.Hour), Before: benchNow.Add(-7 * 24 * time.Hour)}, 0},
		{"a week, page 46", call.Filter{After: benchNow.Add(-14 * 24 * time.Hour), Before: benchNow.Add(-7 * 24 * time.Hour)}, 900},
		{"a week, page 1001", call.Filter{After: benchNow.Add(-14 * 24 * time.Hour), Before: benchNow.Add(-7 * 24 * time.Hour)}, 20_000},
		{"a week, a deep page", call.Filter{After: benchNow.Add(-14 * 24 * time.Hour), Before: benchNow.Add(-7 * 24 * time.Hour)}, 200_000},
		{"a week of a user", call.Filter{UserID: &user, After: benchNow.Add(-14 * 24 * time.Hour), Before: benchNow.Add(-7 * 24 * time.Hour)}, 0},
		{"test mode", call.Filter{Livemode: &test}, 0},
		{"an answer", withResult("yes"), 0},
		{"an answer, a deep page", withResult("yes"), 400_000},
		{"a rare answer", withResult("unknown"), 0},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				page, total, err := calls.List(b.Context(), acme, c.filter, 20, c.offset*size/1_000_000)
				if err != nil || len(page) == 0 || total == 0 {
					b.Fatalf("%d of %d calls, %v", len(page), total, err)
				}
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

// withResult selects calls by an answer of an analysis.
func withResult(value string) call.Filter {
	return call.Filter{Details: call.Details{Results: []analysis.Match{{Analysis: "outcome", Name: "booked", Value: value}}}}
}
