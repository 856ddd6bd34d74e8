package worker

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/dialogue"
	"parley/internal/event"
	"parley/internal/media"
	"parley/internal/seal"
	"parley/internal/tracing"
	"parley/internal/tracing/tracingtest"
	"parley/internal/voice"
	"parley/internal/workflow"
)

type noRooms struct{}

func (noRooms) Create(context.Context, string, media.RoomOptions) error { return nil }
func (noRooms) Delete(context.Context, string) error                    { return nil }

func TestTraceOfACall(t *testing.T) {
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
		collector := tracingtest.Start(t)
		log := &bytes.Buffer{}
		traces, err := tracing.Start(t.Context(), tracing.Options{Endpoint: collector.URL, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		s := newSession(&Worker{o: Options{Calls: calls, Rooms: noRooms{}, Tracer: traces.Tracer(), Log: slog.New(traces.Logs(slog.NewTextHandler(log, nil)))}}, claimed[0])
		ctx, span := s.traced(t.Context())
		s.journal = newJournal(s)
		heard := time.Now().Add(-5 * time.Second)
		s.journal.Said(voice.Entry{Role: dialogue.RoleAssistant, Text: "my number is classified", At: heard, Agent: "desk"})
		s.journal.TurnTaken(voice.Turn{Agent: "desk", LLM: 80 * time.Millisecond, VoiceToVoice: 900 * time.Millisecond, Interrupted: true})
		s.journal.Problem(voice.Problem{Service: voice.LLM, Provider: "brain", Message: "refused classified", Critical: true, At: time.Now()})
		s.journal.close()
		s.span(ctx, "join").End()
		endTrace(span, call.ProviderError, nil)
		if err := traces.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		spans := map[string]tracingtest.Span{}
		for _, s := range collector.Spans() {
			spans[s.Name] = s
			if strings.Contains(s.String(), "classified") {
				t.Errorf("a span tells what was said: %v", s)
			}
		}
		whole, turn, join := spans["call"], spans["turn"], spans["join"]
		if len(spans) != 3 || !bytes.Equal(turn.ParentSpanId, whole.SpanId) || !bytes.Equal(join.ParentSpanId, whole.SpanId) {
			t.Fatalf("spans %v", spans)
		}
		if whole.Attribute("parley.call_id") != claimed[0].ID || whole.Attribute("parley.tenant_id") != acme || whole.Attribute("parley.status_reason") != "provider_error" ||
			len(whole.Events) != 1 || whole.Events[0].Name != "problem" {
			t.Errorf("call %v", whole)
		}
		if took := time.Duration(turn.EndTimeUnixNano - turn.StartTimeUnixNano); took != 900*time.Millisecond || turn.EndTimeUnixNano != uint64(heard.UnixNano()) {
			t.Errorf("the turn took %v, until %v", took, time.Unix(0, int64(turn.EndTimeUnixNano)))
		}
		if turn.Attribute("parley.llm_ms") != 80.0 || turn.Attribute("parley.voice_to_voice_ms") != 900.0 || turn.Attribute("parley.interrupted") != true || turn.Attribute("parley.stt_ms") != nil {
			t.Errorf("turn %v", turn)
		}
		if n := strings.Count(log.String(), "trace_id="+span.SpanContext().TraceID().String()); n != 2 {
			t.Errorf("%d of 2 lines have the trace id: %s", n, log)
		}
	})
}
