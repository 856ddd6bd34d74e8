package analytics

import (
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// Lengths of buckets, in seconds.
const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
)

// spans lists the lengths; each is a multiple of the previous one.
var spans = []int64{minute, hour, day}

// Bounds of open ranges: whole days beyond any time of a call.
const (
	beginning = -(1 << 22) * day
	end       = (1 << 22) * day
)

// segment is a series of buckets of one length: those with from <= start < to, in
// Unix seconds.
type segment struct{ span, from, to int64 }

// split splits a range into segments of the longest buckets that fit, none longer
// than coarsest, and the remainders of less than a minute at its ends.
func (r Range) split(coarsest int64) (segments []segment, edges []Range) {
	first, last := int64(beginning), int64(end)
	if !r.From.IsZero() {
		first = ceiling(r.From, minute)
	}
	if !r.To.IsZero() {
		last = floor(r.To.Unix(), minute)
	}
	if first > last {
		return nil, []Range{r}
	}
	if start := time.Unix(first, 0); !r.From.IsZero() && r.From.Before(start) {
		edges = append(edges, Range{r.From, start})
	}
	if stop := time.Unix(last, 0); !r.To.IsZero() && stop.Before(r.To) {
		edges = append(edges, Range{stop, r.To})
	}
	return divide(segments, first, last, spans, coarsest), edges
}

// divide appends the segments between two bucket boundaries of the shortest length.
func divide(to []segment, first, last int64, lengths []int64, coarsest int64) []segment {
	if first >= last {
		return to
	}
	span := lengths[0]
	if span == coarsest {
		return append(to, segment{span, first, last})
	}
	longer := lengths[1]
	inner, outer := -floor(-first, longer), floor(last, longer)
	if inner > outer {
		return append(to, segment{span, first, last})
	}
	if first < inner {
		to = append(to, segment{span, first, inner})
	}
	to = divide(to, inner, outer, lengths[1:], coarsest)
	if outer < last {
		to = append(to, segment{span, outer, last})
	}
	return to
}

// floor returns the last multiple of span at or before t.
func floor(t, span int64) int64 {
	rest := t % span
	if rest < 0 {
		rest += span
	}
	return t - rest
}

// ceiling returns the first multiple of span at or after t.
func ceiling(t time.Time, span int64) int64 {
	seconds := t.Unix()
	if t.Nanosecond() > 0 {
		seconds++
	}
	return -floor(-seconds, span)
}

// rollups returns a query of columns of a rollup table over one or more segments.
func (q Query) rollups(table, columns string, segments []segment) schema.QueryWithArgs {
	var parts []string
	var args []any
	for _, s := range segments {
		part := fmt.Sprintf("SELECT %s FROM %s WHERE tenant_id = ? AND span = ? AND bucket >= ? AND bucket < ?", columns, table)
		args = append(args, q.TenantID, s.span, s.from, s.to)
		if q.Livemode != nil {
			part += " AND livemode = ?"
			args = append(args, *q.Livemode)
		}
		parts = append(parts, part)
	}
	return bun.SafeQuery(strings.Join(parts, " UNION ALL "), args...)
}
