package worker

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/dialogue"
	"parley/internal/tracing"
	"parley/internal/tracing/tracingtest"
	"parley/internal/voice"
)

func TestTraceOfACall(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		collector := tracingtest.Start(t)
		log := &bytes.Buffer{}
		traces, err := tracing.Start(t.Context(), tracing.Options{Endpoint: collector.URL, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		s := newSession(&Worker{options: Options{Calls: calls, Rooms: noRooms{}, Tracer: traces.Tracer(), Log: slog.New(traces.Logs(slog.NewTextHandler(log, nil)))}}, claimed)
		ctx, span := s.startTrace(t.Context())
		s.journal = newJournal(s)
		heard := time.Now().Add(-5 * time.Second)
		s.journal.EntryAdded(voice.Entry{Role: dialogue.RoleAssistant, Text: "my number is classified", At: heard, Agent: "desk"})
		s.journal.TurnAnswered(voice.Turn{Agent: "desk", LLM: 80 * time.Millisecond, VoiceToVoice: 900 * time.Millisecond, Interrupted: true})
		s.journal.Problem(voice.Problem{Service: voice.LLM, Provider: "brain", Message: "refused classified", Critical: true, At: time.Now()})
		s.journal.close()
		s.startSpan(ctx, "join").End()
		endTrace(span, call.ProviderError, nil)
		if err := traces.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		spans := map[string]tracingtest.Span{}
		for _, s := range collector.Spans() {
			spans[s.Name] = s
			if strings.Contains(s.String(), "classified") {
				t.Errorf("a span contains what was said: %v", s)
			}
		}
		whole, turn, join := spans["call"], spans["turn"], spans["join"]
		if len(spans) != 3 || !bytes.Equal(turn.ParentSpanId, whole.SpanId) || !bytes.Equal(join.ParentSpanId, whole.SpanId) {
			t.Fatalf("spans %v", spans)
		}
		if whole.Attribute("parley.call_id") != claimed.ID || whole.Attribute("parley.tenant_id") != acme || whole.Attribute("parley.status_reason") != "provider_error" ||
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
