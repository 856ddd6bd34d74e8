// Package analytics answers what happened over a stretch of time: how many
// calls there were and how they ended, how long providers took, what failed.
//
// The answers come from sums (rollup.go) that are kept by minute, hour and day
// in the transaction that ends a call, so that a question costs the same with
// ten thousand calls and with a million. A range is cut (span.go) into the
// largest buckets that fit; what is left at its ends, less than a minute each,
// is counted from the calls themselves (ended.go), as are the calls that are
// not over. Every answer is exact but the percentiles, which are within 1 %.
package analytics

import (
	"context"
	"time"

	"parley/internal/database"
)

// Service answers questions about the past.
type Service struct{ db *database.DB }

// New returns the service.
func New(db *database.DB) *Service { return &Service{db: db} }

// Range is the time from From until just before To. A zero time leaves its
// end open.
type Range struct{ From, To time.Time }

// until is the last stretch of time until now: the current minute and as many
// whole ones as d has.
func until(now time.Time, d time.Duration) Range {
	return Range{From: now.UTC().Truncate(time.Minute).Add(-d)}
}

// holds reports whether a moment lies in the range.
func (r Range) holds(t time.Time) bool {
	return (r.From.IsZero() || !t.Before(r.From)) && (r.To.IsZero() || t.Before(r.To))
}

// Query is what a question is about: the calls of one tenant whose moment,
// started_at or created_at while that is null, lies in a range.
type Query struct {
	TenantID string
	Range
	Livemode *bool // nil: calls of live and of test keys
	// Past, if it is not 0, stands for the range: the last stretch of time of this
	// length, by the database's clock. Calls that are not over count then whatever
	// their moment is.
	Past time.Duration

	now bool // Range is that of Past
}

// ask has a question answered in a transaction, with its range known.
func (s *Service) ask(ctx context.Context, q *Query, answer func(ctx context.Context, tx database.Tx) error) error {
	return s.db.Tenant(q.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if q.Past > 0 {
			q.Range, q.now = until(tx.Now(), q.Past), true
		}
		return answer(ctx, tx)
	})
}

// percent is part of whole as a percentage with one decimal, 0 of nothing.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64((part*2000+whole)/(2*whole)) / 10
}

// mean is sum/count, 0 of nothing.
func mean(sum float64, count int64) float64 {
	if count == 0 {
		return 0
	}
	return sum / float64(count)
}
