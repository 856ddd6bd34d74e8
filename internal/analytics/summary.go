package analytics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/database"
)

// Summary is what the calls of a range add up to. Calls that are not over
// count in Total and Active alone.
type Summary struct {
	Total, Completed, Failed int64
	// Active is the calls in no terminal state.
	Active int64
	// AvgDurationSeconds is of the calls that were answered.
	AvgDurationSeconds float64
	// SuccessRate is Completed of Total as a percentage with one decimal.
	SuccessRate float64
	Tokens      int64
	// Means of all measurements, in milliseconds.
	AvgSTTLatencyMS, AvgLLMLatencyMS, AvgTTSLatencyMS float64
}

// sums is a list of columns, each the sum of the column of that name.
func sums(columns []string) string {
	var list []string
	for _, c := range columns {
		kind := "bigint"
		if strings.HasSuffix(c, "_ms") {
			kind = "double precision"
		}
		list = append(list, fmt.Sprintf("CAST(COALESCE(SUM(%s), 0) AS %s) AS %s", c, kind, c))
	}
	return strings.Join(list, ", ")
}

// Summary adds up the calls of a range.
func (s *Service) Summary(ctx context.Context, q Query) (Summary, error) {
	var sum struct {
		counts
		work
	}
	var active int64
	err := s.ask(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		segments, edges := q.cut(day)
		columns := slices.Concat(countColumns, workColumns)
		if len(segments) > 0 {
			if err := tx.NewRaw("SELECT "+sums(columns)+" FROM (?) buckets", q.rollups("call_rollups", strings.Join(columns, ", "), segments)).Scan(ctx, &sum); err != nil {
				return err
			}
		}
		calls, err := q.edge(ctx, tx, edges)
		if err != nil {
			return err
		}
		for _, c := range calls {
			sum.counts.count(c)
			sum.work.count(c)
		}
		unfinished, err := q.open(ctx, tx)
		active = int64(len(unfinished))
		return err
	})
	if err != nil {
		return Summary{}, fmt.Errorf("sum up calls: %w", err)
	}
	all := sum.ended() + active
	return Summary{
		Total: all, Completed: sum.Completed, Failed: sum.Failed, Active: active,
		AvgDurationSeconds: mean(float64(sum.DurationSeconds), sum.Answered), SuccessRate: percent(sum.Completed, all), Tokens: sum.Tokens,
		AvgSTTLatencyMS: mean(sum.STTMS, sum.STTCount), AvgLLMLatencyMS: mean(sum.LLMMS, sum.LLMCount), AvgTTSLatencyMS: mean(sum.TTSMS, sum.TTSCount),
	}, nil
}

// ActiveCalls counts the calls in no terminal state.
func (s *Service) ActiveCalls(ctx context.Context, q Query) (n int, err error) {
	err = s.ask(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		unfinished, err := q.open(ctx, tx)
		n = len(unfinished)
		return err
	})
	return n, err
}
