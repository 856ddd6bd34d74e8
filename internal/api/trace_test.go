package api

import (
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"

	"parley/internal/tracing"
	"parley/internal/tracing/tracingtest"
)

func TestTraceOfARequest(t *testing.T) {
	collector := tracingtest.Start(t)
	var traces tracing.Tracing
	s := newThings(t, func(d *Deps) {
		var err error
		if traces, err = tracing.Start(t.Context(), tracing.Options{Endpoint: collector.URL, Log: d.Log}); err != nil {
			t.Fatal(err)
		}
		d.Tracer = traces.Tracer()
		d.Log = slog.New(traces.Logs(d.Log.Handler()))
	})
	const traceID, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	s.do("full", http.MethodPut, aThing+"?limit=5&secret=mallory", `{"name":"alice"}`, "X-Request-Id", "req-7", "Traceparent", "00-"+traceID+"-"+parent+"-01")
	var line struct {
		TraceID string `json:"trace_id"`
	}
	if err := json.Unmarshal(s.log.Bytes(), &line); err != nil || line.TraceID != traceID {
		t.Errorf("log line %s: %v", s.log, err)
	}
	s.do("", http.MethodGet, "/fail/panic", "")
	s.do("", http.MethodGet, "/nowhere/mallory", "")
	s.do("", "MALLORY", "/health", "")
	if err := traces.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := collector.Spans()
	if len(spans) != 4 {
		t.Fatalf("%d spans, want 4", len(spans))
	}
	put, broken, unknown, odd := spans[0], spans[1], spans[2], spans[3]
	if put.Name != "PUT /things/{id}" || put.Kind != otlp.Span_SPAN_KIND_SERVER || hex.EncodeToString(put.TraceId) != traceID || hex.EncodeToString(put.ParentSpanId) != parent {
		t.Errorf("span %v", put)
	}
	for name, want := range map[string]any{
		"http.request.method": "PUT", "http.route": "/things/{id}", "http.response.status_code": int64(200), "parley.tenant_id": acme, "parley.request_id": "req-7",
	} {
		if got := put.Attribute(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if broken.Name != "GET /fail/{code}" || broken.Attribute("http.response.status_code") != int64(500) || broken.Status.GetCode() != otlp.Status_STATUS_CODE_ERROR || len(broken.ParentSpanId) > 0 {
		t.Errorf("span of a panic %v", broken)
	}
	if unknown.Name != "HTTP" || unknown.Attribute("http.response.status_code") != int64(404) || unknown.Status.GetCode() == otlp.Status_STATUS_CODE_ERROR {
		t.Errorf("span of an unknown route %v", unknown)
	}
	if odd.Attribute("http.request.method") != "_OTHER" {
		t.Errorf("span of an unknown method %v", odd)
	}
	for _, span := range spans {
		for _, leak := range []string{"mallory", "MALLORY", "alice", "disco", s.credentials["full"], "0193A6F0-0000-7000-8000-000000000009", "192.0.2.1"} {
			if strings.Contains(span.String(), leak) {
				t.Errorf("a span contains %q: %v", leak, span)
			}
		}
	}
}
