package analytics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/internal/database"
)

// Summary holds the totals of a range. Calls that have not ended count in Total
// and Active only.
type Summary struct {
	Total, Completed, Failed int64
	// Active is the number of calls in no terminal state.
	Active int64
	// AvgDurationSeconds covers answered calls.
	AvgDurationSeconds float64
	// SuccessRate is Completed of Total in percent, with one decimal.
	SuccessRate float64
	Tokens      int64
	// Means of all measurements, in milliseconds.
	AvgSTTLatencyMS, AvgLLMLatencyMS, AvgTTSLatencyMS float64
}

// sums returns a select list with the sum of each column, under its name.
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

// Summary returns the totals of a range.
func (s *Service) Summary(ctx context.Context, q Query) (Summary, error) {
	var sum struct {
		counts
		usage
	}
	var active int64
	err := s.read(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		segments, edges := q.split(day)
		columns := slices.Concat(countColumns, usageColumns)
		if len(segments) > 0 {
			if err := tx.NewRaw("SELECT "+sums(columns)+" FROM (?) buckets", q.rollups("call_rollups", strings.Join(columns, ", "), segments)).Scan(ctx, &sum); err != nil {
				return err
			}
		}
		calls, err := q.endedCalls(ctx, tx, edges)
		if err != nil {
			return err
		}
		for _, c := range calls {
			sum.counts.add(c)
			sum.usage.add(c)
		}
		unfinished, err := q.openCalls(ctx, tx)
		active = int64(len(unfinished))
		return err
	})
	if err != nil {
		return Summary{}, fmt.Errorf("summarize calls: %w", err)
	}
	all := sum.ended() + active
	return Summary{
		Total: all, Completed: sum.Completed, Failed: sum.Failed, Active: active,
		AvgDurationSeconds: mean(float64(sum.DurationSeconds), sum.Answered), SuccessRate: percent(sum.Completed, all), Tokens: sum.Tokens,
		AvgSTTLatencyMS: mean(sum.STTMS, sum.STTCount), AvgLLMLatencyMS: mean(sum.LLMMS, sum.LLMCount), AvgTTSLatencyMS: mean(sum.TTSMS, sum.TTSCount),
	}, nil
}

// ActiveCalls returns the number of calls in no terminal state.
func (s *Service) ActiveCalls(ctx context.Context, q Query) (n int, err error) {
	err = s.read(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		unfinished, err := q.openCalls(ctx, tx)
		n = len(unfinished)
		return err
	})
	return n, err
}
