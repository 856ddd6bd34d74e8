package live

import (
	"slices"
	"time"

	"parley/internal/call"
	"parley/internal/event"
)

// publishLists sends changes to the streams of all calls, and a snapshot to those
// that are new.
func (s *source) publishLists(q query, a result) {
	if len(q.lists) == 0 {
		return
	}
	shown := map[string]listState{}
	var changed []CallState
	open := 0
	for _, r := range a.listed {
		f := listStateOf(r)
		sent, known := s.known[r.ID]
		if f.ended && !known && r.EndedAt.Before(a.since) {
			continue // only for streams that resume
		}
		shown[r.ID] = f
		if !known || f != sent {
			changed = append(changed, stateOf(r))
		}
		if !f.ended {
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
	s.known, s.open, s.readAt = shown, open, a.at
}

// snapshot returns the first update of a stream: the calls that have not ended
// and, for a stream that resumes, those that ended since.
func (a *result) snapshot(since time.Time, open int) text {
	before, calls := FirstID, []CallState{}
	if !since.IsZero() {
		before = sinceID(since)
	}
	for _, r := range a.listed {
		if !r.Ended() || !since.IsZero() && !r.EndedAt.Before(since.Add(-overlap)) {
			calls = append(calls, stateOf(r))
		}
	}
	var t text
	t.add(before, ActiveCount{open, event.Stamp(a.at)})
	t.add(sinceID(a.at), CallsUpdate{calls, event.Stamp(a.at)})
	return t
}

func stateOf(r *call.LiveCall) CallState {
	return CallState{
		ID: r.ID, WorkflowSlug: r.WorkflowSlug, UserID: r.UserID, Status: r.Status, StatusReason: r.StatusReason, CallType: r.CallType, Held: r.Held,
		CurrentAgent: r.CurrentAgent, StartedAt: event.StampOrNull(r.StartedAt), EndedAt: event.StampOrNull(r.EndedAt),
	}
}

// publishCall sends changes to the streams of one call, and the status and
// conversation so far to those that are new.
func (s *source) publishCall(id string, streams []*Stream, a result) {
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
		w = new(sentState)
		s.watched[id] = w
	}
	changed := r.Status != w.status || value(r.StatusReason) != w.reason || r.Held != w.held
	rows := conversationRows{a.entries[id], a.handoffs[id], a.transfers[id], a.links}
	type start struct {
		fresh bool
		sent  position
	}
	type update struct {
		text text
		sent position
	}
	updates := map[start]update{} // encoded once for all streams at one position
	for _, st := range streams {
		if st.fresh && !st.sent.existsIn(rows) {
			st.sent = position{} // of another call, or of entries deleted since
			s.requestRefresh()
			continue
		}
		at := start{st.fresh, st.sent}
		next, encoded := updates[at]
		if !encoded {
			next.text, next.sent = conversation(r, at.sent, at.fresh, changed, rows, a.at)
			updates[at] = next
		}
		if len(next.text) > 0 {
			st.push(Frame{next.text, next.sent.id()})
		}
		st.fresh, st.sent = false, next.sent
		if r.Ended() {
			st.end()
		}
	}
	*w = sentState{r.Status, value(r.StatusReason), r.Held, r.Messages, r.Handoffs, r.Transfers}
}

// conversationRows is what was read of a call's conversation.
type conversationRows struct {
	entries   []call.TranscriptEntry
	handoffs  []call.AgentChange
	transfers []call.TransferChange
	links     map[string]string // of persons' pages, by page
}

// existsIn reports whether the conversation that was read contains the position.
func (m position) existsIn(s conversationRows) bool {
	return m.handoffs <= len(s.handoffs) && m.transfers <= len(s.transfers) &&
		(m.entry == 0 || slices.ContainsFunc(s.entries, func(e call.TranscriptEntry) bool { return e.ID == m.entry }))
}

// conversation encodes what follows a position in a call's conversation, and
// returns the position after it.
func conversation(c *call.LiveCall, sent position, fresh, changed bool, rows conversationRows, now time.Time) (t text, _ position) {
	status := CallStatus{c.ID, c.Status, c.StatusReason, c.Held, c.ActiveSeconds(now), event.Stamp(c.ChangedAt())}
	if fresh {
		t.add(sent.id(), CallConnected{"connected", c.ID})
		t.add(sent.id(), status)
	}
	handoffs := rows.handoffs[min(sent.handoffs, len(rows.handoffs)):]
	transfers := rows.transfers[min(sent.transfers, len(rows.transfers)):]
	// addUntil adds the handoffs and transfers before a time, in order; all that are left before the zero time.
	addUntil := func(until time.Time) {
		due := func(at time.Time) bool { return until.IsZero() || at.Before(until) }
		for {
			switch {
			case len(handoffs) > 0 && due(handoffs[0].At) && (len(transfers) == 0 || !transfers[0].At.Before(handoffs[0].At)):
				sent.handoffs++
				t.add(sent.id(), agentChanged(handoffs[0]))
				handoffs = handoffs[1:]
			case len(transfers) > 0 && due(transfers[0].At):
				sent.transfers++
				t.add(sent.id(), transferStep(transfers[0], rows.links))
				transfers = transfers[1:]
			default:
				return
			}
		}
	}
	for _, e := range rows.entries {
		if e.ID <= sent.entry {
			continue
		}
		addUntil(e.CreatedAt)
		sent.entry = e.ID
		t.add(sent.id(), Transcript{c.ID, e.Role, e.Content, e.DTMF, e.AgentName, event.Stamp(e.CreatedAt)})
	}
	addUntil(time.Time{})
	if changed && !fresh {
		t.add(sent.id(), status)
	}
	if c.Ended() {
		t.add(sent.id(), Ended{c.ID, c.Status})
	}
	return t, sent
}

func transferStep(x call.TransferChange, links map[string]string) TransferStep {
	step := TransferStep{CallID: x.CallID, Phase: string(x.Phase), Mode: string(x.Mode), To: x.To, Attempt: x.Attempt, Attempts: x.Attempts, Reason: string(x.Reason), SIPStatus: x.SIPStatus, Summary: x.Summary,
		Timestamp: event.Stamp(x.At)}
	if x.PageID != "" {
		step.PageExpiresAt = new(event.Stamp(x.PageExpiresAt))
		if link := links[x.PageID]; link != "" {
			step.PageURL = &link
		}
	}
	return step
}

func agentChanged(h call.AgentChange) AgentChanged {
	return AgentChanged{CallID: h.CallID, Agent: h.Agent, PreviousAgent: h.Previous, Timestamp: event.Stamp(h.At)}
}
