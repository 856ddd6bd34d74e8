package worker

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/voice"
)

// Whatever goes wrong in a conversation, of whatever service, is in the error log with what a program can use.
func TestJournalKeepsProblems(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		j := newJournal(newSession(&Worker{options: Options{Calls: calls, Log: slog.New(slog.DiscardHandler)}}, claimed))
		now := time.Now()
		j.Problem(voice.Problem{Service: voice.STT, Provider: "ear", Agent: "desk", Cause: voice.TimedOut, Attempts: 3, Critical: true, Message: "a", At: now})
		j.Problem(voice.Problem{Service: voice.LLM, Provider: "brain", Agent: "desk", Cause: voice.Refused, Attempts: 1, Critical: true, Message: "b", At: now})
		j.Problem(voice.Problem{Service: voice.TTS, Provider: "mouth", Agent: "desk", Cause: voice.Broken, Attempts: 2, Message: "c", At: now})
		j.Problem(voice.Problem{Service: voice.ToolUse, Tool: "book", Agent: "desk", Message: "d", At: now})
		j.Problem(voice.Problem{Service: voice.Workflow, Message: "e", At: now})
		j.close()
		type item struct{ Service, Level, Agent, Provider, Cause, Attempts, Tool string }
		field := func(name string) string { return "COALESCE(details->>'" + name + "', '')" }
		var got []item
		if err := db.Tenant(acme).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT service, level, COALESCE(agent, '') AS agent, "+field("provider")+" AS provider, "+field("cause")+" AS cause, "+
				field("attempts")+" AS attempts, "+field("tool")+" AS tool FROM call_errors WHERE call_id = ? ORDER BY message", claimed.ID).Scan(ctx, &got)
		}); err != nil {
			t.Fatal(err)
		}
		want := []item{
			{"stt", "error", "desk", "ear", "timeout", "3", ""},
			{"llm", "error", "desk", "brain", "refused", "1", ""},
			{"tts", "warning", "desk", "mouth", "failed", "2", ""},
			{"tool", "warning", "desk", "", "", "", "book"},
			{"workflow", "warning", "", "", "", "", ""},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
	})
}
