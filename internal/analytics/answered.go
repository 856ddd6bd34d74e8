package analytics

import (
	"context"
	"fmt"

	"parley/internal/answering"
	"parley/internal/database"
)

// Answered says who answered the calls of a group, as far as it was classified.
type Answered struct {
	Group   string // "" for Ungrouped
	Calls   int64
	Classes []AnsweredClass // the most frequent first
}

// AnsweredClass is the share of a class.
type AnsweredClass struct {
	Class answering.Class
	Calls int64
	Share float64 // percentage of the calls of the group, with one decimal
}

// AnsweredBy returns the shares of the classes of who answered, by group. A call counts for the agent that had it first.
func (s *Service) AnsweredBy(ctx context.Context, q Query, by Group) (groups []Answered, err error) {
	var rows []struct {
		Grouped string `bun:"grouped"`
		AnsweredClass
	}
	err = s.read(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		class, agent := "json_extract(answered_by, '$.class')", "json_extract(agent_history, '$[0]')"
		if tx.Postgres() {
			class, agent = "answered_by ->> 'class'", "agent_history ->> 0"
		}
		classified := tx.NewSelect().Table("calls").Where("answered_by IS NOT NULL").
			ColumnExpr("tenant_id, livemode, listed_at AS at, COALESCE(workflow_slug, '') AS workflow, " + class + " AS class, COALESCE(" + agent + ", agent_name, '') AS agent")
		err := tx.NewSelect().TableExpr("(?) AS classified", classified).Apply(q.dated).
			ColumnExpr(by.expression(tx)+" AS grouped, class, COUNT(*) AS calls").GroupExpr("1, 2").OrderExpr("1, 3 DESC, 2").Scan(ctx, &rows)
		if database.NoRows(err) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count who answered: %w", err)
	}
	for _, r := range rows {
		if n := len(groups); n == 0 || groups[n-1].Group != r.Grouped {
			groups = append(groups, Answered{Group: r.Grouped})
		}
		last := &groups[len(groups)-1]
		last.Calls += r.Calls
		last.Classes = append(last.Classes, r.AnsweredClass)
	}
	for _, g := range groups {
		for n := range g.Classes {
			g.Classes[n].Share = percent(g.Classes[n].Calls, g.Calls)
		}
	}
	return groups, nil
}
