package live

import (
	"encoding/json"
	"slices"
	"time"

	"parley/internal/event"
)

// tellLists tells the streams of all calls: a fresh one what there is, the
// others what changed.
func (s *source) tellLists(q question, a answer) {
	if len(q.lists) == 0 {
		return
	}
	faces := map[string]face{}
	var changed []CallState
	open := 0
	for _, r := range a.listed {
		f := r.face()
		told, known := s.known[r.ID]
		if f.over && !known && r.EndedAt.Before(a.since) {
			continue // it is there for a stream that resumes
		}
		faces[r.ID] = f
		if !known || f != told {
			changed = append(changed, r.state())
		}
		if !f.over {
			open++
		}
	}
	before, id := sinceID(s.readAt), sinceID(a.at)
	var update text
	if open != s.open {
		update.add(before, ActiveCount{open, event.Stamp(a.at)})
	}
	if len(changed) > 0 {
		update.add(id, CallsUpdate{changed, event.Stamp(a.at)})
	}
	snapshots := map[time.Time]text{}
	for _, st := range q.lists {
		if st.fresh {
			if snapshots[st.since] == nil {
				snapshots[st.since] = a.snapshot(st.since, open)
			}
			st.push(Frame{snapshots[st.since], id})
			st.fresh = false
		} else if len(update) > 0 {
			st.push(Frame{update, id})
		}
	}
	s.known, s.open, s.readAt = faces, open, a.at
}

// snapshot is what a stream is told first: the calls that are not over, and
// those that ended since another stream did, if it resumes that.
func (a *answer) snapshot(since time.Time, open int) text {
	before, calls := FirstID, []CallState{}
	if !since.IsZero() {
		before = sinceID(since)
	}
	for _, r := range a.listed {
		if !r.over() || !since.IsZero() && !r.EndedAt.Before(since.Add(-overlap)) {
			calls = append(calls, r.state())
		}
	}
	var t text
	t.add(before, ActiveCount{open, event.Stamp(a.at)})
	t.add(sinceID(a.at), CallsUpdate{calls, event.Stamp(a.at)})
	return t
}

func (r *row) state() CallState {
	return CallState{
		ID: r.ID, WorkflowSlug: r.WorkflowSlug, UserID: r.UserID, Status: r.Status, StatusReason: r.StatusReason, CallType: r.CallType,
		CurrentAgent: r.CurrentAgent, StartedAt: event.StampOrNull(r.StartedAt), EndedAt: event.StampOrNull(r.EndedAt),
	}
}

// tellCall tells the streams of one call: a fresh one its status and its
// conversation so far, the others what is new.
func (s *source) tellCall(id string, streams []*Stream, a answer) {
	r := a.calls[id]
	if r == nil {
		for _, st := range streams {
			st.push(Frame{st.Problem(FirstID, "call not found"), FirstID})
			st.end()
		}
		return
	}
	w := s.watched[id]
	if w == nil {
		w = new(watch)
		s.watched[id] = w
	}
	changed := r.Status != w.status || value(r.StatusReason) != w.reason
	entries, handoffs := a.entries[id], a.handoffs[id]
	type place struct {
		fresh bool
		told  mark
	}
	type step struct {
		text text
		told mark
	}
	steps := map[place]step{} // streams that were told the same are told the same
	for _, st := range streams {
		if st.fresh && !st.told.within(entries, handoffs) {
			st.told = mark{} // of another call, or of what was deleted since
			s.wake()
			continue
		}
		at := place{st.fresh, st.told}
		next, made := steps[at]
		if !made {
			next.text, next.told = r.tell(at.told, at.fresh, changed, entries, handoffs, a.at)
			steps[at] = next
		}
		if len(next.text) > 0 {
			st.push(Frame{next.text, next.told.id()})
		}
		st.fresh, st.told = false, next.told
		if r.over() {
			st.end()
		}
	}
	*w = watch{r.Status, value(r.StatusReason), r.Messages, r.Handoffs}
}

// within reports whether the conversation read holds what a mark names.
func (m mark) within(entries []entry, handoffs []handoff) bool {
	return m.handoffs <= len(handoffs) && (m.entry == 0 || slices.ContainsFunc(entries, func(e entry) bool { return e.ID == m.entry }))
}

// tell is what a stream is told that knows the conversation up to a mark, and
// the mark that it knows it up to then.
func (r *row) tell(told mark, fresh, changed bool, entries []entry, handoffs []handoff, now time.Time) (t text, _ mark) {
	status := CallStatus{r.ID, r.Status, r.StatusReason, r.duration(now), event.Stamp(r.changedAt())}
	if fresh {
		t.add(told.id(), CallConnected{"connected", r.ID})
		t.add(told.id(), status)
	}
	handoffs = handoffs[min(told.handoffs, len(handoffs)):]
	hand := func() {
		told.handoffs++
		t.add(told.id(), handoffs[0].change())
		handoffs = handoffs[1:]
	}
	for _, e := range entries {
		if e.ID <= told.entry {
			continue
		}
		for len(handoffs) > 0 && handoffs[0].CreatedAt.Before(e.CreatedAt) {
			hand()
		}
		told.entry = e.ID
		t.add(told.id(), Transcript{r.ID, e.Role, e.Content, e.AgentName, event.Stamp(e.CreatedAt)})
	}
	for len(handoffs) > 0 {
		hand()
	}
	if changed && !fresh {
		t.add(told.id(), status)
	}
	if r.over() {
		t.add(told.id(), Ended{r.ID, r.Status})
	}
	return t, told
}

// changedAt is when the call came to its status.
func (r *row) changedAt() time.Time {
	switch {
	case r.over():
		return r.EndedAt
	case !r.StartedAt.IsZero():
		return r.StartedAt
	case r.Status == "connecting" && !r.ArrivedAt.IsZero():
		return r.ArrivedAt
	}
	return r.CreatedAt
}

// duration is how long the call has been active by now, in seconds.
func (r *row) duration(now time.Time) int64 {
	if r.over() || r.StartedAt.IsZero() {
		return r.DurationSeconds
	}
	return max(0, int64(now.Sub(r.StartedAt)/time.Second))
}

func (h handoff) change() AgentChanged {
	c := AgentChanged{CallID: h.CallID, Timestamp: event.Stamp(h.CreatedAt)}
	// An event without the names would still be one.
	_ = json.Unmarshal(h.Data, &c)
	return c
}
