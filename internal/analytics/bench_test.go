package analytics

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// crowd is n calls of one tenant, of 19 workflows, with two turns each and an
// error in every twentieth, evenly over the 30 days before benchNow. The same
// formulas are in SQL for the calls and in Go for their rollups.
type crowd struct {
	n  int64
	db *database.DB
}

var benchNow = time.Date(2026, 11, 20, 13, 37, 11, 500_000_000, time.UTC)

const (
	crowdDays    = 30
	crowdOpen    = 20 // the last ones are not over
	crowdSTT     = "40 + (i * 37 + t * 11) % 200"
	crowdLLM     = "200 + (i * 53 + t * 7) % 900"
	crowdTTS     = "60 + (i * 29 + t) % 150"
	crowdHistory = `'inbound', 'voip', i % 50 <> 0, 'room-' || i, '[]', '{}'`
)

func (c crowd) call(i int64) *ended {
	workflow, slug := workflowID(int(i/7%19)), workflowSlug(int(i/7%19))
	at := benchNow.Add(-time.Duration(float64(c.n-i) * crowdDays * 24 * float64(time.Hour) / float64(c.n))).Truncate(time.Millisecond)
	e := &ended{CountedCall: &call.CountedCall{WorkflowID: &workflow, WorkflowSlug: &slug, Status: "completed", Livemode: i%50 != 0, CreatedAt: at, StartedAt: at, DurationSeconds: 60}}
	if i%10 == 0 {
		e.Status, e.StartedAt, e.DurationSeconds = "failed", time.Time{}, 0
	}
	names := [][3]string{{"deepgram", "openai", "cartesia"}, {"assemblyai", "anthropic", "elevenlabs"}}[i%2]
	for t := range int64(2) {
		stt, llm, tts, tokens := float64(40+(i*37+t*11)%200), float64(200+(i*53+t*7)%900), float64(60+(i*29+t)%150), int64(100)
		e.add(call.Turn{STTProvider: &names[0], LLMProvider: &names[1], TTSProvider: &names[2], STTMS: &stt, LLMMS: &llm, TTSMS: &tts, InputTokens: &tokens})
	}
	return e
}

// history writes calls, turns and errors within the database.
func (c crowd) history(ctx context.Context, tx database.Tx) error {
	seconds := fmt.Sprintf("(%d - i) * %d.0 / %d", c.n, crowdDays*24*3600, c.n)
	id := func(text string) string {
		return "('0193a6f0-0000-7000-8000-' || lpad(to_hex(" + text + "), 12, '0'))::uuid"
	}
	at, no, numbers := "timestamptz '2026-11-20 13:37:11.5Z' - ("+seconds+") * interval '1 second'", "false", fmt.Sprintf("generate_series(1, bigint '%d') numbers (i)", c.n)
	workflow := "('0193a6f0-0000-7000-9000-' || lpad((i / 7 % 19)::text, 12, '0'))::uuid"
	slug := "'flow-' || lpad((i / 7 % 19)::text, 2, '0')"
	hour := "date_trunc('hour', created_at, 'UTC')"
	if !tx.Postgres() {
		hour = "strftime('%Y-%m-%d %H:00:00+00:00', created_at)"
		id = func(text string) string { return "printf('0193a6f0-0000-7000-8000-%012x', " + text + ")" }
		at, no = "strftime('%Y-%m-%d %H:%M:%f+00:00', '2026-11-20 13:37:11.500', '-' || ("+seconds+") || ' seconds')", "0"
		numbers = fmt.Sprintf("(WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < %d) SELECT i FROM numbers)", c.n)
		workflow, slug = "printf('0193a6f0-0000-7000-9000-%012d', i / 7 % 19)", "printf('flow-%02d', i / 7 % 19)"
	}
	over := fmt.Sprintf("i <= %d", c.n-crowdOpen)
	for _, statement := range []string{
		`INSERT INTO calls (id, tenant_id, workflow_id, workflow_slug, direction, call_type, livemode, room_name, agent_history, metrics, status, created_at, started_at, ended_at, duration_seconds, join_by, fence, end_asked)
			SELECT ` + id("i") + `, '` + acme + `', ` + workflow + `, ` + slug + `, ` + crowdHistory + `, CASE WHEN NOT ` + over + ` THEN 'active' WHEN i % 10 = 0 THEN 'failed' ELSE 'completed' END,
			` + at + `, CASE WHEN i % 10 <> 0 THEN ` + at + ` END, CASE WHEN ` + over + ` THEN ` + at + ` END, CASE WHEN i % 10 = 0 THEN 0 ELSE 60 END, ` + at + `, 1, ` + no + ` FROM ` + numbers,
		`INSERT INTO call_turns (tenant_id, call_id, agent_name, stt_provider, llm_provider, tts_provider, stt_ms, llm_ms, tts_ms, interrupted, input_tokens, created_at)
			SELECT '` + acme + `', ` + id("i") + `, 'desk', CASE i % 2 WHEN 0 THEN 'deepgram' ELSE 'assemblyai' END, CASE i % 2 WHEN 0 THEN 'openai' ELSE 'anthropic' END, CASE i % 2 WHEN 0 THEN 'cartesia' ELSE 'elevenlabs' END,
			` + crowdSTT + `, ` + crowdLLM + `, ` + crowdTTS + `, ` + no + `, 100, ` + at + ` FROM ` + numbers + ` CROSS JOIN (SELECT 0 AS t UNION ALL SELECT 1) turns`,
		`INSERT INTO call_errors (id, tenant_id, call_id, service, level, message, details, livemode, created_at)
			SELECT ` + id("i") + `, '` + acme + `', ` + id("i") + `, CASE i % 3 WHEN 0 THEN 'stt' WHEN 1 THEN 'llm' ELSE 'tool' END, CASE i % 7 WHEN 0 THEN 'error' ELSE 'warning' END, 'the provider closed the connection', '{}', i % 50 <> 0, ` + at + `
			FROM ` + numbers + ` WHERE i % 20 = 3`,
		`INSERT INTO error_counts (tenant_id, hour, service, level, livemode, n)
			SELECT tenant_id, ` + hour + `, service, level, livemode, count(*) FROM call_errors GROUP BY 1, 2, 3, 4, 5`,
	} {
		if _, err := tx.Tx.Tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// rollups writes what the calls' ends would have left, in the order of time.
func (c crowd) rollups(ctx context.Context, tx database.Tx) error {
	for _, span := range spans {
		var calls []callRow
		var workflows []workflowRow
		var latencies []latencyRow
		byWorkflow, byProvider, byMode := map[bucketOf]*workflowRow{}, map[bucketOf]*latencyRow{}, map[bool]*callRow{}
		sketches := map[bucketOf]sketch{}
		current := int64(-1)
		flush := func(least int) error {
			for _, r := range byMode {
				calls = append(calls, *r)
			}
			for _, r := range byWorkflow {
				workflows = append(workflows, *r)
			}
			for k, r := range byProvider {
				r.Sketch = sketches[k].encode()
				latencies = append(latencies, *r)
			}
			clear(byMode)
			clear(byWorkflow)
			clear(byProvider)
			clear(sketches)
			if len(latencies) < least {
				return nil
			}
			for _, insert := range []*bun.InsertQuery{tx.NewInsert().Model(&calls), tx.NewInsert().Model(&workflows), tx.NewInsert().Model(&latencies)} {
				if _, err := insert.Exec(ctx); err != nil {
					return err
				}
			}
			calls, workflows, latencies = calls[:0], workflows[:0], latencies[:0]
			return nil
		}
		for i := int64(1); i <= c.n-crowdOpen; i++ {
			e := c.call(i)
			b := bucket{acme, span, floor(e.CountedAt().Unix(), span), e.Livemode}
			if b.Bucket != current {
				if current >= 0 {
					if err := flush(500); err != nil {
						return err
					}
				}
				current = b.Bucket
			}
			if byMode[e.Livemode] == nil {
				byMode[e.Livemode] = &callRow{bucket: b}
			}
			byMode[e.Livemode].counts.add(e)
			byMode[e.Livemode].usage.add(e)
			k := bucketOf{e.Livemode, *e.WorkflowID}
			if byWorkflow[k] == nil {
				byWorkflow[k] = &workflowRow{bucket: b, WorkflowID: *e.WorkflowID, WorkflowSlug: *e.WorkflowSlug}
			}
			byWorkflow[k].add(e)
			for of, measured := range e.latencies {
				k := bucketOf{e.Livemode, of.kind + of.name}
				r := byProvider[k]
				if r == nil {
					r = &latencyRow{bucket: b, ProviderType: of.kind, ProviderName: of.name}
					byProvider[k] = r
					s, err := newSketch()
					if err != nil {
						return err
					}
					sketches[k] = s
				}
				r.Calls, r.Measurements, r.SumMS = r.Calls+1, r.Measurements+int64(len(measured)), r.SumMS+total(measured)
				for _, ms := range measured {
					if err := sketches[k].Add(ms); err != nil {
						return err
					}
				}
			}
		}
		if err := flush(0); err != nil {
			return err
		}
	}
	return nil
}

type bucketOf struct {
	livemode bool
	key      string
}

func (c crowd) load(b *testing.B) {
	if err := c.db.System().Write(b.Context(), func(ctx context.Context, tx database.Tx) error {
		if err := c.history(ctx, tx); err != nil {
			return err
		}
		return c.rollups(ctx, tx)
	}); err != nil {
		b.Fatal(err)
	}
	if c.db.Postgres() { // what autovacuum does within minutes
		for _, table := range []string{"calls", "call_turns", "call_errors", "error_counts", "call_rollups", "workflow_rollups", "latency_rollups"} {
			if err := c.db.System().Write(b.Context(), func(ctx context.Context, tx database.Tx) error {
				_, err := tx.ExecContext(ctx, "ANALYZE "+table)
				return err
			}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkAnswers measures every question about ten thousand and a million
// calls; ns/op is the mean, p95-ms what docs/performance.md bounds.
func BenchmarkAnswers(b *testing.B) {
	for _, kind := range []string{"sqlite", "postgres"} {
		for _, n := range []int64{10_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				url := ""
				if kind == "postgres" {
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
				crowd{n, db}.load(b)
				measure(b, New(db), n)
			})
		}
	}
}

func measure(b *testing.B, s *Service, n int64) {
	live := true
	month := Query{TenantID: acme, Range: until(benchNow, 30*24*time.Hour), now: true}
	lastDay := Query{TenantID: acme, Range: until(benchNow, 24*time.Hour), now: true}
	custom := Query{TenantID: acme, Livemode: &live, Range: Range{benchNow.Add(-29*24*time.Hour - 1234567*time.Microsecond), benchNow.Add(-31*time.Minute - 7654321*time.Microsecond)}}
	everything := Query{TenantID: acme}
	for _, c := range []struct {
		name string
		ask  func(ctx context.Context, q Query) error
	}{
		{"summary", func(ctx context.Context, q Query) error {
			sum, err := s.Summary(ctx, q)
			if err == nil && q == everything && sum.Total != n {
				return fmt.Errorf("%d calls, want %d", sum.Total, n)
			}
			return err
		}},
		{"call-volume", func(ctx context.Context, q Query) error { _, err := s.Volume(ctx, q, Hourly); return err }},
		{"workflow-stats", func(ctx context.Context, q Query) error { _, err := s.Workflows(ctx, q, 50); return err }},
		{"provider-latency", func(ctx context.Context, q Query) error { _, err := s.Providers(ctx, q); return err }},
		{"errors", func(ctx context.Context, q Query) error {
			_, _, err := s.Errors(ctx, ErrorQuery{Query: q, Service: "stt", Level: "error", Limit: 200})
			return err
		}},
		{"active-calls", func(ctx context.Context, q Query) error { _, err := s.ActiveCalls(ctx, q); return err }},
	} {
		for name, q := range map[string]Query{"24h": lastDay, "30d": month, "custom": custom, "everything": everything} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					began := time.Now()
					if err := c.ask(b.Context(), q); err != nil {
						b.Fatal(err)
					}
					took = append(took, time.Since(began))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
			})
		}
	}
}
