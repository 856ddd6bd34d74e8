package live

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/event"
)

const (
	// overlap is how far a look reads behind the one before: a call may end in
	// a transaction that is older than the look, and be committed after it.
	overlap = 10 * time.Second
	// maxEnded bounds how many calls that are over a resumed stream is told.
	maxEnded = 1000
)

// row is what a source reads of a call.
type row struct {
	ID              string    `bun:"id"`
	WorkflowSlug    *string   `bun:"workflow_slug"`
	UserID          *string   `bun:"user_id"`
	Status          string    `bun:"status"`
	StatusReason    *string   `bun:"status_reason"`
	CallType        string    `bun:"call_type"`
	CurrentAgent    *string   `bun:"current_agent"`
	CreatedAt       time.Time `bun:"created_at"`
	ArrivedAt       time.Time `bun:"arrived_at,nullzero"`
	StartedAt       time.Time `bun:"started_at,nullzero"`
	EndedAt         time.Time `bun:"ended_at,nullzero"`
	DurationSeconds int64     `bun:"duration_seconds"`
	Messages        int64     `bun:"messages"` // entries of the transcript that say something
	Handoffs        int       `bun:"handoffs"`
}

const columns = `id, workflow_slug, user_id, status, status_reason, call_type, current_agent, created_at, arrived_at, started_at, ended_at, duration_seconds,
	COALESCE(CAST(metrics->>'messages' AS bigint), 0) AS messages, COALESCE(CAST(metrics->>'agent_handoffs' AS bigint), 0) AS handoffs`

// face is what changes of a call in a list.
type face struct {
	status, reason, agent string
	over                  bool
}

func (r *row) face() face {
	return face{r.Status, value(r.StatusReason), value(r.CurrentAgent), r.over()}
}

func (r *row) over() bool { return !r.EndedAt.IsZero() }

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// entry is what a source reads of a transcript.
type entry struct {
	ID        int64     `bun:"id"`
	CallID    string    `bun:"call_id"`
	Role      string    `bun:"role"`
	Content   string    `bun:"content"`
	AgentName *string   `bun:"agent_name"`
	CreatedAt time.Time `bun:"created_at"`
}

// handoff is what a source reads of a call.agent.changed event.
type handoff struct {
	CallID    string          `bun:"call_id"`
	Data      json.RawMessage `bun:"data"`
	CreatedAt time.Time       `bun:"created_at"`
}

// question is what a look wants to know, and for whom.
type question struct {
	test  bool                 // only calls made with test keys are seen
	lists []*Stream            // of all calls
	calls map[string][]*Stream // of one call, by its id

	since   time.Time        // calls that ended earlier are of no interest; zero for overlap ago
	open    []string         // calls that were not over at the look before
	watched map[string]watch // what is known of those that are watched
}

// ask gathers who wants to know what.
func (s *source) ask() question {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := question{test: s.test, lists: slices.Collect(maps.Keys(s.lists)), calls: map[string][]*Stream{}, watched: map[string]watch{}}
	if len(s.lists) == 0 {
		s.known, s.readAt = nil, time.Time{}
	}
	if !s.readAt.IsZero() {
		q.since = s.readAt.Add(-overlap)
	}
	for id, f := range s.known {
		if !f.over {
			q.open = append(q.open, id)
		}
	}
	for id, streams := range s.calls {
		q.calls[id] = slices.Collect(maps.Keys(streams))
		if w := s.watched[id]; w != nil {
			q.watched[id] = *w
		}
	}
	maps.DeleteFunc(s.watched, func(id string, _ *watch) bool { return s.calls[id] == nil })
	return q
}

// fail ends the streams that have been told nothing yet; the others continue when
// the database answers again.
func (q question) fail() {
	for _, streams := range append(slices.Collect(maps.Values(q.calls)), q.lists) {
		for _, st := range streams {
			if st.fresh {
				st.push(Frame{Text: st.Problem(FirstID, "the calls cannot be read at the moment"), ID: FirstID})
				st.end()
			}
		}
	}
}

// answer is what the database says, all of it of one moment.
type answer struct {
	at       time.Time
	since    time.Time // a look that continues another tells what ended later
	calls    map[string]*row
	listed   []*row // the open ones, then those that ended, newest first
	entries  map[string][]entry
	handoffs map[string][]handoff
}

// seen is the condition of the calls that are seen.
func (q question) seen() string {
	if q.test {
		return " AND NOT livemode"
	}
	return ""
}

func (q question) read(ctx context.Context, tx database.Tx) (answer, error) {
	a := answer{at: tx.Now(), calls: map[string]*row{}, entries: map[string][]entry{}, handoffs: map[string][]handoff{}}
	if len(q.lists) > 0 {
		if err := a.readLists(ctx, tx, q); err != nil {
			return a, fmt.Errorf("read calls: %w", err)
		}
	}
	missing := map[string]bool{} // and whether a list wants it
	for id := range q.calls {
		missing[id] = false
	}
	for _, id := range q.open {
		missing[id] = true
	}
	maps.DeleteFunc(missing, func(id string, _ bool) bool { return a.calls[id] != nil })
	if len(missing) > 0 {
		var rows []*row
		if err := tx.NewRaw("SELECT "+columns+" FROM calls WHERE tenant_id = ? AND id IN (?)"+q.seen(), tx.TenantID(), bun.List(slices.Collect(maps.Keys(missing)))).Scan(ctx, &rows); err != nil {
			return a, fmt.Errorf("read calls: %w", err)
		}
		for _, r := range rows {
			a.calls[r.ID] = r
			if missing[r.ID] {
				a.listed = append(a.listed, r)
			}
		}
	}
	if err := a.readConversations(ctx, tx, q); err != nil {
		return a, fmt.Errorf("read conversations: %w", err)
	}
	return a, nil
}

// readLists reads the calls that are not over, and those that ended since the
// look before, or since the time that a stream resumes from.
func (a *answer) readLists(ctx context.Context, tx database.Tx, q question) error {
	a.since = a.at.Add(-overlap)
	if !q.since.IsZero() && q.since.Before(a.since) {
		a.since = q.since
	}
	from := a.since
	for _, st := range q.lists {
		if st.fresh && !st.since.IsZero() && st.since.Add(-overlap).Before(from) {
			from = st.since.Add(-overlap)
		}
	}
	byIndex := func(name string) string {
		if tx.Postgres() {
			return ""
		}
		return " INDEXED BY " + name // without figures SQLite may take one that selects most calls
	}
	var open, ended []*row
	if err := tx.NewRaw("SELECT "+columns+" FROM calls"+byIndex("calls_tenant_open")+
		" WHERE tenant_id = ? AND ended_at IS NULL"+q.seen()+" ORDER BY created_at DESC, id DESC", tx.TenantID()).Scan(ctx, &open); err != nil {
		return err
	}
	if err := tx.NewRaw("SELECT "+columns+" FROM calls"+byIndex("calls_ended")+
		" WHERE tenant_id = ? AND ended_at IS NOT NULL AND ended_at >= ?"+q.seen()+" ORDER BY ended_at DESC LIMIT ?", tx.TenantID(), from, maxEnded).Scan(ctx, &ended); err != nil {
		return err
	}
	a.listed = append(open, ended...)
	for _, r := range a.listed {
		a.calls[r.ID] = r
	}
	return nil
}

// readConversations reads what was said, and by which agent, in the watched
// calls in which there is more than has been told.
func (a *answer) readConversations(ctx context.Context, tx database.Tx, q question) error {
	var talked, handed []string
	from := int64(math.MaxInt64)
	for id, streams := range q.calls {
		r, known := a.calls[id], q.watched[id]
		if r == nil {
			continue
		}
		fresh := slices.ContainsFunc(streams, func(st *Stream) bool { return st.fresh })
		if fresh || r.Messages != known.messages {
			talked = append(talked, id)
			for _, st := range streams {
				from = min(from, st.told.entry)
			}
		}
		if fresh || r.Handoffs != known.handoffs {
			handed = append(handed, id)
		}
	}
	if len(talked) > 0 {
		var entries []entry
		if err := tx.NewRaw("SELECT id, call_id, role, content, agent_name, created_at FROM transcript_entries WHERE tenant_id = ? AND call_id IN (?) AND id >= ? AND content <> '' ORDER BY id",
			tx.TenantID(), bun.List(talked), from).Scan(ctx, &entries); err != nil {
			return err
		}
		for _, e := range entries {
			a.entries[e.CallID] = append(a.entries[e.CallID], e)
		}
	}
	if len(handed) > 0 {
		var handoffs []handoff
		if err := tx.NewRaw("SELECT call_id, data, created_at FROM events WHERE tenant_id = ? AND call_id IN (?) AND type = ? ORDER BY created_at, id",
			tx.TenantID(), bun.List(handed), event.CallAgentChanged).Scan(ctx, &handoffs); err != nil {
			return err
		}
		for _, h := range handoffs {
			a.handoffs[h.CallID] = append(a.handoffs[h.CallID], h)
		}
	}
	return nil
}
