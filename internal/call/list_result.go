package call

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"parley/internal/analysis"
	"parley/internal/database"
)

// onlyResult returns the answer of an analysis that is all that the filter selects calls by, beside their mode and times.
func (f Filter) onlyResult(ctx context.Context, tx database.Tx) (m analysis.Match, ok bool, err error) {
	others := f.Details
	others.Results = nil
	if len(f.Results) != 1 || !others.none() || f.Status != "" || f.WorkflowID != nil || f.UserID != nil {
		return m, false, nil
	}
	return f.Results[0].OfOne(ctx, tx)
}

// listByResult is List for the calls with an answer, which are counted and ordered without reading the calls: of a million calls that
// takes seconds.
func (f Filter) listByResult(ctx context.Context, tx database.Tx, m analysis.Match, limit, offset int64) (page []*Call, total int64, err error) {
	from, to := f.bounds()
	those := func() *bun.SelectQuery {
		q := m.Values(tx).Where("v.at >= ? AND v.at < ?", from, to)
		if f.Livemode != nil {
			q = q.Where("v.livemode = ?", *f.Livemode)
		}
		return q
	}
	if err := those().ColumnExpr("COUNT(*)").Scan(ctx, &total); err != nil {
		return nil, 0, fmt.Errorf("count calls with an answer: %w", err)
	}
	if offset >= total {
		return nil, total, nil
	}
	var ids []string
	if err := those().Column("v.call_id").OrderExpr("v.at DESC, v.call_id DESC").Limit(limit).Offset(offset).Scan(ctx, &ids); err != nil {
		return nil, 0, fmt.Errorf("find calls with an answer: %w", err)
	}
	page, err = readPage(ctx, tx, func(q *bun.SelectQuery) *bun.SelectQuery {
		return f.table(tx, q, "sqlite_autoindex_calls_1").Where("tenant_id = ? AND id IN (?)", tx.TenantID(), bun.List(ids))
	})
	return page, total, err
}
