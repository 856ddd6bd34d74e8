package call

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/analysis"
	"parley/internal/answering"
	"parley/internal/database"
)

// Filter selects calls of a tenant; nil and zero fields select all. A call's time is when it became active, or else
// when it was created.
type Filter struct {
	Status     Status
	WorkflowID *string
	UserID     *string
	Livemode   *bool
	After      time.Time // inclusive
	Before     time.Time // exclusive
	// Details are conditions without counts: the calls that they select are counted one by one.
	Details
}

// Details are the conditions of a Filter that few requests have.
type Details struct {
	Reason        Reason
	PhoneNumber   *string
	Direction     string
	AnsweredBy    answering.Class
	AgentName     *string           // the agent of a test call, or one that has held the call
	Metadata      map[string]string // values of metadata by name: a text, or another scalar as JSON writes it
	Results       []analysis.Match  // answers of analyses
	CreatedAfter  time.Time         // inclusive
	CreatedBefore time.Time         // exclusive
}

// none reports whether the details select all calls.
func (d Details) none() bool {
	return d.Reason == "" && d.PhoneNumber == nil && d.Direction == "" && d.AnsweredBy == "" && d.AgentName == nil && len(d.Metadata) == 0 && len(d.Results) == 0 && d.CreatedAfter.IsZero() && d.CreatedBefore.IsZero()
}

// matching adds the conditions of the details to a query of calls.
func (d Details) matching(tx database.Tx) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if d.Reason != "" {
			q = q.Where("status_reason = ?", d.Reason)
		}
		if d.PhoneNumber != nil {
			q = q.Where("phone_number = ?", *d.PhoneNumber)
		}
		if d.Direction != "" {
			q = q.Where("direction = ?", d.Direction)
		}
		if d.AnsweredBy != "" {
			class := "answered_by IS NOT NULL AND json_extract(answered_by, '$.class') = ?"
			if tx.Postgres() {
				class = "answered_by IS NOT NULL AND answered_by ->> 'class' = ?"
			}
			q = q.Where(class, d.AnsweredBy)
		}
		if d.AgentName != nil {
			held := "EXISTS (SELECT 1 FROM json_each(c.agent_history) WHERE value = ?)"
			if tx.Postgres() {
				held = "agent_history @> to_jsonb(?::text)"
			}
			q = q.Where("(agent_name = ? OR "+held+")", *d.AgentName, *d.AgentName)
		}
		for _, name := range slices.Sorted(maps.Keys(d.Metadata)) {
			has := "EXISTS (SELECT 1 FROM json_each(c.metadata) WHERE key = ? AND (CASE type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(value AS TEXT) END) = ?)"
			if tx.Postgres() {
				has = "metadata ->> ? = ?"
			}
			q = q.Where(has, name, d.Metadata[name])
		}
		for _, m := range d.Results {
			q = m.Apply(q)
		}
		if !d.CreatedAfter.IsZero() {
			q = q.Where("created_at >= ?", d.CreatedAfter.UTC())
		}
		if !d.CreatedBefore.IsZero() {
			q = q.Where("created_at < ?", d.CreatedBefore.UTC())
		}
		return q
	}
}

// seekFrom is the offset from which a page is located by the daily and hourly counts. Skipping a million rows costs 100 ms
// or more.
const seekFrom = 1000

// List returns a page of the calls that a filter selects, newest first, and the total number that it selects.
func (s *Service) List(ctx context.Context, tenantID string, f Filter, limit, offset int64) (page []*Call, total int64, err error) {
	err = s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if m, ok, err := f.onlyResult(ctx, tx); err != nil {
			return err
		} else if ok {
			page, total, err = f.listByResult(ctx, tx, m, limit, offset)
			return err
		}
		if total, err = f.total(ctx, tx); err != nil {
			return fmt.Errorf("count calls: %w", err)
		}
		if offset >= total {
			return nil
		}
		at, skip := f, offset
		if offset >= seekFrom && f.UserID == nil && f.Details.none() {
			from, to := f.bounds()
			if at.Before, skip, err = f.locatePage(ctx, tx, from, to, spanDay, offset); err != nil {
				return fmt.Errorf("find page of calls: %w", err)
			}
		}
		page, err = readPage(ctx, tx, func(q *bun.SelectQuery) *bun.SelectQuery {
			return q.Apply(at.selected(tx)).Limit(limit).Offset(skip)
		})
		return err
	})
	return page, total, err
}

// readPage reads the calls of a page, newest first.
func readPage(ctx context.Context, tx database.Tx, those func(*bun.SelectQuery) *bun.SelectQuery) (page []*Call, err error) {
	err = tx.NewSelect().Model(&page).Column("id", "workflow_id", "workflow_slug", "user_id", "status", "status_reason", "call_type", "held", "answered_by", "direction", "phone_number", "agent_name", "metadata", "duration_seconds",
		"agent_history", "livemode", "cost", "started_at", "ended_at", "created_at").
		Apply(those).OrderExpr("listed_at DESC, id DESC").Scan(ctx)
	if err != nil {
		return nil, err
	}
	setReadAt(tx, page)
	return page, readResults(ctx, tx, page)
}

// readResults reads the answers of the analyses of calls.
func readResults(ctx context.Context, tx database.Tx, calls []*Call) error {
	ids := make([]string, len(calls))
	for n, c := range calls {
		ids[n] = c.ID
	}
	values, err := analysis.ValuesOf(ctx, tx, ids)
	for _, c := range calls {
		c.Results = values[c.ID]
	}
	return err
}

// ListActive returns up to limit open calls, newest first. A nil livemode selects both modes.
func (s *Service) ListActive(ctx context.Context, tenantID string, livemode *bool, limit int64) (calls []*Call, err error) {
	err = s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		err = tx.NewSelect().Model(&calls).ExcludeColumn("plan", "user_context", "sip_headers", "settings", "context").Apply(Filter{Livemode: livemode}.open(tx)).
			OrderExpr("created_at DESC, id DESC").Limit(limit).Scan(ctx)
		setReadAt(tx, calls)
		return err
	})
	return calls, err
}

// setReadAt sets when calls were read.
func setReadAt(tx database.Tx, calls []*Call) {
	for _, c := range calls {
		c.ReadAt = tx.Now()
	}
}

func (f Filter) unbounded() bool { return f.After.IsZero() && f.Before.IsZero() }

// bounds returns the filter's times, limited to the range that every database supports.
func (f Filter) bounds() (from, to time.Time) {
	from, to = epoch, never
	if f.After.After(from) {
		from = f.After.UTC()
	}
	if !f.Before.IsZero() && f.Before.Before(to) {
		to = f.Before.UTC()
	}
	return from, to
}

func (f Filter) between(from, to time.Time) Filter {
	f.After, f.Before = from, to
	return f
}

// selected adds the filter's conditions to a query of calls.
func (f Filter) selected(tx database.Tx) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		q = f.matching(f.table(tx, q, f.index())).Apply(f.Details.matching(tx))
		if !f.After.IsZero() {
			from, _ := f.bounds()
			q = q.Where("listed_at >= ?", from)
		}
		if !f.Before.IsZero() {
			_, to := f.bounds()
			q = q.Where("listed_at < ?", to)
		}
		return q.Where("tenant_id = ?", tx.TenantID())
	}
}

// open adds the filter's conditions to a query of open calls.
func (f Filter) open(tx database.Tx) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		q = f.matching(f.table(tx, q, "calls_tenant_open")).Where("tenant_id = ?", tx.TenantID()).Where("ended_at IS NULL").Apply(f.Details.matching(tx))
		if !f.unbounded() {
			from, to := f.bounds()
			q = q.Where("listed_at >= ? AND listed_at < ?", from, to)
		}
		return q
	}
}

// table names the calls table and, on SQLite, the index to use: without statistics SQLite may choose one that
// selects half of all calls. That of the primary key is sqlite_autoindex_calls_1.
func (f Filter) table(tx database.Tx, q *bun.SelectQuery, index string) *bun.SelectQuery {
	if tx.Postgres() {
		return q.ModelTableExpr("calls AS c")
	}
	return q.ModelTableExpr("calls AS c INDEXED BY " + index)
}

// index returns the most selective index for the filter.
func (f Filter) index() string {
	switch {
	case f.UserID != nil:
		return "calls_listed_user"
	case f.PhoneNumber != nil:
		return "calls_listed_phone"
	case f.AnsweredBy != "":
		return "calls_answered"
	case f.Reason != "":
		return "calls_listed_reason"
	case f.WorkflowID != nil && f.Status != "":
		return "calls_listed_workflow_status"
	case f.WorkflowID != nil:
		return "calls_listed_workflow"
	case f.Status != "":
		return "calls_listed_status"
	case f.Livemode != nil && !*f.Livemode:
		return "calls_listed_test"
	}
	return "calls_listed"
}

func (f Filter) matching(q *bun.SelectQuery) *bun.SelectQuery {
	if f.WorkflowID != nil {
		q = q.Where("workflow_id = ?", *f.WorkflowID)
	}
	if f.UserID != nil {
		q = q.Where("user_id = ?", *f.UserID)
	}
	return f.matchingModes(q)
}

// matchingCounts is like matching, for the tables of counts.
func (f Filter) matchingCounts(q *bun.SelectQuery) *bun.SelectQuery {
	if f.WorkflowID != nil {
		q = q.Where("workflow = ?", *f.WorkflowID)
	}
	return f.matchingModes(q)
}

func (f Filter) matchingModes(q *bun.SelectQuery) *bun.SelectQuery {
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if f.Livemode != nil {
		if *f.Livemode { // literals, because a partial index is matched by its text
			q = q.Where("livemode")
		} else {
			q = q.Where("NOT livemode")
		}
	}
	return q
}

// locatePage locates the call at an offset, counted from the newest in from … to: it is the skip-th call before a time.
// It walks the counts of days, then those of the hours of one day.
func (f Filter) locatePage(ctx context.Context, tx database.Tx, from, to time.Time, span string, offset int64) (before time.Time, skip int64, err error) {
	length := map[string]time.Duration{spanDay: day, spanHour: time.Hour}[span]
	var whole []count
	if err := tx.NewSelect().Model(&whole).ColumnExpr("at, SUM(n) AS n").Where("tenant_id = ?", tx.TenantID()).
		Where("span = ? AND at >= ? AND at < ?", span, from.Truncate(length), to).Apply(f.matchingCounts).GroupExpr("at").Scan(ctx); err != nil {
		return before, 0, err
	}
	in := map[time.Time]int64{}
	for _, c := range whole {
		in[c.At.UTC()] += c.N
	}
	var open []*Call
	if err := tx.NewSelect().Model(&open).Column("started_at", "created_at").Apply(f.between(from, to).open(tx)).Scan(ctx); err != nil {
		return before, 0, err
	}
	for _, c := range open {
		in[c.listedAt().Truncate(length)]++
	}
	starts := make([]time.Time, 0, len(in))
	for at := range in {
		starts = append(starts, at)
	}
	slices.SortFunc(starts, func(a, b time.Time) int { return b.Compare(a) })
	for _, start := range starts {
		end, n := start.Add(length), in[start]
		if start.Before(from) || end.After(to) { // only partly within the range
			if start.Before(from) {
				start = from
			}
			if end.After(to) {
				end = to
			}
			if n, err = f.between(start, end).total(ctx, tx); err != nil {
				return before, 0, err
			}
		}
		if offset < n {
			if span == spanDay {
				return f.locatePage(ctx, tx, start, end, spanHour, offset)
			}
			return end, offset, nil
		}
		offset -= n
	}
	return from, 0, nil // calls were deleted meanwhile: an empty page
}
