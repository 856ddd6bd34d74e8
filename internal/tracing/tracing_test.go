package tracing_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/internal/tracing"
	"parley/internal/tracing/tracingtest"
)

func TestSpansReachTheCollectorAtTheEnd(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	collector := tracingtest.Start(t)
	log := &bytes.Buffer{}
	traces, err := tracing.Start(t.Context(), tracing.Options{Endpoint: collector.URL + "/", Role: "serve", Version: "1.2.3", Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, parent := traces.Tracer().Start(t.Context(), "parent")
	_, child := traces.Tracer().Start(ctx, "child")
	slog.New(traces.Logs(slog.NewTextHandler(log, nil))).With("a", 1).InfoContext(ctx, "under the span")
	child.End()
	parent.End()
	if err := traces.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := collector.Spans()
	if len(spans) != 2 || spans[0].Name != "child" || !bytes.Equal(spans[0].ParentSpanId, spans[1].SpanId) {
		t.Fatalf("spans %v", spans)
	}
	for name, want := range map[string]string{"service.name": "parley", "service.version": "1.2.3", "parley.role": "serve", "deployment.environment.name": "test"} {
		if got := spans[0].Of(name); got != want {
			t.Errorf("%s is %v, want %s", name, got, want)
		}
	}
	if !strings.Contains(log.String(), "trace_id="+parent.SpanContext().TraceID().String()) {
		t.Errorf("log %s", log)
	}
}

func TestWithoutACollector(t *testing.T) {
	traces, err := tracing.Start(t.Context(), tracing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, span := traces.Tracer().Start(t.Context(), "nothing")
	span.End()
	if span.IsRecording() || traces.On() {
		t.Error("a span without a collector")
	}
	log := &bytes.Buffer{}
	slog.New(traces.Logs(slog.NewTextHandler(log, nil))).InfoContext(ctx, "line")
	if strings.Contains(log.String(), "trace_id") {
		t.Errorf("log %s", log)
	}
	if err := traces.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if n := testing.AllocsPerRun(100, func() { traces.Tracer().Start(context.Background(), "nothing") }); n > 1 {
		t.Errorf("%v allocations for nothing", n)
	}
}

// A collector that hangs holds the end up as long as it may, no longer.
func TestCollectorThatHangs(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	traces, err := tracing.Start(t.Context(), tracing.Options{Endpoint: server.URL, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	_, span := traces.Tracer().Start(t.Context(), "lost")
	span.End()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- traces.Stop(ctx) }()
	select {
	case err := <-stopped:
		if err == nil {
			t.Error("the loss is not logged")
		}
	case <-time.After(time.Minute):
		t.Error("the end waits for the collector")
	}
}
