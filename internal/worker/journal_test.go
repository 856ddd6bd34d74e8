package worker

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/dialogue"
	"parley/internal/event"
	"parley/internal/seal"
	"parley/internal/voice"
	"parley/internal/workflow"
)

// catalogue is the providers as the rules of agents ask for them.
type catalogue struct{}

func (catalogue) Has(kind, name string) bool               { return true }
func (catalogue) Names(kind string) []string               { return nil }
func (catalogue) KnowsVoice(name, voice string) bool       { return true }
func (catalogue) KnowsModel(kind, name, model string) bool { return true }

func TestJournalKeepsTurns(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		const acme = "0193a6f0-0000-7000-8000-000000000001"
		databasetest.Tenant(t, db, acme, "acme")
		sealer, err := seal.New(make([]byte, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		bus := event.NewBus()
		calls := call.NewService(db, event.NewLog(bus), bus, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour})
		if _, _, err := (agent.Registry{Providers: catalogue{}, Usage: workflow.Usage{}}).In(db.Tenant(acme)).Create(t.Context(), agent.Draft{Name: "desk", Config: agent.Config{
			Prompt: agent.Prompt{System: "You are kind."}, STT: agent.STT{Provider: "ear", Model: "ear-1"},
			TTS: agent.TTS{Provider: "mouth", VoiceID: "v"}, LLM: agent.LLM{Provider: "brain", Model: "brain-1"},
		}}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP}); err != nil {
			t.Fatal(err)
		}
		claimed, err := calls.Claim(t.Context(), "w", 1)
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %d, %v", len(claimed), err)
		}
		j := newJournal(newSession(&Worker{o: Options{Calls: calls, Log: slog.New(slog.DiscardHandler)}}, claimed[0]))
		j.TurnTaken(voice.Turn{Agent: "desk", Endpointing: 300 * time.Millisecond, STT: 120 * time.Millisecond, LLM: 80 * time.Millisecond,
			VoiceToVoice: 900 * time.Millisecond, Interrupted: true, Usage: dialogue.Usage{InputTokens: 30},
			Providers: voice.Played{STT: "ear", LLM: "brain", TTS: "mouth"}})
		j.TurnTaken(voice.Turn{Agent: "stranger"})
		j.close()

		moments, err := calls.Timeline(t.Context(), acme, claimed[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		var turns []call.Turn
		for _, m := range moments {
			if m.Turn != nil {
				turns = append(turns, *m.Turn)
			}
		}
		text := func(s string) *string { return &s }
		ms := func(f float64) *float64 { return &f }
		tokens := int64(30)
		want := []call.Turn{
			{AgentName: "desk", STTProvider: text("ear"), LLMProvider: text("brain"), TTSProvider: text("mouth"),
				EndpointingMS: ms(300), STTMS: ms(120), LLMMS: ms(80), VoiceToVoiceMS: ms(900), Interrupted: true, InputTokens: &tokens},
			{AgentName: "stranger"},
		}
		if diff := cmp.Diff(want, turns, cmpopts.IgnoreFields(call.Turn{}, "BaseModel", "ID", "TenantID", "CallID", "CreatedAt")); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
		got, err := calls.Get(t.Context(), acme, claimed[0].ID)
		if err != nil || got.Metrics.STT.Mean() != 120 || got.Metrics.TTS.Count != 0 || got.Metrics.TotalTokens != 30 {
			t.Errorf("metrics %+v, %v", got.Metrics, err)
		}
	})
}
