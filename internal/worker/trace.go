package worker

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"parley/internal/call"
	"parley/internal/voice"
)

// A call's trace covers its time with a worker: a span call containing join (the agent joins the room), connecting
// (from the caller's arrival until audio flows), ringing (within it, for outbound calls) and a turn for each
// exchange, from the caller's last audio to the agent's first. It contains no content and no identities.

// tracer returns the tracer; a no-op without a collector.
func (w *Worker) tracer() trace.Tracer {
	if w.options.Tracer == nil {
		return noop.Tracer{}
	}
	return w.options.Tracer
}

// startSpan starts a child span of the call.
func (s *session) startSpan(ctx context.Context, name string) trace.Span {
	_, span := s.w.tracer().Start(ctx, name)
	return span
}

// startTrace starts the call's span; the session runs in the returned context.
func (s *session) startTrace(ctx context.Context) (context.Context, trace.Span) {
	ctx, span := s.w.tracer().Start(ctx, "call", trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
		attribute.String("parley.call_id", s.call.ID),
		attribute.String("parley.tenant_id", s.call.TenantID),
		attribute.String("parley.call_type", s.call.CallType),
		attribute.Int64("parley.since_dispatch_ms", time.Since(s.call.CreatedAt).Milliseconds()),
	))
	s.trace = ctx
	return ctx, span
}

// endTrace records how the call's time with this worker ended.
func endTrace(span trace.Span, reason call.Reason, err error) {
	if reason != "" {
		span.SetAttributes(attribute.String("parley.status_reason", string(reason)))
	}
	if err != nil && !errors.Is(err, errReleased) {
		span.SetStatus(codes.Error, "see the log")
	}
	span.End()
}

// traceTurn adds a turn's span. audible is the time of the answer's first audio.
func (s *session) traceTurn(t voice.Turn, audible time.Time) {
	if audible.IsZero() {
		audible = time.Now()
	}
	_, span := s.w.tracer().Start(s.trace, "turn", trace.WithTimestamp(audible.Add(-t.VoiceToVoice)))
	if span.IsRecording() {
		attributes := []attribute.KeyValue{attribute.String("parley.agent", t.Agent), attribute.Bool("parley.interrupted", t.Interrupted)}
		for _, latency := range []struct {
			name string
			took time.Duration
		}{
			{"parley.endpointing_ms", t.Endpointing}, {"parley.stt_ms", t.STT}, {"parley.llm_ms", t.LLM}, {"parley.tts_ms", t.TTS}, {"parley.voice_to_voice_ms", t.VoiceToVoice},
		} {
			if latency.took > 0 { // 0 was not measured
				attributes = append(attributes, attribute.Float64(latency.name, float64(latency.took.Microseconds())/1000))
			}
		}
		span.SetAttributes(attributes...)
	}
	span.End(trace.WithTimestamp(audible))
}

// traceProblem adds an event for a problem; its message is in the call's error log.
func (s *session) traceProblem(p voice.Problem) {
	trace.SpanFromContext(s.trace).AddEvent("problem", trace.WithTimestamp(p.At), trace.WithAttributes(
		attribute.String("parley.service", string(p.Service)), attribute.String("parley.provider", p.Provider), attribute.Bool("parley.critical", p.Critical)))
}
