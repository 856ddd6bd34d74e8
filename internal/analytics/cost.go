package analytics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"parley/internal/cost"
	"parley/internal/database"
)

// CostGroup is what sums of costs are for.
type CostGroup string

// The groups.
const (
	CostByAgent    CostGroup = "agent"
	CostByWorkflow CostGroup = "workflow"
	CostByProvider CostGroup = "provider"
	CostByModel    CostGroup = "model"
	CostByDay      CostGroup = "day"
)

// CostSum is the sum of a group. Known leaves out what has no price, which Unknown names.
type CostSum struct {
	Group    string
	Currency string
	Known    decimal.Decimal
	Calls    int64
	Unknown  []string
}

// Costs returns the sums of the costs of ended calls, by group and currency, the greatest first; days are in order.
func (s *Service) Costs(ctx context.Context, q Query, by CostGroup) (sums []CostSum, err error) {
	var rows []struct {
		Grouped  string          `bun:"grouped"`
		Currency string          `bun:"currency"`
		Amount   decimal.Decimal `bun:"amount"`
		Calls    int64           `bun:"calls"`
	}
	var unknown []struct {
		Grouped  string `bun:"grouped"`
		Currency string `bun:"currency"`
		cost.Use
	}
	err = s.read(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		group := by.expression(tx)
		selected := func(columns string) *bun.SelectQuery {
			return tx.NewSelect().TableExpr("call_costs").ColumnExpr(group + " AS grouped, currency, " + columns).Apply(q.dated).GroupExpr("1, 2")
		}
		err := selected("CAST(COALESCE(SUM(amount), 0) AS TEXT) AS amount, COUNT(DISTINCT call_id) AS calls").Scan(ctx, &rows)
		if err != nil {
			return err
		}
		return selected("kind, provider, model, unit").Where("amount IS NULL").GroupExpr("3, 4, 5, 6").OrderExpr("1, 2, 3, 4, 5, 6").Scan(ctx, &unknown)
	})
	if err != nil {
		return nil, fmt.Errorf("add up costs: %w", err)
	}
	for _, r := range rows {
		sum := CostSum{Group: r.Grouped, Currency: r.Currency, Known: cost.FromPico(r.Amount), Calls: r.Calls, Unknown: []string{}}
		for _, u := range unknown {
			if u.Grouped == r.Grouped && u.Currency == r.Currency {
				sum.Unknown = append(sum.Unknown, u.Use.String())
			}
		}
		sums = append(sums, sum)
	}
	slices.SortFunc(sums, func(a, b CostSum) int {
		if n := b.Known.Cmp(a.Known); n != 0 && by != CostByDay {
			return n
		}
		return strings.Compare(a.Group, b.Group)
	})
	return sums, nil
}

// expression returns the SQL of the group.
func (g CostGroup) expression(tx database.Tx) string {
	switch g {
	case CostByModel:
		return "provider || '/' || model"
	case CostByDay:
		return dayOf(tx)
	}
	return string(g)
}

// dayOf returns the SQL of the day (UTC) of the column at.
func dayOf(tx database.Tx) string {
	if tx.Postgres() {
		return "to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
	}
	return "substr(at, 1, 10)"
}

// dated selects the query's calls in a table with their times.
func (q Query) dated(query *bun.SelectQuery) *bun.SelectQuery {
	query = query.Where("tenant_id = ?", q.TenantID)
	if q.Livemode != nil {
		query = query.Where("livemode = ?", *q.Livemode)
	}
	if !q.From.IsZero() {
		query = query.Where("at >= ?", q.From.UTC())
	}
	if !q.To.IsZero() {
		query = query.Where("at < ?", q.To.UTC())
	}
	return query
}
