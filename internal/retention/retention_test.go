package retention_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/audit"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/provider/catalogtest"
	"parley/internal/recording"
	"parley/internal/retention"
	"parley/internal/seal"
	"parley/internal/tenant"
	"parley/internal/transfer"
	"parley/internal/workflow"
)

const (
	acme  = "00000000-0000-7000-8000-00000000000a"
	other = "00000000-0000-7000-8000-00000000000b"
	day   = 24 * time.Hour
)

// providers knows all.

// shelf is a bucket that may be unavailable.
type shelf struct {
	*recording.Store
	away    bool
	deleted []string
}

func (s *shelf) Delete(ctx context.Context, name string) error {
	if s.away {
		return errors.New("the bucket is unavailable")
	}
	s.deleted = append(s.deleted, name)
	return s.Store.Delete(ctx, name)
}

type fixture struct {
	*testing.T
	db    *database.DB
	calls *call.Service
	shelf *shelf
	dir   string // of recordings
}

func newFixture(t *testing.T, db *database.DB) *fixture {
	databasetest.Tenant(t, db, acme, "acme")
	databasetest.Tenant(t, db, other, "other")
	sealer, err := seal.New(make([]byte, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	bus := event.NewBus()
	h := &fixture{T: t, db: db, calls: call.NewService(db, event.NewLog(bus), bus, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour}), dir: t.TempDir()}
	h.shelf = &shelf{Store: recording.NewStore(h.dir, nil, slog.New(slog.DiscardHandler))}
	for _, id := range []string{acme, other} {
		_, _, err := agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}.In(db.Tenant(id)).Create(t.Context(), agent.Draft{Name: "desk", Config: agent.Config{
			Prompt: agent.Prompt{System: "You are the desk."}, STT: agent.STT{Provider: "offline", Model: "pocketsphinx"},
			TTS: agent.TTS{Provider: "offline", VoiceID: "rms"}, LLM: agent.LLM{Provider: "offline", Model: "scripted"}}})
		h.must(err)
	}
	return h
}

func (h *fixture) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func (h *fixture) exec(query string, args ...any) {
	h.Helper()
	h.must(h.db.System().Write(h.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	}))
}

// ended holds a call that was over so long ago, in which secret was said.
func (h *fixture) ended(tenantID, secret string, ago time.Duration) *call.Call {
	h.Helper()
	ctx := h.Context()
	c, _, err := h.calls.Dispatch(ctx, call.Request{TenantID: tenantID, AgentName: "desk", CallType: call.SIP, PhoneNumber: new("+1555" + secret), UserID: new("u1"),
		UserContext: json.RawMessage(`{"name":"` + secret + `"}`), Metadata: json.RawMessage(`{"note":"` + secret + `"}`)})
	h.must(err)
	claimed, err := h.calls.Claim(ctx, "w1", 1)
	if err != nil || len(claimed) != 1 {
		h.Fatalf("claimed %d calls, %v", len(claimed), err)
	}
	lease := claimed[0].Lease()
	part, err := h.calls.StartRecording(ctx, lease)
	h.must(err)
	file, err := h.shelf.Create(recording.Name(tenantID, c.ID, part))
	h.must(err)
	h.must(file.Close())
	h.must(h.calls.Record(ctx, lease, call.Records{
		Entries: []call.TranscriptEntry{
			{Role: "user", Content: "I am " + secret, CreatedAt: time.Now().UTC()},
			{Role: "assistant", ToolCall: json.RawMessage(`{"name":"book","arguments":{"name":"` + secret + `"}}`), CreatedAt: time.Now().UTC()},
		},
		Handoffs: []call.Handoff{{Agent: "desk"}},
		Turns:    []call.Turn{{AgentName: "desk", LLMMS: new(120.0), CreatedAt: time.Now().UTC()}},
		Transfers: []call.TransferStep{
			{Phase: call.TransferStarted, Mode: transfer.Announce, To: "sip:" + secret + "@pbx.example", Attempt: 1, Attempts: 1, Page: true, Summary: secret + " wants a refund."},
			{Phase: call.TransferConnected, Mode: transfer.Announce, To: "sip:" + secret + "@pbx.example", Attempt: 1, Attempts: 1, Page: true, Summary: secret + " wants a refund."},
		},
	}))
	_, err = h.calls.Finish(ctx, lease, call.NoTrunk)
	h.must(err)
	h.exec("UPDATE calls SET ended_at = ? WHERE id = ?", time.Now().UTC().Add(-ago), c.ID)
	var eventID string
	h.must(h.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT id FROM events WHERE call_id = ? ORDER BY id LIMIT 1", c.ID).Scan(ctx, &eventID)
	}))
	h.exec(`INSERT INTO webhook_deliveries (id, tenant_id, event_id, event_type, call_id, status, attempts, max_attempts, created_at) VALUES (?, ?, ?, 'call.started', ?, 'delivered', 1, 1, ?)`,
		"dlv_"+c.ID, tenantID, eventID, c.ID, time.Now().UTC())
	h.exec(`INSERT INTO webhook_attempts (delivery_id, number, tenant_id, started_at, duration_ms, response_status, response_body, error) VALUES (?, 1, ?, ?, 5, 200, ?, '')`,
		"dlv_"+c.ID, tenantID, time.Now().UTC(), "thanks for "+secret)
	said := `{"name":"` + secret + `"}`
	for name, status := range map[string]string{"outcome": "done", "again": "pending"} {
		h.exec(`INSERT INTO call_analyses (tenant_id, id, call_id, name, version, status, data, previous, livemode, attempts, due_at, created_at) VALUES (?, ?, ?, ?, 1, ?, ?, ?, TRUE, 1, ?, ?)`,
			tenantID, "can_"+name+c.ID, c.ID, name, status, said, said, time.Now().UTC().Add(day), time.Now().UTC())
	}
	h.exec(`INSERT INTO analysis_values (tenant_id, call_id, analysis, name, value, agent, workflow, livemode, at) VALUES (?, ?, 'outcome', 'data.name', ?, 'desk', '', TRUE, ?)`,
		tenantID, c.ID, secret, time.Now().UTC())
	return c
}

func (h *fixture) keep(name string, days int) {
	h.Helper()
	_, err := tenant.Set(h.Context(), h.db, name, tenant.Change{RetentionDays: &days})
	h.must(err)
}

func (h *fixture) purge() error {
	return retention.New(h.db, h.shelf, slog.New(slog.DiscardHandler)).Purge(h.Context())
}

// rest is what of a call holds its secret.
func (h *fixture) rest(c *call.Call, secret string) (rest []string) {
	h.Helper()
	var rows []string
	h.must(h.db.System().Read(h.Context(), func(ctx context.Context, tx database.Tx) error {
		for name, query := range map[string]string{
			"transcript": "SELECT content || COALESCE(CAST(tool_call AS text), '') FROM transcript_entries WHERE call_id = ?",
			"call":       "SELECT COALESCE(phone_number, '') || COALESCE(CAST(metadata AS text), '') FROM calls WHERE id = ?",
			"context":    "SELECT '" + secret + "' FROM calls WHERE id = ? AND user_context IS NOT NULL",
			"analyses":   "SELECT CAST(data AS text) || CAST(previous AS text) FROM call_analyses WHERE call_id = ?",
			"answers":    "SELECT value FROM analysis_values WHERE call_id = ?",
			"events":     "SELECT CAST(data AS text) FROM events WHERE call_id = ?",
			"page":       "SELECT summary FROM transfer_pages WHERE call_id = ?",
			"webhook":    "SELECT response_body FROM webhook_attempts a JOIN webhook_deliveries d ON d.id = a.delivery_id WHERE d.call_id = ?",
		} {
			if err := tx.NewRaw(query, c.ID).Scan(ctx, &rows); err != nil && !database.NoRows(err) {
				return err
			}
			if strings.Contains(strings.Join(rows, ""), secret) {
				rest = append(rest, name)
			}
			rows = nil
		}
		return nil
	}))
	if _, err := h.shelf.Open(h.Context(), recording.Name(c.TenantID, c.ID, 1)); err == nil {
		rest = append(rest, "recording")
	} else if !fault.Is(err, fault.NotFound) {
		h.Fatal(err)
	}
	slices.Sort(rest)
	return rest
}

var all = []string{"analyses", "answers", "call", "context", "events", "page", "recording", "transcript", "webhook"}

func (h *fixture) has(c *call.Call, secret string, want []string) {
	h.Helper()
	if diff := cmp.Diff(want, h.rest(c, secret)); diff != "" {
		h.Errorf("of %s is left (-want +got):\n%s", secret, diff)
	}
}

func TestPurge(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		ctx := t.Context()
		old, edge, young := h.ended(acme, "Ada", 31*day), h.ended(acme, "Bea", 30*day+time.Minute), h.ended(acme, "Cleo", 30*day-time.Hour)
		others := h.ended(other, "Dora", 400*day)
		running, _, err := h.calls.Dispatch(ctx, call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP, UserContext: json.RawMessage(`{"name":"Eve"}`)})
		h.must(err)
		h.exec("UPDATE calls SET created_at = ?, claimed_by = 'w0', lease_until = ? WHERE id = ?", time.Now().UTC().Add(-100*day), time.Now().UTC().Add(day), running.ID)

		h.must(h.purge())
		h.has(old, "Ada", all) // nobody wants it deleted

		before, err := h.calls.Get(ctx, acme, old.ID)
		h.must(err)
		h.keep("acme", 30)
		h.must(h.purge())
		h.has(old, "Ada", nil)
		h.has(edge, "Bea", nil)
		h.has(young, "Cleo", all)
		h.has(others, "Dora", all)
		if user, err := h.calls.UserContext(running); err != nil || user["name"] != "Eve" {
			t.Errorf("the call that is not over has %v, %v", user, err)
		}

		after, err := h.calls.Get(ctx, acme, old.ID)
		h.must(err)
		if after.PurgedAt.IsZero() {
			t.Error("the call does not show that it was purged")
		}
		want := *before
		want.PhoneNumber, want.Metadata, want.UserContext, want.Plan, want.PlanHash, want.StoredBytes = nil, nil, nil, nil, nil, 0
		want.Recordings, want.PurgedAt, want.ReadAt = 0, after.PurgedAt, after.ReadAt
		if diff := cmp.Diff(&want, after); diff != "" {
			t.Errorf("the call (-want +got):\n%s", diff)
		}
		if entries, err := h.calls.Transcript(ctx, acme, old.ID); err != nil || len(entries) != 0 {
			t.Errorf("its transcript: %+v, %v", entries, err)
		}
		moments, err := h.calls.Timeline(ctx, acme, old.ID)
		var kinds []string
		for _, m := range moments {
			switch {
			case m.Status != nil:
				kinds = append(kinds, string(m.Status.Status))
			case m.Turn != nil:
				kinds = append(kinds, "turn")
			case m.ToolCall != nil:
				kinds = append(kinds, "tool")
			}
		}
		if diff := cmp.Diff([]string{"pending", "turn", "failed"}, kinds); diff != "" || err != nil {
			t.Errorf("its timeline (-want +got), %v:\n%s", err, diff)
		}
		extras := call.EventExtras{Calls: h.calls}
		if lines, err := extras.Transcript(ctx, acme, old.ID); err != nil || string(lines) != "[]" {
			t.Errorf("a webhook receives %s, %v", lines, err)
		}
		if _, err := extras.Context(ctx, acme, old.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("a webhook receives the context: %v", err)
		}

		// One that comes to light later, as from a backup, is older than what was purged.
		restored := h.ended(acme, "Gil", 90*day)
		h.must(h.purge())
		h.has(restored, "Gil", nil)

		// A shorter retention deletes immediately; a longer one restores nothing.
		h.keep("acme", 365)
		h.must(h.purge())
		h.has(young, "Cleo", all)
		h.keep("acme", 7)
		h.must(h.purge())
		h.has(young, "Cleo", nil)
		h.keep("acme", 0)
		late := h.ended(acme, "Fay", 20*day)
		h.must(h.purge())
		h.has(late, "Fay", all)
	})
}

// More calls than one batch, with several concurrent purgers, and with recordings that cannot be deleted for now.
func TestPurgeOfMany(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		var calls []*call.Call
		for i := range 45 {
			calls = append(calls, h.ended(acme, fmt.Sprintf("Ada%d", i), 10*day+time.Duration(i%3)*time.Hour)) // some at the same time, nearly
		}
		h.exec("UPDATE calls SET ended_at = ? WHERE ended_at < ?", time.Now().UTC().Add(-12*day), time.Now().UTC().Add(-10*day-90*time.Minute))
		h.keep("acme", 5)
		h.shelf.away = true
		if err := h.purge(); err == nil || !strings.Contains(err.Error(), "the bucket is unavailable") {
			t.Errorf("with the bucket away: %v", err)
		}
		for i, c := range calls {
			h.has(c, fmt.Sprintf("Ada%d", i), []string{"recording"})
		}
		h.shelf.away = false
		h.must(h.purge())
		for i, c := range calls {
			h.has(c, fmt.Sprintf("Ada%d", i), nil)
		}
		deleted := len(h.shelf.deleted)
		h.must(h.purge())
		if again := len(h.shelf.deleted) - deleted; again != 0 || deleted != len(calls) {
			t.Errorf("%d recordings deleted, then %d once more", deleted, again)
		}

		calls = nil
		for i := range 45 {
			calls = append(calls, h.ended(acme, fmt.Sprintf("Bea%d", i), 4*day))
		}
		h.keep("acme", 3)
		done := make(chan error)
		for range 3 {
			go func() {
				done <- retention.New(db, recording.NewStore(h.dir, nil, slog.New(slog.DiscardHandler)), slog.New(slog.DiscardHandler)).Purge(t.Context())
			}()
		}
		for range 3 {
			h.must(<-done)
		}
		for i, c := range calls {
			h.has(c, fmt.Sprintf("Bea%d", i), nil)
		}
	})
}

// A recording that lies on another machine than the one that purged its call is deleted there.
func TestSweep(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		old, young := h.ended(acme, "Ada", 10*day), h.ended(acme, "Bea", day)
		unknown := recording.Name(acme, "00000000-0000-7000-8000-0000000000ff", 1)
		file, err := h.shelf.Create(unknown)
		h.must(err)
		h.must(file.Close())
		h.must(os.WriteFile(filepath.Join(h.dir, acme, "notes.ogg"), nil, 0o600))
		h.keep("acme", 5)
		elsewhere := recording.NewStore(t.TempDir(), nil, slog.New(slog.DiscardHandler))
		h.must(retention.New(db, elsewhere, slog.New(slog.DiscardHandler)).Purge(t.Context()))
		h.has(old, "Ada", []string{"recording"})
		h.must(h.purge())
		h.has(old, "Ada", nil)
		h.has(young, "Bea", all)
		for _, name := range []string{unknown, acme + "/notes.ogg"} {
			if _, err := os.Stat(filepath.Join(h.dir, name)); err != nil {
				t.Errorf("what is of no purged call: %v", err)
			}
		}
	})
}

// Nothing of what was purged can be read from SQLite's files, however rows grew and moved before.
func TestNothingIsLeftInTheFile(t *testing.T) {
	path := databasetest.SQLiteFile(t)
	db, err := database.Open(t.Context(), "", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	h := newFixture(t, db)
	const secret, kept = "TopSecretWord", "OrdinaryWord"
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 150 {
		word, ago := secret, 10*day
		if i%3 == 0 {
			word, ago = kept, day
		}
		c := h.ended(acme, word, ago)
		// Long and short entries, rows that grow in the middle of the table, pages that overflow.
		for range random.IntN(20) {
			h.exec("INSERT INTO transcript_entries (tenant_id, call_id, role, content, created_at) VALUES (?, ?, 'user', ?, ?)",
				acme, c.ID, strings.Repeat(word+" ", 1+random.IntN(20)*random.IntN(30)), time.Now().UTC())
		}
	}
	held := func(word string) (places []string) {
		t.Helper()
		for _, suffix := range []string{"", "-wal"} {
			content, err := os.ReadFile(path + suffix)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(content, []byte(word)); n > 0 {
				i := bytes.Index(content, []byte(word))
				places = append(places, fmt.Sprintf("%s: %d times, as in %q", filepath.Base(path+suffix), n, content[max(0, i-200):min(len(content), i+100)]))
			}
		}
		return places
	}
	if len(held(secret)) == 0 {
		t.Fatal("the secret is not in the files before")
	}
	h.keep("acme", 5)
	h.must(h.purge())
	if places := held(secret); len(places) > 0 {
		t.Errorf("the files still hold it: %v", places)
	}
	if len(held(kept)) == 0 {
		t.Error("what is kept is gone, too")
	}
}

// Nothing is purged once the process ends.
func TestEndedContext(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		old := h.ended(acme, "Ada", 10*day)
		h.keep("acme", 5)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		purger := retention.New(db, h.shelf, slog.New(slog.DiscardHandler))
		purger.Look(ctx) // too late
		purger.Run(ctx)
		h.has(old, "Ada", all)
		purger.Look(t.Context())
		h.has(old, "Ada", nil)
	})
}

// The audit log has its own retention; without one it is kept.
func TestAuditLogIsPruned(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		h.must(audit.Write(t.Context(), db, audit.Entry{TenantID: acme, ActorType: audit.Operator, Action: "tenant.create", ResourceType: "tenant"}))
		now := time.Now().Add(10 * day)
		db.SetClock(func() time.Time { return now })
		purger := retention.New(db, h.shelf, slog.New(slog.DiscardHandler))
		for retained, want := range map[time.Duration]int{0: 1, 20 * day: 1} {
			purger.AuditRetention = retained
			h.must(purger.Purge(t.Context()))
			if _, n, err := audit.List(t.Context(), db, acme, audit.Query{Limit: 10}); n != want || err != nil {
				t.Errorf("kept for %v: %d entries %v", retained, n, err)
			}
		}
		purger.AuditRetention = 5 * day
		h.must(purger.Purge(t.Context()))
		if _, n, err := audit.List(t.Context(), db, acme, audit.Query{Limit: 10}); n != 0 || err != nil {
			t.Errorf("%d entries are kept too long, %v", n, err)
		}
	})
}
