package e2e

import (
	"bytes"
	"strings"
	"testing"

	"parley/internal/tracing/tracingtest"
)

// A spoken call leaves one trace with its parts, its dispatch another, and the end of the server loses neither.
func TestTraces(t *testing.T) {
	t.Parallel()
	collector := tracingtest.Start(t)
	s, err := start(t.TempDir(), map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": collector.URL, "PARLEY_LOG_FORMAT": "json"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Kill()
	r := call(t, s, 0, "--agent", "demo", "--say", "thank you very much goodbye")
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	parts := map[string]tracingtest.Span{}
	turns := 0
	var whole, dispatch tracingtest.Span
	for _, span := range collector.Spans() {
		switch span.Name {
		case "call":
			whole = span
		case "turn":
			turns++
			parts[span.Name] = span
		case "POST /api/v1/calls/test-agent":
			dispatch = span
		default:
			parts[span.Name] = span
		}
	}
	if whole.Span == nil || whole.Attribute("parley.call_id") != r.CallID || whole.Of("parley.role") != "serve" {
		t.Fatalf("no span of the call: %v", whole.Span)
	}
	if dispatch.Span == nil || dispatch.Attribute("http.response.status_code") != int64(201) {
		t.Errorf("no span of the dispatch: %v", dispatch.Span)
	}
	for _, name := range []string{"join", "connecting", "turn"} {
		if p := parts[name]; p.Span == nil || !bytes.Equal(p.TraceId, whole.TraceId) || !bytes.Equal(p.ParentSpanId, whole.SpanId) {
			t.Errorf("no span %s in the call's: %v", name, p.Span)
		}
	}
	if turns == 0 || parts["turn"].Span != nil && parts["turn"].Attribute("parley.voice_to_voice_ms") == nil {
		t.Errorf("%d turns, the last %v", turns, parts["turn"].Span)
	}
	if !strings.Contains(s.Log.String(), `"trace_id"`) {
		t.Error("no trace id in the log")
	}
}
