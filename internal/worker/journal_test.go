package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/audio"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/dialogue"
	"parley/internal/voice"
)

func TestJournalKeepsTurns(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		j := newJournal(newSession(&Worker{options: Options{Calls: calls, Log: slog.New(slog.DiscardHandler)}}, claimed))
		j.TurnAnswered(voice.Turn{Agent: "desk", Endpointing: 300 * time.Millisecond, STT: 120 * time.Millisecond, LLM: 80 * time.Millisecond,
			VoiceToVoice: 900 * time.Millisecond, Interrupted: true, Usage: dialogue.Usage{InputTokens: 30},
			Providers: voice.ProviderNames{STT: "ear", LLM: "brain", TTS: "mouth"}})
		j.TurnAnswered(voice.Turn{Agent: "stranger"})
		j.TokensUsed("desk", dialogue.Usage{InputTokens: 10, OutputTokens: 2})
		j.TalkMeasured(dialogue.Talk{Measured: time.Second, Interruptions: 1, LongestWait: time.Second, Waits: 1})
		j.TalkMeasured(dialogue.Talk{Measured: time.Second, FailedTools: 1})
		time.Sleep(time.Second) // they are written
		j.TalkMeasured(dialogue.Talk{Measured: time.Second, LongestWait: 2 * time.Second, Waits: 1, AgentUncounted: true})
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
		if err != nil || got.Metrics.STT.Mean() != 120 || got.Metrics.TTS.Count != 0 || got.Metrics.TotalTokens != 42 {
			t.Errorf("metrics %+v, %v", got.Metrics, err)
		}
		talk := dialogue.Talk{Measured: 3 * time.Second, Interruptions: 1, LongestWait: 2 * time.Second, Waits: 2, FailedTools: 1, AgentUncounted: true}
		if diff := cmp.Diff(&talk, got.Metrics.Talk); diff != "" {
			t.Errorf("talk (-want +got):\n%s", diff)
		}
	})
}

// journalOf is the journal of a call that a worker claimed.
func journalOf(calls *call.Service, claimed *call.Call, log *slog.Logger) *journal {
	return newJournal(newSession(&Worker{options: Options{Calls: calls, Log: log}}, claimed))
}

func said(text string) voice.Entry {
	return voice.Entry{Role: dialogue.RoleAssistant, Text: text, Agent: "desk", At: time.Now()}
}

// texts are what the transcript of a call says.
func texts(t *testing.T, calls *call.Service, id string) (found []string) {
	t.Helper()
	entries, err := calls.Transcript(t.Context(), acme, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		found = append(found, e.Content)
	}
	return found
}

// The timeline has what the agent did while the caller spoke over it.
func TestJournalKeepsOverlaps(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		j := journalOf(calls, claimed, slog.New(slog.DiscardHandler))
		for _, o := range []voice.Overlap{{Outcome: voice.Ignored, Cause: "echo"}, {Outcome: voice.Interrupted, Cause: "word"}, {Outcome: voice.Resumed, Cause: "noise"}} {
			o.At = time.Now()
			j.Overlapped(o)
			time.Sleep(time.Second)
		}
		j.close()

		moments, err := calls.Timeline(t.Context(), acme, claimed.ID)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range moments {
			if m.Incident != nil {
				got = append(got, string(m.Incident.Type)+" "+string(m.Incident.Cause))
				if !m.Incident.OfSpeech() {
					t.Errorf("%s counts as a failure", m.Incident.Type)
				}
			}
		}
		if diff := cmp.Diff([]string{"overlap_ignored echo", "agent_interrupted word", "agent_resumed noise"}, got); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
	})
}

// Keys are marked in the transcript, a hold changes the call, and the quality of the audio is written every 30 s, and the last one at
// the end. None of it is logged.
func TestJournalKeepsThePhone(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		var logged strings.Builder
		j := journalOf(calls, claimed, slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
		j.EntryAdded(voice.Entry{Role: dialogue.RoleUser, Keys: true, Text: "4711", Agent: "desk", At: time.Now()})
		j.HoldChanged(true, time.Now())
		measured := func() int64 {
			t.Helper()
			time.Sleep(time.Second)
			c, err := calls.Get(t.Context(), acme, claimed.ID)
			if err != nil {
				t.Fatal(err)
			}
			if !c.Held {
				t.Error("the call is not held")
			}
			if c.Quality == nil {
				return 0
			}
			return c.Quality.Received.Packets
		}
		var got []int64
		for n := range int64(8) { // 40 s
			j.QualityMeasured(audio.Quality{Received: audio.DirectionQuality{Packets: n + 1}})
			got = append(got, measured())
			time.Sleep(4 * time.Second)
		}
		j.close()
		got = append(got, measured())
		if want := []int64{1, 1, 1, 1, 1, 1, 7, 7, 8}; !slices.Equal(got, want) {
			t.Errorf("written %v, want %v", got, want)
		}
		entries, err := calls.Transcript(t.Context(), acme, claimed.ID)
		if err != nil || len(entries) != 1 || !entries[0].DTMF || entries[0].Content != "4711" {
			t.Errorf("transcript %+v, %v", entries, err)
		}
		if strings.Contains(logged.String(), "4711") {
			t.Errorf("the log has the keys: %s", logged.String())
		}
	})
}

// What models, recognisers and tools give may hold what PostgreSQL does not store, and bun writes no statement of.
func TestJournalKeepsBrokenText(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		j := journalOf(calls, claimed, slog.New(slog.DiscardHandler))
		j.EntryAdded(said("a\x00b"))
		j.EntryAdded(said("caf\xe9 \x1b[31m\x7f"))
		j.EntryAdded(said("one\r\ntwo\rthree\tfour"))
		j.EntryAdded(voice.Entry{Role: dialogue.RoleAssistant, Agent: "desk", At: time.Now(), Tool: &dialogue.ToolCall{Name: "book",
			Arguments: json.RawMessage(`{"nul":"a\u0000b","half":"\ud800","sixth":"\\u0000","\u0000":"it's","bytes":"` + "\xff" + `","n":[1.50,"\u00e9"]}`)},
			Answer: strings.Repeat("a", maxToolAnswer-1) + "é\x00"})
		j.Problem(voice.Problem{Service: voice.ToolUse, Tool: "bo\x00ok", Message: "answered \x00\xff", At: time.Now()})
		j.saveSnapshot(json.RawMessage(`{"flags":{"a":"\u0000"}}`))
		j.close()

		if diff := cmp.Diff([]string{"a\ufffdb", "caf\ufffd \ufffd[31m\x7f", "one\ntwo\nthree\tfour", ""}, texts(t, calls, claimed.ID)); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
		moments, err := calls.Timeline(t.Context(), acme, claimed.ID)
		if err != nil {
			t.Fatal(err)
		}
		var used struct {
			Arguments map[string]any
			Answer    string
		}
		var message string
		var details struct{ Tool string }
		for _, m := range moments {
			if m.ToolCall != nil {
				err = errors.Join(err, json.Unmarshal(m.ToolCall.ToolCall, &used))
			}
			if m.Error != nil {
				message, err = m.Error.Message, errors.Join(err, json.Unmarshal(m.Error.Details, &details))
			}
		}
		want := map[string]any{"nul": "a\ufffdb", "half": "\ufffd", "sixth": `\u0000`, "\ufffd": "it's", "bytes": "\ufffd", "n": []any{1.5, "é"}}
		if diff := cmp.Diff(want, used.Arguments); diff != "" || err != nil {
			t.Errorf("arguments, want (-), got (+):\n%s%v", diff, err)
		}
		if used.Answer != strings.Repeat("a", maxToolAnswer-1)+"…" {
			t.Errorf("the answer ends with %q", used.Answer[max(0, len(used.Answer)-10):])
		}
		if message != "answered \ufffd\ufffd" || details.Tool != "bo\ufffdok" {
			t.Errorf("problem %q of %q", message, details.Tool)
		}
		got, err := calls.Get(t.Context(), acme, claimed.ID)
		if err != nil {
			t.Fatal(err)
		}
		if kept, err := calls.ConversationSnapshot(got); err != nil || string(kept) != `{"flags":{"a":"\u0000"}}` {
			t.Errorf("kept %s, %v", kept, err)
		}
	})
}

// A record that the database rejects is dropped alone, with a log line that does not quote its content.
func TestRejectedRecord(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		var log bytes.Buffer
		j := journalOf(calls, claimed, slog.New(slog.NewTextHandler(&log, nil)))
		refuse := make(chan struct{})
		j.record = func(ctx context.Context, l call.Lease, n call.Records) error {
			<-refuse // until all notes are there
			return calls.Record(ctx, l, n)
		}
		j.EntryAdded(said("one"))
		j.EntryAdded(voice.Entry{Role: dialogue.RoleUser, Text: "my name is Ada", Agent: "no\x00agent", At: time.Now()})
		j.EntryAdded(said("two"))
		j.TurnAnswered(voice.Turn{Agent: "desk"})
		j.TurnAnswered(voice.Turn{Agent: "de\x00sk"})
		j.AgentChanged("desk", "")
		j.saveSnapshot(json.RawMessage(`{}`))
		close(refuse)
		j.EntryAdded(said("three"))
		began := time.Now()
		j.close()
		if took := time.Since(began); took > closeLimit/10 {
			t.Errorf("the journal closed after %v", took)
		}
		if diff := cmp.Diff([]string{"one", "two", "three"}, texts(t, calls, claimed.ID)); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
		got, err := calls.Get(t.Context(), acme, claimed.ID)
		if err != nil || got.Metrics.Messages != 3 || !cmp.Equal(got.AgentHistory, []string{"desk"}) || got.Snapshot == nil {
			t.Errorf("call %+v, %v", got, err)
		}
		agents, err := calls.AgentMetrics(t.Context(), acme, claimed.ID)
		if err != nil || len(agents) != 1 || agents[0].Turns != 1 {
			t.Errorf("turns %+v, %v", agents, err)
		}
		if lost := strings.Count(log.String(), "conversation record rejected by the database"); lost != 2 || !strings.Contains(log.String(), "record=transcript") || strings.Contains(log.String(), "Ada") {
			t.Errorf("%d records lost: %s", lost, log.String())
		}
	})
}

// If the database commits records and fails before it responds, they are stored exactly once.
func TestResponseOfTheDatabaseIsLost(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		converse := func(c *call.Call, words ...string) {
			j := journalOf(calls, c, slog.New(slog.DiscardHandler))
			tries := map[int64]int{}
			j.record = func(ctx context.Context, l call.Lease, n call.Records) error {
				if tries[n.Number]++; tries[n.Number] == 1 {
					return errors.Join(calls.Record(ctx, l, n), errors.New("connection reset by peer"))
				}
				return calls.Record(ctx, l, n)
			}
			for i, word := range words {
				j.EntryAdded(said(word))
				j.TurnAnswered(voice.Turn{Agent: "desk", STT: 100 * time.Millisecond, Usage: dialogue.Usage{InputTokens: 10}})
				j.AgentChanged("desk", []string{"", "hall"}[min(i, 1)])
			}
			j.close()
		}
		converse(claimed, "one", "two")
		next := takenOver(t, calls, claimed)
		converse(next, "three")

		if diff := cmp.Diff([]string{"one", "two", "three"}, texts(t, calls, claimed.ID)); diff != "" {
			t.Errorf("want (-), got (+):\n%s", diff)
		}
		got, err := calls.Get(t.Context(), acme, claimed.ID)
		if err != nil {
			t.Fatal(err)
		}
		if m := got.Metrics; m.Messages != 3 || m.STT.Count != 3 || m.TotalTokens != 30 || m.AgentHandoffs != 1 || len(got.AgentHistory) != 3 {
			t.Errorf("metrics %+v, agents %q", m, got.AgentHistory)
		}
		var events int
		if err := db.Tenant(acme).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT count(*) FROM events WHERE call_id = ? AND type = 'call.agent.changed'", claimed.ID).Scan(ctx, &events)
		}); err != nil || events != 1 {
			t.Errorf("%d events, %v", events, err)
		}
	})
}

// The journal reports a record as stored when it is committed, not before.
func TestJournalReportsCommits(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		j := journalOf(calls, claimed, slog.New(slog.DiscardHandler))
		tried, back := make(chan struct{}, 1), make(chan struct{})
		j.record = func(ctx context.Context, l call.Lease, n call.Records) error {
			select {
			case <-back:
				return calls.Record(ctx, l, n)
			default:
			}
			select {
			case tried <- struct{}{}:
			default:
			}
			return errors.New("the database is unavailable")
		}
		first, second := j.saveSnapshot(json.RawMessage(`{"node":"1"}`)), j.saveSnapshot(json.RawMessage(`{"node":"2"}`))
		<-tried
		select {
		case <-first:
			t.Error("kept while the database was unavailable")
		default:
		}
		close(back)
		<-first
		<-second
		got, err := calls.Get(t.Context(), acme, claimed.ID)
		if err != nil {
			t.Fatal(err)
		}
		if kept, err := calls.ConversationSnapshot(got); err != nil || string(kept) != `{"node":"2"}` {
			t.Errorf("kept %s, %v", kept, err)
		}
		third := j.saveSnapshot(json.RawMessage(`{"node":"3"}`))
		j.close()
		<-third
	})
}
