package postcall_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/analysis"
	"parley/internal/call"
	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/dialogue"
	"parley/internal/event"
	"parley/internal/postcall"
	"parley/internal/provider/catalogtest"
	"parley/internal/seal"
	"parley/internal/workflow"
)

const (
	acme   = "0193a6f0-0000-7000-8000-000000000001"
	globex = "0193a6f0-0000-7000-8000-000000000002"
)

var errAway = errors.New("the provider is away")

// model answers with the next of its answers, the last one again and again; "" is an error. Asked are the prompts.
type model struct {
	wait    func(context.Context) // before each answer; nil for none
	mu      sync.Mutex
	answers []string
	asked   []dialogue.Prompt
	running []int // how many answers were under way at the beginning of each
	now     int
}

func (m *model) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		answer := m.begin(p)
		defer m.end()
		if m.wait != nil {
			m.wait(ctx)
		}
		if answer == "" {
			yield(dialogue.Delta{}, errAway)
			return
		}
		yield(dialogue.Delta{Text: answer, Usage: &dialogue.Usage{InputTokens: 1000, OutputTokens: 100}}, nil)
	}
}

func (m *model) begin(p dialogue.Prompt) (answer string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.Messages = slices.Clone(p.Messages)
	m.now++
	m.asked, m.running = append(m.asked, p), append(m.running, m.now)
	answer = m.answers[0]
	if len(m.answers) > 1 {
		m.answers = m.answers[1:]
	}
	return answer
}

func (m *model) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now--
}

// most returns how many answers were under way at the same time.
func (m *model) most() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Max(m.running)
}

func (m *model) LanguageModel(string) (dialogue.LanguageModel, error) { return m, nil }

// fixture is a tenant with the agent desk, whose calls have the analyses outcome and, with conditions, second.
type fixture struct {
	t      *testing.T
	db     *database.DB
	bus    *event.Bus
	calls  *call.Service
	tenant string
	model  *model
	models map[string]postcall.Models // by tenant
	llm    agent.LLM                  // of desk
}

func each(t *testing.T, second analysis.Conditions, f func(t *testing.T, h *fixture)) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		f(t, newFixture(t, db, "", agent.LLM{Provider: "offline", Model: "scripted"}).of(acme, second))
	})
}

// newFixture returns a fixture without a tenant, with the price list of a path.
func newFixture(t *testing.T, db *database.DB, priceList string, llm agent.LLM) *fixture {
	t.Helper()
	sealer, err := seal.New(make([]byte, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	prices, err := cost.Load(priceList)
	if err != nil {
		t.Fatal(err)
	}
	h := &fixture{t: t, db: db, bus: event.NewBus(), models: map[string]postcall.Models{}, llm: llm}
	h.calls = call.NewService(db, event.NewLog(h.bus), h.bus, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour, Prices: prices})
	return h
}

// of returns the fixture of another tenant.
func (h *fixture) of(tenant string, second analysis.Conditions) *fixture {
	h.t.Helper()
	databasetest.Tenant(h.t, h.db, tenant, tenant)
	other := *h
	other.tenant, other.model = tenant, &model{}
	h.models[tenant] = other.model
	analyses := analysis.Registry{Providers: catalogtest.Any{}}.In(h.db.Tenant(tenant))
	booked := []analysis.Criterion{{Name: "booked", Question: "Was an appointment made?"}}
	schema := json.RawMessage(`{"type":"object","properties":{"service":{"type":"string"}},"additionalProperties":false}`)
	for _, d := range []analysis.Draft{
		{Name: "outcome", Config: analysis.Config{Schema: schema, Criteria: booked}},
		{Name: "second", Config: analysis.Config{Criteria: booked, Conditions: second, LLM: &analysis.LLM{Provider: "openai", Model: "gpt-4.1"}}},
	} {
		if _, _, err := analyses.Create(h.t.Context(), d); err != nil {
			h.t.Fatal(err)
		}
	}
	_, _, err := agent.Registry{Providers: catalogtest.Any{}, Analyses: analysis.Directory{}, Usage: workflow.Usage{}}.In(h.db.Tenant(tenant)).Create(h.t.Context(), agent.Draft{Name: "desk", Config: agent.Config{
		Prompt: agent.Prompt{System: "You are desk."}, STT: agent.STT{Provider: "offline", Model: "pocketsphinx"},
		TTS: agent.TTS{Provider: "offline", VoiceID: "rms"}, LLM: h.llm, Analyses: []string{"outcome", "second"},
	}})
	if err != nil {
		h.t.Fatal(err)
	}
	return &other
}

// runner returns a runner, as of another process each time.
func (h *fixture) runner(name string) *postcall.Runner {
	return postcall.New(h.db, h.bus, postcall.Options{Name: name, Calls: h.calls, Log: slog.New(slog.DiscardHandler),
		Models: func(_ context.Context, tenant string) postcall.Models { return h.models[tenant] }})
}

// run runs a runner until stop is called.
func (h *fixture) run() (stop func()) {
	ctx, cancel := context.WithCancel(h.t.Context())
	var running sync.WaitGroup
	running.Go(func() { h.runner(rand.Text()).Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// begin begins a call in which these entries are said.
func (h *fixture) begin(entries ...call.TranscriptEntry) call.Lease {
	h.t.Helper()
	if _, _, err := h.calls.Dispatch(h.t.Context(), call.Request{TenantID: h.tenant, AgentName: "desk", CallType: call.VoIP, Livemode: true}); err != nil {
		h.t.Fatal(err)
	}
	claimed, err := h.calls.Claim(h.t.Context(), "w1", 1)
	if err != nil || len(claimed) != 1 {
		h.t.Fatalf("claimed %d calls, %v", len(claimed), err)
	}
	lease := claimed[0].Lease()
	for _, step := range []func(context.Context, call.Lease) error{h.calls.MarkConnecting, h.calls.MarkActive} {
		if err := step(h.t.Context(), lease); err != nil {
			h.t.Fatal(err)
		}
	}
	if err := h.calls.Record(h.t.Context(), lease, call.Records{Handoffs: []call.Handoff{{Agent: "desk"}}, Entries: entries}); err != nil {
		h.t.Fatal(err)
	}
	return lease
}

// end ends a call and returns its id.
func (h *fixture) end(lease call.Lease) (id string) {
	h.t.Helper()
	if _, err := h.calls.Finish(h.t.Context(), lease, call.CallerHangup); err != nil {
		h.t.Fatal(err)
	}
	return lease.CallID
}

// held holds a call of 20 s in which these entries are said, and ends it.
func (h *fixture) held(entries ...call.TranscriptEntry) (id string) {
	h.t.Helper()
	lease := h.begin(entries...)
	time.Sleep(20 * time.Second)
	return h.end(lease)
}

// multiply gives a call n more pending analyses like outcome.
func (h *fixture) multiply(id string, n int) {
	h.t.Helper()
	const numbers = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?) "
	if err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		newID := "id || n"
		if tx.Postgres() {
			newID = "gen_random_uuid()"
		}
		_, err := tx.ExecContext(ctx, numbers+`INSERT INTO analyses (tenant_id, id, name, config, version, created_at, updated_at)
			SELECT tenant_id, `+newID+`, 'outcome' || n, config, version, created_at, updated_at FROM analyses, numbers WHERE tenant_id = ? AND name = 'outcome'`, n, h.tenant)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, numbers+`INSERT INTO call_analyses (tenant_id, id, call_id, name, version, status, llm, livemode, attempts, due_at, created_at)
			SELECT tenant_id, id || n, call_id, 'outcome' || n, version, status, llm, livemode, attempts, due_at, created_at FROM call_analyses, numbers
			WHERE call_id = ? AND name = 'outcome'`, n, id)
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
}

// waits returns how long the tenant's finished analyses took after the end of their calls, the shortest first.
func (h *fixture) waits() (waits []time.Duration) {
	h.t.Helper()
	var times []struct{ EndedAt, FinishedAt time.Time }
	if err := h.db.Tenant(h.tenant).Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw(`SELECT c.ended_at, r.finished_at FROM call_analyses r JOIN calls c ON c.id = r.call_id
			WHERE r.tenant_id = ? AND r.finished_at IS NOT NULL`, h.tenant).Scan(ctx, &times)
	}); err != nil && !database.NoRows(err) {
		h.t.Fatal(err)
	}
	for _, t := range times {
		waits = append(waits, t.FinishedAt.Sub(t.EndedAt))
	}
	slices.Sort(waits)
	return waits
}

func user(text string) call.TranscriptEntry { return call.TranscriptEntry{Role: "user", Content: text} }
func assistant(text string) call.TranscriptEntry {
	return call.TranscriptEntry{Role: "assistant", Content: text}
}

func used(tool, answer string) call.TranscriptEntry {
	encoded, _ := json.Marshal(map[string]any{"name": tool, "arguments": map[string]any{}, "answer": answer})
	return call.TranscriptEntry{Role: "assistant", ToolCall: encoded}
}

// results returns the analyses of a call by name.
func (h *fixture) results(id string) map[string]analysis.OfCall {
	h.t.Helper()
	found, err := h.calls.Analyses(h.t.Context(), h.tenant, id)
	if err != nil {
		h.t.Fatal(err)
	}
	byName := map[string]analysis.OfCall{}
	for _, r := range found {
		byName[r.Name] = r
	}
	return byName
}

// announced returns the data of the events call.analyzed of a call.
func (h *fixture) announced(id string) (data []string) {
	h.t.Helper()
	if err := h.db.Tenant(h.tenant).Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT CAST(data AS text) FROM events WHERE call_id = ? AND type = ? ORDER BY id", id, event.CallAnalyzed).Scan(ctx, &data)
	}); err != nil && !database.NoRows(err) {
		h.t.Fatal(err)
	}
	return data
}

// ids returns the ids of a call's entries.
func (h *fixture) ids(id string) (ids []int64) {
	h.t.Helper()
	entries, err := h.calls.Transcript(h.t.Context(), h.tenant, id)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}
