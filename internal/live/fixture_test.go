package live_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/leaktest"
	"parley/internal/live"
	"parley/internal/provider/catalogtest"
	"parley/internal/seal"
	"parley/internal/workflow"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

// patience bounds the wait for a condition.
const patience = time.Minute

// fixture is calls over a fresh database with two tenants, both with the agent
// desk, and a hub that receives their changes.
type fixture struct {
	t     *testing.T
	db    *database.DB
	bus   *event.Bus
	calls *call.Service
	hub   *live.Hub
}

// each runs f on both databases, in virtual time, and looks afterwards that
// no goroutine of the hub is left.
func each(t *testing.T, o live.Options, f func(t *testing.T, h *fixture)) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		sealer, err := seal.New(make([]byte, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		bus := event.NewBus()
		h := &fixture{t: t, db: db, bus: bus, hub: live.New(db, bus, o),
			calls: call.NewService(db, event.NewLog(bus), bus, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour})}
		for _, tenant := range []string{acme, other} {
			databasetest.Tenant(t, db, tenant, tenant)
			_, _, err := agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}.In(db.Tenant(tenant)).Create(t.Context(), agent.Draft{Name: "desk", Config: agent.Config{
				Prompt: agent.Prompt{System: "You are the desk."}, STT: agent.STT{Provider: "offline", Model: "pocketsphinx"},
				TTS: agent.TTS{Provider: "offline", VoiceID: "rms"}, LLM: agent.LLM{Provider: "offline", Model: "scripted"},
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		before := goleak.IgnoreCurrent()
		f(t, h)
		h.hub.Wait()
		leaktest.None(t, before, goleak.IgnoreAnyFunction("database/sql.(*DB).connectionOpener"), goleak.IgnoreAnyFunction("github.com/jackc/pgx/v5/pgxpool.(*Pool).backgroundHealthCheck"),
			goleak.IgnoreAnyFunction("github.com/jackc/puddle/v2.(*Pool[...]).initResourceValue.func1"))
	})
}

func (h *fixture) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *fixture) dispatch(tenant string) string {
	h.t.Helper()
	c, _, err := h.calls.Dispatch(h.t.Context(), call.Request{TenantID: tenant, AgentName: "desk", CallType: call.VoIP, Livemode: true})
	h.must(err)
	return c.ID
}

// active makes a call and takes it to active held by a worker.
func (h *fixture) active(tenant string) call.Lease {
	h.t.Helper()
	h.dispatch(tenant)
	claimed, err := h.calls.Claim(h.t.Context(), "w1", 1)
	if err != nil || len(claimed) != 1 {
		h.t.Fatalf("claimed %d calls, %v", len(claimed), err)
	}
	l := claimed[0].Lease()
	h.must(h.calls.MarkConnecting(h.t.Context(), l))
	h.must(h.calls.MarkActive(h.t.Context(), l))
	h.must(h.calls.Record(h.t.Context(), l, call.Records{Handoffs: []call.Handoff{{Agent: "desk"}}}))
	return l
}

func (h *fixture) say(l call.Lease, lines ...string) {
	h.t.Helper()
	time.Sleep(time.Millisecond) // what was written before was so
	notes := call.Records{}
	name := "desk"
	for _, line := range lines {
		notes.Entries = append(notes.Entries, call.TranscriptEntry{Role: "user", Content: line, AgentName: &name, CreatedAt: time.Now().UTC().Truncate(time.Microsecond)})
	}
	h.must(h.calls.Record(h.t.Context(), l, notes))
}

func (h *fixture) hand(l call.Lease, from, to string) {
	h.t.Helper()
	h.must(h.calls.Record(h.t.Context(), l, call.Records{Handoffs: []call.Handoff{{Agent: to, Previous: from}}}))
}

func (h *fixture) transfer(l call.Lease, steps ...call.TransferStep) {
	h.t.Helper()
	h.must(h.calls.Record(h.t.Context(), l, call.Records{Transfers: steps}))
}

func (h *fixture) finish(l call.Lease, reason call.Reason) {
	h.t.Helper()
	_, err := h.calls.Finish(h.t.Context(), l, reason)
	h.must(err)
}

// message is one of a stream's.
type message struct {
	id, event string
	data      map[string]any
}

func (m message) text(field string) string {
	s, _ := m.data[field].(string)
	return s
}

// reader reads a stream message by message.
type reader struct {
	t       *testing.T
	stream  *live.Stream
	waiting []message
	last    string // id
}

func (h *fixture) watchAll(tenant, resume string) *reader {
	h.t.Helper()
	st, err := h.hub.Calls(live.Viewer{TenantID: tenant}, resume)
	h.must(err)
	return &reader{t: h.t, stream: st}
}

func (h *fixture) watch(tenant, id, resume string) *reader {
	h.t.Helper()
	st, err := h.hub.Call(live.Viewer{TenantID: tenant}, id, resume)
	h.must(err)
	return &reader{t: h.t, stream: st}
}

// next returns the next message; more is false when the stream has ended.
func (r *reader) next() (m message, more bool) {
	r.t.Helper()
	if len(r.waiting) == 0 {
		select {
		case f, open := <-r.stream.Frames():
			if !open {
				return message{}, false
			}
			for _, block := range strings.Split(strings.TrimSuffix(string(f.Text), "\n\n"), "\n\n") {
				lines := strings.Split(block, "\n")
				if len(lines) != 3 {
					r.t.Fatalf("message %q", block)
				}
				var m message
				for i, field := range []struct {
					name string
					into *string
				}{{"id: ", &m.id}, {"event: ", &m.event}} {
					value, ok := strings.CutPrefix(lines[i], field.name)
					if !ok {
						r.t.Fatalf("message %q", block)
					}
					*field.into = value
				}
				if err := json.Unmarshal([]byte(strings.TrimPrefix(lines[2], "data: ")), &m.data); err != nil {
					r.t.Fatalf("message %q: %v", block, err)
				}
				r.waiting = append(r.waiting, m)
			}
		case <-time.After(patience):
			r.t.Fatal("no message")
		}
	}
	m, r.waiting = r.waiting[0], r.waiting[1:]
	r.last = m.id
	return m, true
}

// want reads the next message, which is to be of a kind.
func (r *reader) want(event string) message {
	r.t.Helper()
	m, more := r.next()
	if !more || m.event != event {
		r.t.Fatalf("message %+v (more: %v), want %s", m, more, event)
	}
	return m
}

// wantEnd checks that the stream has ended.
func (r *reader) wantEnd() {
	r.t.Helper()
	if m, more := r.next(); more {
		r.t.Fatalf("message %+v after the end", m)
	}
	r.stream.Close()
}

// calls are those of a calls_update, by id.
func (m message) calls() map[string]map[string]any {
	states := map[string]map[string]any{}
	for _, c := range m.data["calls"].([]any) {
		state := c.(map[string]any)
		states[state["id"].(string)] = state
	}
	return states
}

// quietly changes a call without an announcement, as another node would.
func (h *fixture) quietly(f func(calls *call.Service)) {
	elsewhere := event.NewBus()
	sealer, err := seal.New(make([]byte, seal.KeySize))
	h.must(err)
	f(call.NewService(h.db, event.NewLog(elsewhere), elsewhere, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour}))
}

func (h *fixture) exec(query string, args ...any) {
	h.t.Helper()
	h.must(h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	}))
}

// since is a time of a call's row, as messages carry it.
func (h *fixture) since(id, column string) string {
	h.t.Helper()
	var at time.Time
	h.must(h.db.System().Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT "+column+" FROM calls WHERE id = ?", id).Scan(ctx, &at)
	}))
	return event.Stamp(at)
}
