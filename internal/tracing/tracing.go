// Package tracing exports traces of requests and calls to an OpenTelemetry collector, if one is configured.
//
// Spans contain routes, states, times and ids, but no content and no personal data.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// news is how often an unreachable collector is logged.
const news = time.Minute

// Options configures the exporter.
type Options struct {
	// Endpoint is the collector's base URL, as in OTEL_EXPORTER_OTLP_ENDPOINT;
	// spans go to /v1/traces below it (OTLP over HTTP, protobuf). "" for no
	// traces.
	Endpoint string
	Role     string // serve or worker, as parley.role
	Version  string
	Log      *slog.Logger
}

// Tracing creates and exports spans in batches. The zero value creates none.
type Tracing struct{ provider *sdk.TracerProvider }

// Start returns an exporter without waiting for the collector. Further OTEL_ variables (headers, service name,
// resource attributes, sampler) apply as in the OpenTelemetry specification.
func Start(ctx context.Context, o Options) (Tracing, error) {
	if o.Endpoint == "" {
		return Tracing{}, nil
	}
	target, err := url.JoinPath(o.Endpoint, "v1", "traces")
	if err != nil {
		return Tracing{}, fmt.Errorf("address of the traces' collector: %w", err)
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(target))
	if err != nil {
		return Tracing{}, fmt.Errorf("exporter of traces: %w", err)
	}
	who, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "parley"), attribute.String("service.version", o.Version), attribute.String("parley.role", o.Role),
	), resource.WithFromEnv())
	if err != nil {
		return Tracing{}, fmt.Errorf("resource of traces: %w", err)
	}
	otel.SetErrorHandler(&errorLogger{log: o.Log})
	return Tracing{sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(who))}, nil
}

// On reports whether traces are sent.
func (t Tracing) On() bool { return t.provider != nil }

// Tracer returns a tracer; a no-op without a collector.
func (t Tracing) Tracer() trace.Tracer {
	if !t.On() {
		return noop.Tracer{}
	}
	return t.provider.Tracer("parley")
}

// Stop sends what is left, as long as ctx lets it.
func (t Tracing) Stop(ctx context.Context) error {
	if !t.On() {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}

// errorLogger logs OpenTelemetry's errors, once a minute.
type errorLogger struct {
	log      *slog.Logger
	mu       sync.Mutex
	warnedAt time.Time
}

func (c *errorLogger) Handle(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.warnedAt) >= news {
		c.warnedAt = now
		c.log.Warn("failed to export traces", "error", err)
	}
}

// Logs returns a handler that adds trace_id to lines written under a span.
func (t Tracing) Logs(h slog.Handler) slog.Handler {
	if !t.On() {
		return h
	}
	return traced{h}
}

type traced struct{ slog.Handler }

func (h traced) Handle(ctx context.Context, line slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		line = line.Clone()
		line.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, line)
}

func (h traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{h.Handler.WithAttrs(attrs)} }
func (h traced) WithGroup(name string) slog.Handler       { return traced{h.Handler.WithGroup(name)} }
