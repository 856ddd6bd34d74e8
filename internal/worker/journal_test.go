package worker

import (
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/dialogue"
	"parley/internal/voice"
)

func TestJournalKeepsTurns(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		j := newJournal(newSession(&Worker{o: Options{Calls: calls, Log: slog.New(slog.DiscardHandler)}}, claimed))
		j.TurnTaken(voice.Turn{Agent: "desk", Endpointing: 300 * time.Millisecond, STT: 120 * time.Millisecond, LLM: 80 * time.Millisecond,
			VoiceToVoice: 900 * time.Millisecond, Interrupted: true, Usage: dialogue.Usage{InputTokens: 30},
			Providers: voice.Played{STT: "ear", LLM: "brain", TTS: "mouth"}})
		j.TurnTaken(voice.Turn{Agent: "stranger"})
		j.close()

		moments, err := calls.Timeline(t.Context(), acme, claimed.ID)
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
		got, err := calls.Get(t.Context(), acme, claimed.ID)
		if err != nil || got.Metrics.STT.Mean() != 120 || got.Metrics.TTS.Count != 0 || got.Metrics.TotalTokens != 30 {
			t.Errorf("metrics %+v, %v", got.Metrics, err)
		}
	})
}
