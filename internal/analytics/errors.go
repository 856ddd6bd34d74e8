package analytics

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// ErrorQuery asks for a page of the error log. The range is of the errors'
// own times.
type ErrorQuery struct {
	Query
	Service       string // stt, llm, tts, workflow, tool or webhook; "" for all
	Level         string // error or warning; "" for both
	Limit, Offset int64
}

// ErrorItem is an entry of the error log.
type ErrorItem struct {
	bun.BaseModel `bun:"table:call_errors,alias:e"`

	ID        string          `bun:"id"`
	CallID    string          `bun:"call_id"`
	Service   string          `bun:"service"`
	Level     string          `bun:"level"`
	Message   string          `bun:"message"`
	Details   json.RawMessage `bun:"details,type:jsonb"`
	Agent     *string         `bun:"agent"`
	CreatedAt time.Time       `bun:"created_at"`
}

// kind narrows a query of the error log, or of its counts, to what is asked
// for, times left aside.
func (q ErrorQuery) kind(query *bun.SelectQuery) *bun.SelectQuery {
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

// between narrows a query to a column's times from one moment until before
// another; a zero one is no bound.
func between(query *bun.SelectQuery, column string, from, to time.Time) *bun.SelectQuery {
	if !from.IsZero() {
		query = query.Where(column+" >= ?", from.UTC())
	}
	if !to.IsZero() {
		query = query.Where(column+" < ?", to.UTC())
	}
	return query
}

// Errors returns a page of the error log, newest first, and how many entries
// there are in all.
func (s *Service) Errors(ctx context.Context, q ErrorQuery) (items []ErrorItem, total int64, err error) {
	err = s.ask(ctx, &q.Query, func(ctx context.Context, tx database.Tx) error {
		if total, err = q.total(ctx, tx); err != nil || total <= q.Offset {
			return err
		}
		return between(q.kind(tx.NewSelect().Model(&items)), "created_at", q.From, q.To).
			OrderExpr("created_at DESC, id DESC").Limit(q.Limit).Offset(q.Offset).Scan(ctx)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read error log: %w", err)
	}
	return items, total, nil
}

// total counts the entries: whole hours by the counts that are kept with the
// log, what is left at the ends by the log itself.
func (q ErrorQuery) total(ctx context.Context, tx database.Tx) (total int64, err error) {
	count := func(from, to time.Time) error {
		n, err := between(q.kind(tx.NewSelect().Model((*ErrorItem)(nil))), "created_at", from, to).Count(ctx)
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
	err = between(q.kind(tx.NewSelect().TableExpr("error_counts")), "hour", first, last).ColumnExpr("COALESCE(SUM(n), 0)").Scan(ctx, &whole)
	return total + whole, err
}
