package call

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// Totals of lists. Counting a tenant's calls costs 0.25 s per million, so ended calls are kept as counts, updated in the
// transaction that ends each call. Open calls are few and are counted by query.

// The spans of call_counts.
const (
	spanAll  = "all"
	spanDay  = "day"
	spanHour = "hour"
)

var (
	// epoch is the start of spanAll, before every call.
	epoch = time.Unix(0, 0).UTC()
	// never is after every call.
	never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
)

type count struct {
	bun.BaseModel `bun:"table:call_counts,alias:k"`

	TenantID string    `bun:"tenant_id"`
	Span     string    `bun:"span"`
	At       time.Time `bun:"at"`
	Workflow string    `bun:"workflow"`
	Status   Status    `bun:"status"`
	Livemode bool      `bun:"livemode"`
	N        int64     `bun:"n"`
}

type userCount struct {
	bun.BaseModel `bun:"table:call_user_counts,alias:k"`

	TenantID string `bun:"tenant_id"`
	UserID   string `bun:"user_id"`
	Workflow string `bun:"workflow"`
	Status   Status `bun:"status"`
	Livemode bool   `bun:"livemode"`
	N        int64  `bun:"n"`
}

// countEnded adds an ended call to the counts. Every transaction writes the counts in the same order, to avoid
// deadlocks.
func countEnded(ctx context.Context, tx database.Tx, c *Call) error {
	workflow := ""
	if c.WorkflowID != nil {
		workflow = *c.WorkflowID
	}
	var counts []count
	for _, at := range []struct {
		span  string
		start time.Time
	}{{spanAll, epoch}, {spanDay, c.listedAt().Truncate(day)}, {spanHour, c.listedAt().Truncate(time.Hour)}} {
		counts = append(counts, count{TenantID: c.TenantID, Span: at.span, At: at.start, Workflow: workflow, Status: c.Status, Livemode: c.Livemode, N: 1})
	}
	_, err := tx.NewInsert().Model(&counts).On("CONFLICT (tenant_id, span, at, workflow, status, livemode) DO UPDATE").Set("n = k.n + 1").Exec(ctx)
	if err == nil && c.UserID != nil {
		of := &userCount{TenantID: c.TenantID, UserID: *c.UserID, Workflow: workflow, Status: c.Status, Livemode: c.Livemode, N: 1}
		_, err = tx.NewInsert().Model(of).On("CONFLICT (tenant_id, user_id, workflow, status, livemode) DO UPDATE").Set("n = k.n + 1").Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("count call: %w", err)
	}
	return nil
}

const day = 24 * time.Hour

// listedAt returns the time by which lists order the call.
func (c *Call) listedAt() time.Time {
	if c.StartedAt.IsZero() {
		return c.CreatedAt.UTC()
	}
	return c.StartedAt.UTC()
}

// total returns how many calls a filter selects. Its cost does not grow with the number of calls, except for a
// user's calls within a time range and for calls that Details select, which are counted row by row.
func (f Filter) total(ctx context.Context, tx database.Tx) (n int64, err error) {
	// One statement, so that counts and calls are of the same snapshot.
	counts := tx.NewSelect().ColumnExpr("COUNT(*) AS n").Apply(f.open(tx))
	add := func(more *bun.SelectQuery) { counts = counts.UnionAll(more) }
	counted := func(span string, from, to time.Time) {
		if from.Before(to) {
			add(tx.NewSelect().TableExpr("call_counts").ColumnExpr("COALESCE(SUM(n), 0)").Where("tenant_id = ?", tx.TenantID()).
				Where("span = ? AND at >= ? AND at < ?", span, from, to).Apply(f.matchingCounts))
		}
	}
	oneByOne := func(from, to time.Time) {
		if from.Before(to) {
			add(tx.NewSelect().ColumnExpr("COUNT(*)").Apply(f.between(from, to).selected(tx)).Where("ended_at IS NOT NULL"))
		}
	}
	from, to := f.bounds()
	switch {
	case !f.Details.none():
		oneByOne(from, to)
	case f.UserID != nil && f.unbounded():
		add(tx.NewSelect().TableExpr("call_user_counts").ColumnExpr("COALESCE(SUM(n), 0)").Where("tenant_id = ? AND user_id = ?", tx.TenantID(), *f.UserID).Apply(f.matchingCounts))
	case f.UserID != nil:
		oneByOne(from, to)
	case f.unbounded():
		counted(spanAll, epoch, never)
	default:
		hours := [2]time.Time{ceil(from, time.Hour), to.Truncate(time.Hour)}
		days := [2]time.Time{ceil(from, day), to.Truncate(day)}
		if hours[1].Before(hours[0]) { // within one hour
			oneByOne(from, to)
			break
		}
		oneByOne(from, hours[0])
		if days[1].Before(days[0]) { // within one day
			counted(spanHour, hours[0], hours[1])
		} else {
			counted(spanHour, hours[0], days[0])
			counted(spanDay, days[0], days[1])
			counted(spanHour, days[1], hours[1])
		}
		oneByOne(hours[1], to)
	}
	err = tx.NewSelect().ColumnExpr("CAST(SUM(n) AS BIGINT)").TableExpr("(?) AS parts", counts).Scan(ctx, &n)
	return n, err
}

// ceil returns the start of the first span that does not begin before t.
func ceil(t time.Time, span time.Duration) time.Time {
	if start := t.Truncate(span); start.Before(t) {
		return start.Add(span)
	}
	return t
}
