// Package analytics reports calls, provider latencies and errors over a time
// range.
//
// Ended calls are added to rollups (rollup.go) by minute, hour and day in the
// transaction that ends the call, so that the cost of a query does not grow with
// the number of calls. A range is split (span.go) into the largest buckets that
// fit; the remainders of less than a minute at its ends, and calls that have not
// ended, are counted from the calls themselves (ended.go). All figures are exact
// except percentiles, which are within 1 %.
package analytics

import (
	"context"
	"time"

	"parley/internal/database"
)

// Service runs analytics queries.
type Service struct{ db *database.DB }

// New returns the service.
func New(db *database.DB) *Service { return &Service{db: db} }

// Range is the time range [From, To). A zero time leaves that end open.
type Range struct{ From, To time.Time }

// until returns the range of length d that ends now: the current minute and the
// whole minutes before it.
func until(now time.Time, d time.Duration) Range {
	return Range{From: now.UTC().Truncate(time.Minute).Add(-d)}
}

// contains reports whether the range contains a time.
func (r Range) contains(t time.Time) bool {
	return (r.From.IsZero() || !t.Before(r.From)) && (r.To.IsZero() || t.Before(r.To))
}

// Query selects the calls of one tenant whose started_at (created_at while that
// is null) lies in a range.
type Query struct {
	TenantID string
	Range
	Livemode *bool // nil: calls of live and of test keys
	// Past, if not 0, replaces the range: the time of this length that ends now, by
	// the database's clock. Calls that have not ended then always count.
	Past time.Duration

	now bool // Range is that of Past
}

// read calls run in a read transaction, with the query's range resolved.
func (s *Service) read(ctx context.Context, q *Query, run func(ctx context.Context, tx database.Tx) error) error {
	return s.db.Tenant(q.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if q.Past > 0 {
			q.Range, q.now = until(tx.Now(), q.Past), true
		}
		return run(ctx, tx)
	})
}

// percent returns part of whole in percent, with one decimal; 0 when whole is 0.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64((part*2000+whole)/(2*whole)) / 10
}

// mean returns sum/count; 0 when count is 0.
func mean(sum float64, count int64) float64 {
	if count == 0 {
		return 0
	}
	return sum / float64(count)
}
