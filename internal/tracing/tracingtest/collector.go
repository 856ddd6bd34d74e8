// Package tracingtest is an OpenTelemetry collector for tests: it receives OTLP over HTTP and stores the spans.
package tracingtest

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector is a server at URL.
type Collector struct {
	URL string

	t     testing.TB
	mu    sync.Mutex
	spans []Span
}

// Span is a received span.
type Span struct {
	*otlp.Span
	Resource []*common.KeyValue
}

// Attribute returns the text or the number of one of the span's attributes, nil
// without it.
func (s Span) Attribute(name string) any { return value(s.Attributes, name) }

// Of returns a resource attribute of the span.
func (s Span) Of(name string) any { return value(s.Resource, name) }

func value(attributes []*common.KeyValue, name string) any {
	for _, a := range attributes {
		if a.Key != name {
			continue
		}
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			return v.StringValue
		case *common.AnyValue_IntValue:
			return v.IntValue
		case *common.AnyValue_DoubleValue:
			return v.DoubleValue
		case *common.AnyValue_BoolValue:
			return v.BoolValue
		}
	}
	return nil
}

// Start starts a collector that ends with the test.
func Start(t testing.TB) *Collector {
	c := &Collector{t: t}
	server := httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

func (c *Collector) take(w http.ResponseWriter, r *http.Request) {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			c.t.Errorf("traces: %v", err)
			return
		}
		body = unzipped
	}
	content, err := io.ReadAll(body)
	if err != nil {
		c.t.Errorf("traces: %v", err)
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		c.t.Errorf("traces as %s %s, %s", r.Method, r.URL.Path, r.Header.Get("Content-Type"))
	}
	var request collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(content, &request); err != nil {
		c.t.Errorf("traces: %v", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, from := range request.ResourceSpans {
		for _, scope := range from.ScopeSpans {
			for _, span := range scope.Spans {
				c.spans = append(c.spans, Span{span, from.Resource.Attributes})
			}
		}
	}
}

// Spans returns the spans received so far.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Span(nil), c.spans...)
}
