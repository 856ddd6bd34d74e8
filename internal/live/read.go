package live

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/seal"
)

const (
	// overlap is by how much the time ranges of successive reads overlap: a call
	// may end in a transaction that began before a read and commits after it.
	overlap = 10 * time.Second
	// maxEnded limits the ended calls sent to a resumed stream.
	maxEnded = 1000
)

// listState holds the fields of a call whose change is sent to a list.
type listState struct {
	status, reason, agent string
	held, ended           bool
}

func listStateOf(c *call.LiveCall) listState {
	return listState{c.Status, value(c.StatusReason), value(c.CurrentAgent), c.Held, c.Ended()}
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// query holds what a refresh reads, and for which streams.
type query struct {
	test     bool                 // only calls created with test keys
	lists    []*Stream            // of all calls
	watching map[string][]*Stream // of one call, by call id

	since   time.Time            // calls that ended before are not read; zero: overlap ago
	open    []string             // calls that had not ended at the previous refresh
	watched map[string]sentState // what was sent of the calls in watching
}

// buildQuery returns the query of the next refresh.
func (s *source) buildQuery() query {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := query{test: s.test, lists: slices.Collect(maps.Keys(s.lists)), watching: map[string][]*Stream{}, watched: map[string]sentState{}}
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
	maps.DeleteFunc(s.watched, func(id string, _ *sentState) bool { return s.calls[id] == nil })
	return q
}

// failNew ends the new streams with an error message; the others continue when the
// database can be read again.
func (q query) failNew() {
	for _, streams := range append(slices.Collect(maps.Values(q.watching)), q.lists) {
		for _, st := range streams {
			if st.fresh {
				st.push(Frame{Text: st.Problem(FirstID, "the calls cannot be read at the moment"), ID: FirstID})
				st.end()
			}
		}
	}
}

// result holds the rows of one read, from a single snapshot of the database.
type result struct {
	at        time.Time
	since     time.Time // calls that ended before are for resumed streams only
	calls     map[string]*call.LiveCall
	listed    []*call.LiveCall // open calls, then ended ones, newest first
	entries   map[string][]call.TranscriptEntry
	handoffs  map[string][]call.AgentChange
	transfers map[string][]call.TransferChange
	links     map[string]string // of persons' pages that can still be opened, by page
}

// calls returns the read model of the viewer's calls.
func (q query) calls() call.LiveCalls { return call.LiveCalls{TestOnly: q.test} }

func (q query) read(ctx context.Context, tx database.Tx) (result, error) {
	a := result{at: tx.Now(), calls: map[string]*call.LiveCall{}, entries: map[string][]call.TranscriptEntry{}, handoffs: map[string][]call.AgentChange{}, transfers: map[string][]call.TransferChange{}, links: map[string]string{}}
	if len(q.lists) > 0 {
		if err := a.readLists(ctx, tx, q); err != nil {
			return a, err
		}
	}
	missing := map[string]bool{} // call id → also needed by lists
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

// readLists reads the calls that have not ended, and those that ended since the
// previous refresh or the time a stream resumes from.
func (a *result) readLists(ctx context.Context, tx database.Tx, q query) error {
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

// readLinks reads the links of persons' pages that may still be opened. One that opens nothing any more, or cannot be decrypted, is left out.
func (a *result) readLinks(ctx context.Context, tenantID string, pageURL PageURL) error {
	read := map[string]bool{}
	for _, transfers := range a.transfers {
		for _, x := range transfers {
			if x.PageID == "" || read[x.PageID] || !a.at.Before(x.PageExpiresAt) {
				continue
			}
			read[x.PageID] = true
			link, err := pageURL(ctx, tenantID, x.PageID)
			switch {
			case err == nil:
				a.links[x.PageID] = link
			case !fault.Is(err, fault.NotFound) && !errors.Is(err, seal.ErrOpen):
				return err
			}
		}
	}
	return nil
}

// readConversations reads the transcript entries, handoffs and steps of transfers of the watched
// calls that have more of them than was sent.
func (a *result) readConversations(ctx context.Context, tx database.Tx, q query) error {
	var withEntries, withHandoffs, withTransfers []string
	from := int64(math.MaxInt64)
	for id, streams := range q.watching {
		r, known := a.calls[id], q.watched[id]
		if r == nil {
			continue
		}
		fresh := slices.ContainsFunc(streams, func(st *Stream) bool { return st.fresh })
		if fresh || r.Messages != known.messages {
			withEntries = append(withEntries, id)
			for _, st := range streams {
				from = min(from, st.sent.entry)
			}
		}
		if fresh || r.Handoffs != known.handoffs {
			withHandoffs = append(withHandoffs, id)
		}
		if fresh || r.Transfers != known.transfers {
			withTransfers = append(withTransfers, id)
		}
	}
	if len(withEntries) > 0 {
		entries, err := call.SpokenEntries(ctx, tx, withEntries, from)
		if err != nil {
			return err
		}
		for _, e := range entries {
			a.entries[e.CallID] = append(a.entries[e.CallID], e)
		}
	}
	if len(withHandoffs) > 0 {
		handoffs, err := call.AgentChanges(ctx, tx, withHandoffs)
		if err != nil {
			return err
		}
		for _, h := range handoffs {
			a.handoffs[h.CallID] = append(a.handoffs[h.CallID], h)
		}
	}
	if len(withTransfers) > 0 {
		transfers, err := call.TransferChanges(ctx, tx, withTransfers)
		if err != nil {
			return err
		}
		for _, x := range transfers {
			a.transfers[x.CallID] = append(a.transfers[x.CallID], x)
		}
	}
	return nil
}
