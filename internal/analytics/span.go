package analytics

import (
	"fmt"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// The lengths of buckets, in seconds.
const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
)

// spans lists the lengths, each a multiple of the one before.
var spans = []int64{minute, hour, day}

// The ends of time: whole days, past any that a call can have.
const (
	beginning = -(1 << 22) * day
	end       = (1 << 22) * day
)

// segment is a run of buckets of one length: those that begin at from or
// later and before to, in Unix seconds.
type segment struct{ span, from, to int64 }

// cut divides a range into runs of the longest buckets that fit, none longer
// than coarsest, and the stretches of less than a minute that are left at its
// ends.
func (r Range) cut(coarsest int64) (segments []segment, edges []Range) {
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

// divide appends what lies between two bucket borders of the shortest length.
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

// floor is the last multiple of span at or before t.
func floor(t, span int64) int64 {
	rest := t % span
	if rest < 0 {
		rest += span
	}
	return t - rest
}

// ceiling is the first multiple of span at or after t.
func ceiling(t time.Time, span int64) int64 {
	seconds := t.Unix()
	if t.Nanosecond() > 0 {
		seconds++
	}
	return -floor(-seconds, span)
}

// rollups is a query of some columns of a rollup table over segments, at
// least one.
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
