package api

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"parley/internal/api/wire"
)

// startSpan begins the span of a request, in the trace of the client's when
// its traceparent names one (W3C Trace Context).
func startSpan(tracer trace.Tracer, r *http.Request) (*http.Request, trace.Span) {
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, span := tracer.Start(ctx, "HTTP", trace.WithSpanKind(trace.SpanKindServer))
	return r.WithContext(ctx), span
}

// describeSpan says what a request was, in the words of OpenTelemetry's
// conventions for HTTP, once its route is known. Paths, queries and addresses
// stay out: they may hold personal data.
func describeSpan(span trace.Span, r *http.Request, x *wire.Exchange, status int) {
	if !span.IsRecording() {
		return
	}
	attributes := []attribute.KeyValue{
		attribute.String("http.request.method", knownMethod(r.Method)),
		attribute.Int("http.response.status_code", status),
		attribute.String("parley.request_id", x.ID),
	}
	if route := endpoint(r); route != "" {
		span.SetName(r.Method + " " + route)
		attributes = append(attributes, attribute.String("http.route", route))
	}
	if x.Tenant != "" {
		attributes = append(attributes, attribute.String("parley.tenant_id", x.Tenant))
	}
	span.SetAttributes(attributes...)
	if status >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, http.StatusText(status))
	}
}

// knownMethod keeps what a client made up out of the traces.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "_OTHER"
}
