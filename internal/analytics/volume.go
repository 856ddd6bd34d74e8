package analytics

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
)

// Interval is the length of an interval of a time series.
type Interval string

// The intervals begin on the hour, at midnight and on Monday, in UTC.
const (
	Hourly Interval = "hour"
	Daily  Interval = "day"
	Weekly Interval = "week"
)

// shape returns the length of the interval in seconds and the start of one.
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

// Point holds the calls of one interval.
type Point struct {
	Time                     time.Time // start of the interval
	Total, Completed, Failed int64
}

// MaxPoints limits the length of a time series: a year of hours, 27 years of days.
const MaxPoints = 10_000

// fits returns an error for more intervals than are returned.
func (i Interval) fits(n int64) error {
	if n <= MaxPoints {
		return nil
	}
	return fault.Invalid([]fault.Detail{{Field: "interval", Message: fmt.Sprintf("the range of started_after and started_before has %d intervals of one %s; at most %d are returned", n, i, MaxPoints)}})
}

// Volume returns all intervals that overlap the range, in order; each counts only
// calls in the range. A range without From begins with the tenant's first call,
// one without To ends now. More than MaxPoints intervals are a validation error.
func (s *Service) Volume(ctx context.Context, q Query, interval Interval) (points []Point, err error) {
	length, origin := interval.shape()
	start := func(unix int64) int64 { return floor(unix-origin, length) + origin }
	if !q.From.IsZero() && !q.To.IsZero() {
		if err := interval.fits(int64(q.To.Sub(q.From)/time.Second) / length); err != nil {
			return nil, err // before anything is read
		}
	}
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
	err = s.read(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		segments, edges := q.split(coarsest)
		now = tx.Now()
		var buckets []struct {
			Bucket int64 `bun:"bucket"`
			counts
		}
		if len(segments) > 0 {
			if err := tx.NewRaw("SELECT bucket, "+sums(countColumns)+" FROM (?) buckets GROUP BY bucket",
				q.rollups("call_rollups", "bucket, "+strings.Join(countColumns, ", "), segments)).Scan(ctx, &buckets); err != nil && !database.NoRows(err) {
				return err
			}
		}
		for _, k := range buckets {
			p := at(k.Bucket)
			p.Total, p.Completed, p.Failed = p.Total+k.ended(), p.Completed+k.Completed, p.Failed+k.Failed
		}
		calls, err := q.endedCalls(ctx, tx, edges)
		if err != nil {
			return err
		}
		for _, c := range calls {
			var n counts
			n.add(c)
			p := at(c.CountedAt().Unix())
			p.Total, p.Completed, p.Failed = p.Total+1, p.Completed+n.Completed, p.Failed+n.Failed
		}
		unfinished, err := q.openCalls(ctx, tx)
		for _, o := range unfinished {
			if q.contains(o.CountedAt()) {
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
	if err := interval.fits((last-first)/length + 1); err != nil {
		return nil, err
	}
	points = make([]Point, 0, (last-first)/length+1)
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
