package postcall_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"slices"
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

const acme = "0193a6f0-0000-7000-8000-000000000001"

var errAway = errors.New("the provider is away")

// model answers with the next of its answers, the last one again and again; "" is an error. Asked are the prompts.
type model struct {
	answers []string
	asked   []dialogue.Prompt
}

func (m *model) Generate(_ context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		p.Messages = slices.Clone(p.Messages)
		m.asked = append(m.asked, p)
		answer := m.answers[0]
		if len(m.answers) > 1 {
			m.answers = m.answers[1:]
		}
		if answer == "" {
			yield(dialogue.Delta{}, errAway)
			return
		}
		yield(dialogue.Delta{Text: answer, Usage: &dialogue.Usage{InputTokens: 1000, OutputTokens: 100}}, nil)
	}
}

func (m *model) LanguageModel(string) (dialogue.LanguageModel, error) { return m, nil }

// fixture has the agent desk, whose calls have the analyses outcome and, with conditions, second.
type fixture struct {
	t     *testing.T
	db    *database.DB
	calls *call.Service
	model *model
}

func each(t *testing.T, second analysis.Conditions, f func(t *testing.T, h *fixture)) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		sealer, err := seal.New(make([]byte, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		prices, err := cost.Load("")
		if err != nil {
			t.Fatal(err)
		}
		bus := event.NewBus()
		h := &fixture{t: t, db: db, model: &model{}}
		h.calls = call.NewService(db, event.NewLog(bus), bus, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour, Prices: prices})
		analyses := analysis.Registry{Providers: catalogtest.Any{}}.In(db.Tenant(acme))
		booked := []analysis.Criterion{{Name: "booked", Question: "Was an appointment made?"}}
		schema := json.RawMessage(`{"type":"object","properties":{"service":{"type":"string"}},"additionalProperties":false}`)
		for _, d := range []analysis.Draft{
			{Name: "outcome", Config: analysis.Config{Schema: schema, Criteria: booked}},
			{Name: "second", Config: analysis.Config{Criteria: booked, Conditions: second, LLM: &analysis.LLM{Provider: "openai", Model: "gpt-4.1"}}},
		} {
			if _, _, err := analyses.Create(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err = agent.Registry{Providers: catalogtest.Any{}, Analyses: analysis.Directory{}, Usage: workflow.Usage{}}.In(db.Tenant(acme)).Create(t.Context(), agent.Draft{Name: "desk", Config: agent.Config{
			Prompt: agent.Prompt{System: "You are desk."}, STT: agent.STT{Provider: "offline", Model: "pocketsphinx"},
			TTS: agent.TTS{Provider: "offline", VoiceID: "rms"}, LLM: agent.LLM{Provider: "offline", Model: "scripted"}, Analyses: []string{"outcome", "second"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		f(t, h)
	})
}

// runner returns a runner, as of another process each time.
func (h *fixture) runner(name string) *postcall.Runner {
	return postcall.New(h.db, event.NewBus(), postcall.Options{Name: name, Calls: h.calls, Log: slog.New(slog.DiscardHandler),
		Models: func(context.Context, string) postcall.Models { return h.model }})
}

// held holds a call in which these entries are said, and ends it.
func (h *fixture) held(entries ...call.TranscriptEntry) (id string) {
	h.t.Helper()
	if _, _, err := h.calls.Dispatch(h.t.Context(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP, Livemode: true}); err != nil {
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
	time.Sleep(20 * time.Second)
	if _, err := h.calls.Finish(h.t.Context(), lease, call.CallerHangup); err != nil {
		h.t.Fatal(err)
	}
	return lease.CallID
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
	found, err := h.calls.Analyses(h.t.Context(), acme, id)
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
	if err := h.db.Tenant(acme).Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT CAST(data AS text) FROM events WHERE call_id = ? AND type = ? ORDER BY id", id, event.CallAnalyzed).Scan(ctx, &data)
	}); err != nil && !database.NoRows(err) {
		h.t.Fatal(err)
	}
	return data
}

// ids returns the ids of a call's entries.
func (h *fixture) ids(id string) (ids []int64) {
	h.t.Helper()
	entries, err := h.calls.Transcript(h.t.Context(), acme, id)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range entries {
		ids = append(ids, e.ID)
	}
	return ids
}
