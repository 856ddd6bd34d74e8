package analytics

import (
	"context"
	"fmt"

	"parley/internal/analysis"
	"parley/internal/database"
)

// Group is what figures are for.
type Group string

// The groups.
const (
	Ungrouped  Group = "none"
	ByAgent    Group = "agent"
	ByWorkflow Group = "workflow"
	ByDay      Group = "day"
)

// Result says how often a criterion was answered with what, or which values a property of the data had.
type Result struct {
	Group    string // "" for Ungrouped
	Name     string // of the criterion, or data. and the name of the property
	Calls    int64
	YesShare *float64 // percentage of yes, with one decimal; nil for scores and data, and if neither yes nor no was given
	Average  *float64 // of numbers; nil without any
	Answers  []Answers
}

// Answers is how many calls have an answer.
type Answers struct {
	Value string // a score is rounded to a whole number
	Calls int64
}

// mostAnswers is how many answers a result lists: all of a criterion, and the most frequent values of data.
const mostAnswers = 20

// Results returns the figures of an analysis, by group, then name. A call counts for the agent that has held it last.
func (s *Service) Results(ctx context.Context, q Query, of string, by Group) (results []Result, err error) {
	var rows []struct {
		Grouped string  `bun:"grouped"`
		Name    string  `bun:"name"`
		Value   string  `bun:"value"`
		Calls   int64   `bun:"calls"`
		InAll   int64   `bun:"in_all"`
		Numbers int64   `bun:"numbers"`
		Total   float64 `bun:"total"`
	}
	err = s.read(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		group := by.expression(tx)
		counted := tx.NewSelect().TableExpr("analysis_values").Where("analysis = ?", of).Apply(q.dated).
			ColumnExpr(group + " AS grouped, name, CASE WHEN number IS NOT NULL AND name NOT LIKE 'data.%' THEN CAST(CAST(ROUND(number) AS INTEGER) AS TEXT) ELSE value END AS value").
			ColumnExpr("COUNT(*) AS calls, COUNT(number) AS numbers, COALESCE(SUM(number), 0.0) AS total").GroupExpr("1, 2, 3")
		const same = "OVER (PARTITION BY grouped, name)"
		ranked := tx.NewSelect().TableExpr("(?) AS counted", counted).
			ColumnExpr("grouped, name, value, calls, SUM(calls) " + same + " AS in_all, SUM(numbers) " + same + " AS numbers, SUM(total) " + same + " AS total").
			ColumnExpr("ROW_NUMBER() OVER (PARTITION BY grouped, name ORDER BY calls DESC, value) AS place")
		err := tx.NewSelect().TableExpr("(?) AS ranked", ranked).ColumnExpr("grouped, name, value, calls, CAST(in_all AS BIGINT) AS in_all, CAST(numbers AS BIGINT) AS numbers, total").
			Where("place <= ?", mostAnswers).OrderExpr("grouped, name, place").Scan(ctx, &rows)
		if database.NoRows(err) {
			return nil
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count the results of an analysis: %w", err)
	}
	for _, r := range rows {
		if n := len(results); n == 0 || results[n-1].Group != r.Grouped || results[n-1].Name != r.Name {
			result := Result{Group: r.Grouped, Name: r.Name, Calls: r.InAll}
			if r.Numbers > 0 {
				average := r.Total / float64(r.Numbers)
				result.Average = &average
			}
			results = append(results, result)
		}
		last := &results[len(results)-1]
		last.Answers = append(last.Answers, Answers{r.Value, r.Calls})
	}
	for n := range results {
		results[n].setShare()
	}
	return results, nil
}

// setShare sets the share of yes of a criterion that is answered with yes, no or unknown.
func (r *Result) setShare() {
	if analysis.IsOfData(r.Name) || r.Average != nil {
		return
	}
	given := map[string]int64{}
	for _, a := range r.Answers {
		given[a.Value] = a.Calls
	}
	if given[analysis.Yes]+given[analysis.No] > 0 {
		share := percent(given[analysis.Yes], r.Calls)
		r.YesShare = &share
	}
}

// expression returns the SQL of the group.
func (g Group) expression(tx database.Tx) string {
	switch g {
	case ByDay:
		return dayOf(tx)
	case Ungrouped:
		return "''"
	}
	return string(g)
}
