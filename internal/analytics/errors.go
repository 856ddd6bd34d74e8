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
	Service       string // stt, llm, tts, workflow or tool; "" for all
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

// Errors returns a page of the error log, newest first, and how many entries
// there are in all.
func (s *Service) Errors(ctx context.Context, q ErrorQuery) (items []ErrorItem, total int64, err error) {
	where := func(query *bun.SelectQuery) *bun.SelectQuery {
		query = query.Where("tenant_id = ?", q.TenantID)
		if !q.From.IsZero() {
			query = query.Where("created_at >= ?", q.From.UTC())
		}
		if !q.To.IsZero() {
			query = query.Where("created_at < ?", q.To.UTC())
		}
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
	err = s.db.Tenant(q.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if total, err = where(tx.NewSelect().Model((*ErrorItem)(nil))).Count(ctx); err != nil || total <= q.Offset {
			return err
		}
		return where(tx.NewSelect().Model(&items)).OrderExpr("created_at DESC, id DESC").Limit(q.Limit).Offset(q.Offset).Scan(ctx)
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read error log: %w", err)
	}
	return items, total, nil
}
