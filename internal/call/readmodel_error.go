package call

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// LoggedErrors selects entries of a tenant's error log. The range is of the errors' own times.
type LoggedErrors struct {
	TenantID string
	Livemode *bool     // nil for both
	From, To time.Time // from the one until before the other; a zero one is no bound
	Service  string    // stt, llm, tts, workflow, tool or webhook; "" for all
	Level    string    // error or warning; "" for both
}

// where narrows a query of the error log, or of its counts, except for times.
func (q LoggedErrors) where(query *bun.SelectQuery) *bun.SelectQuery {
	query = query.Where("tenant_id = ?", q.TenantID)
	if q.Service != "" {
		query = query.Where("service = ?", q.Service)
	}
	if q.Level != "" {
		query = query.Where("level = ?", q.Level)
	}
	if q.Livemode != nil {
		query = query.Where("livemode = ?", *q.Livemode)
	}
	return query
}

// between narrows a query to a column's times from one moment until before another; a zero one is no bound.
func between(query *bun.SelectQuery, column string, from, to time.Time) *bun.SelectQuery {
	if !from.IsZero() {
		query = query.Where(column+" >= ?", from.UTC())
	}
	if !to.IsZero() {
		query = query.Where(column+" < ?", to.UTC())
	}
	return query
}

// Page returns a page of the log, the newest first.
func (q LoggedErrors) Page(ctx context.Context, tx database.Tx, limit, offset int64) (items []ErrorItem, err error) {
	err = between(q.where(tx.NewSelect().Model(&items)), "created_at", q.From, q.To).OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).Scan(ctx)
	return items, err
}

// ErrorGroup is the entries of the error log with one cause, which have the same service, level, agent and message.
type ErrorGroup struct {
	ErrorItem           // the newest
	Count     int64     `bun:"entries"`
	First     time.Time `bun:"first_at"` // when the oldest was written
}

// groupedErrors is how many entries of a range, the newest, Groups reads.
const groupedErrors = 20_000

// Groups groups the newest 20,000 entries by cause, those with the newest entries first.
func (q LoggedErrors) Groups(ctx context.Context, tx database.Tx, limit int64) (groups []ErrorGroup, err error) {
	newest := between(q.where(tx.NewSelect().Model((*ErrorItem)(nil))), "created_at", q.From, q.To).OrderExpr("created_at DESC, id DESC").Limit(groupedErrors)
	const cause = "PARTITION BY service, level, agent, message"
	ranked := tx.NewSelect().TableExpr("(?) AS e", newest).ColumnExpr("e.*").
		ColumnExpr("COUNT(*) OVER (" + cause + ") AS entries").
		ColumnExpr("FIRST_VALUE(created_at) OVER (" + cause + " ORDER BY created_at, id) AS first_at").
		ColumnExpr("ROW_NUMBER() OVER (" + cause + " ORDER BY created_at DESC, id DESC) AS place")
	err = tx.NewSelect().Model(&groups).ModelTableExpr("(?) AS e", ranked).ColumnExpr("e.*").Where("place = 1").OrderExpr("created_at DESC, id DESC").Limit(limit).Scan(ctx)
	return groups, err
}

// Total counts the entries: whole hours by the counts that are kept with the log, what is left at the ends by the log
// itself.
func (q LoggedErrors) Total(ctx context.Context, tx database.Tx) (total int64, err error) {
	count := func(from, to time.Time) error {
		n, err := between(q.where(tx.NewSelect().Model((*ErrorItem)(nil))), "created_at", from, to).Count(ctx)
		total += n
		return err
	}
	first, last := q.From.UTC(), q.To.UTC() // of the whole hours
	if !q.From.IsZero() {
		first = first.Add(time.Hour - time.Nanosecond).Truncate(time.Hour)
	}
	if !q.To.IsZero() {
		last = last.Truncate(time.Hour)
		if !q.From.IsZero() && !first.Before(last) {
			return total, count(q.From, q.To)
		}
		if err := count(last, q.To); err != nil {
			return 0, err
		}
	}
	if first.After(q.From) {
		if err := count(q.From, first); err != nil {
			return 0, err
		}
	}
	var whole int64
	err = between(q.where(tx.NewSelect().Model((*errorCount)(nil))), "hour", first, last).ColumnExpr("COALESCE(SUM(n), 0)").Scan(ctx, &whole)
	return total + whole, err
}
