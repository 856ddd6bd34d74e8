package live

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"parley/internal/call"
	"parley/internal/database"
)

const (
	// overlap is how far a refresh reads behind the one before: a call may end
	// in a transaction that is older than the refresh, and be committed after it.
	overlap = 10 * time.Second
	// maxEnded bounds how many ended calls a resumed stream is sent.
	maxEnded = 1000
)

// listState is what changes of a call in a list.
type listState struct {
	status, reason, agent string
	ended                 bool
}

func listStateOf(c *call.LiveCall) listState {
	return listState{c.Status, value(c.StatusReason), value(c.CurrentAgent), c.Ended()}
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// question is what a refresh is to read, and for which streams.
type question struct {
	test     bool                 // only calls made with test keys are seen
	lists    []*Stream            // of all calls
	watching map[string][]*Stream // of one call, by its id

	since   time.Time        // calls that ended earlier are of no interest; zero for overlap ago
	open    []string         // calls that had not ended at the refresh before
	watched map[string]watch // what is known of those that are watched
}

// ask gathers who wants to know what.
func (s *source) ask() question {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := question{test: s.test, lists: slices.Collect(maps.Keys(s.lists)), watching: map[string][]*Stream{}, watched: map[string]watch{}}
	if len(s.lists) == 0 {
		s.known, s.readAt = nil, time.Time{}
	}
	if !s.readAt.IsZero() {
		q.since = s.readAt.Add(-overlap)
	}
	for id, f := range s.known {
		if !f.ended {
			q.open = append(q.open, id)
		}
	}
	for id, streams := range s.calls {
		q.watching[id] = slices.Collect(maps.Keys(streams))
		if w := s.watched[id]; w != nil {
			q.watched[id] = *w
		}
	}
	maps.DeleteFunc(s.watched, func(id string, _ *watch) bool { return s.calls[id] == nil })
	return q
}

// fail ends the streams that have been sent nothing yet; the others go on when
// the database answers again.
func (q question) fail() {
	for _, streams := range append(slices.Collect(maps.Values(q.watching)), q.lists) {
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
	since    time.Time // a refresh publishes what ended later
	calls    map[string]*call.LiveCall
	listed   []*call.LiveCall // the open ones, then those that ended, the newest first
	entries  map[string][]call.TranscriptEntry
	handoffs map[string][]call.AgentChange
}

// calls are the calls that the viewer sees.
func (q question) calls() call.LiveCalls { return call.LiveCalls{TestOnly: q.test} }

func (q question) read(ctx context.Context, tx database.Tx) (answer, error) {
	a := answer{at: tx.Now(), calls: map[string]*call.LiveCall{}, entries: map[string][]call.TranscriptEntry{}, handoffs: map[string][]call.AgentChange{}}
	if len(q.lists) > 0 {
		if err := a.readLists(ctx, tx, q); err != nil {
			return a, err
		}
	}
	missing := map[string]bool{} // and whether a list wants it
	for id := range q.watching {
		missing[id] = false
	}
	for _, id := range q.open {
		missing[id] = true
	}
	maps.DeleteFunc(missing, func(id string, _ bool) bool { return a.calls[id] != nil })
	if len(missing) > 0 {
		rows, err := q.calls().ByID(ctx, tx, slices.Collect(maps.Keys(missing)))
		if err != nil {
			return a, err
		}
		for _, r := range rows {
			a.calls[r.ID] = r
			if missing[r.ID] {
				a.listed = append(a.listed, r)
			}
		}
	}
	if err := a.readConversations(ctx, tx, q); err != nil {
		return a, err
	}
	return a, nil
}

// readLists reads the calls that are not over, and those that ended since the
// refresh before, or since the time that a stream resumes from.
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
	open, err := q.calls().Open(ctx, tx)
	if err != nil {
		return err
	}
	ended, err := q.calls().EndedSince(ctx, tx, from, maxEnded)
	if err != nil {
		return err
	}
	a.listed = append(open, ended...)
	for _, r := range a.listed {
		a.calls[r.ID] = r
	}
	return nil
}

// readConversations reads what was said, and by which agent, in the watched
// calls in which there is more than has been sent.
func (a *answer) readConversations(ctx context.Context, tx database.Tx, q question) error {
	var talked, handed []string
	from := int64(math.MaxInt64)
	for id, streams := range q.watching {
		r, known := a.calls[id], q.watched[id]
		if r == nil {
			continue
		}
		fresh := slices.ContainsFunc(streams, func(st *Stream) bool { return st.fresh })
		if fresh || r.Messages != known.messages {
			talked = append(talked, id)
			for _, st := range streams {
				from = min(from, st.sent.entry)
			}
		}
		if fresh || r.Handoffs != known.handoffs {
			handed = append(handed, id)
		}
	}
	if len(talked) > 0 {
		entries, err := call.SpokenEntries(ctx, tx, talked, from)
		if err != nil {
			return err
		}
		for _, e := range entries {
			a.entries[e.CallID] = append(a.entries[e.CallID], e)
		}
	}
	if len(handed) > 0 {
		handoffs, err := call.AgentChanges(ctx, tx, handed)
		if err != nil {
			return err
		}
		for _, h := range handoffs {
			a.handoffs[h.CallID] = append(a.handoffs[h.CallID], h)
		}
	}
	return nil
}
