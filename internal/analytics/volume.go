package analytics

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
)

// Interval is the length of a point of a time series.
type Interval string

// The intervals. They begin on the hour, at midnight and on Monday, in UTC.
const (
	Hourly Interval = "hour"
	Daily  Interval = "day"
	Weekly Interval = "week"
)

// shape is an interval's length in seconds and the first second of one.
func (i Interval) shape() (length, origin int64) {
	switch i {
	case Daily:
		return day, 0
	case Weekly:
		return 7 * day, 4 * day // 5 January 1970 was a Monday
	default:
		return hour, 0
	}
}

// Point is what happened in one interval.
type Point struct {
	Time                     time.Time // its beginning
	Total, Completed, Failed int64
}

// maxPoints bounds a time series.
const maxPoints = 100_000

// Volume is a series of all intervals that the range touches, in order; each
// counts only what lies in the range. A range that is open in front begins
// with the tenant's first call, one that is open behind ends now. One of too
// many intervals is a validation error.
func (s *Service) Volume(ctx context.Context, q Query, interval Interval) (points []Point, err error) {
	length, origin := interval.shape()
	start := func(unix int64) int64 { return floor(unix-origin, length) + origin }
	found := map[int64]*Point{}
	at := func(unix int64) *Point {
		unix = start(unix)
		if found[unix] == nil {
			found[unix] = &Point{}
		}
		return found[unix]
	}
	coarsest := int64(hour)
	if interval != Hourly {
		coarsest = day
	}
	var now time.Time
	err = s.ask(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		segments, edges := q.cut(coarsest)
		now = tx.Now()
		var kept []struct {
			Bucket int64 `bun:"bucket"`
			counts
		}
		if len(segments) > 0 {
			if err := tx.NewRaw("SELECT bucket, "+sums(countColumns)+" FROM (?) buckets GROUP BY bucket",
				q.rollups("call_rollups", "bucket, "+strings.Join(countColumns, ", "), segments)).Scan(ctx, &kept); err != nil && !database.NoRows(err) {
				return err
			}
		}
		for _, k := range kept {
			p := at(k.Bucket)
			p.Total, p.Completed, p.Failed = p.Total+k.ended(), p.Completed+k.Completed, p.Failed+k.Failed
		}
		calls, err := q.edge(ctx, tx, edges)
		if err != nil {
			return err
		}
		for _, c := range calls {
			var n counts
			n.count(c)
			p := at(c.CountedAt().Unix())
			p.Total, p.Completed, p.Failed = p.Total+1, p.Completed+n.Completed, p.Failed+n.Failed
		}
		unfinished, err := q.open(ctx, tx)
		for _, o := range unfinished {
			if q.holds(o.CountedAt()) {
				at(o.CountedAt().Unix()).Total++
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count calls: %w", err)
	}
	last := now.Unix()
	if !q.To.IsZero() {
		last = ceiling(q.To, 1) - 1
	}
	first := last
	if !q.From.IsZero() {
		first = q.From.Unix()
	} else {
		for unix := range found {
			first = min(first, unix)
		}
	}
	first, last = start(first), max(start(last), start(first))
	if n := (last-first)/length + 1; n > maxPoints {
		return nil, fault.Invalid([]fault.Detail{{Field: "interval", Message: fmt.Sprintf("the range has %d intervals of one %s, at most %d are told", n, interval, maxPoints)}})
	}
	for unix := first; unix <= last; unix += length {
		p := Point{}
		if found[unix] != nil {
			p = *found[unix]
		}
		p.Time = time.Unix(unix, 0).UTC()
		points = append(points, p)
	}
	return points, nil
}
