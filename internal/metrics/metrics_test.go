package metrics

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func (m *Metrics) text(t *testing.T) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("no line %s", line)
		}
	}
}

func TestCallsAreMeasured(t *testing.T) {
	m := New()
	m.Expect("stt", "deepgram")
	m.Load(func() Load { return Load{Waiting: 7, Callers: 2, Slots: 80, Free: 5} })
	m.WorkerCalls(func() int { return 3 })
	m.CallReached("support", "pending", "voip")
	m.CallReached("support", "completed", "voip")
	m.CallReached("", "pending", "sip")
	m.CallLasted("support", "completed", "voip", 42*time.Second)
	m.PhoneAnswered(1500 * time.Millisecond)
	m.PhoneFailed("busy")
	m.ProviderTook("llm", "openai", 300*time.Millisecond)
	m.Announced("deliveries")
	wantLines(t, m.text(t),
		`calls_waiting 7`,
		`callers_waiting 2`,
		`worker_slots 80`,
		`worker_slots_free 5`,
		`worker_calls 3`,
		`calls_total{call_type="voip",status="pending",workflow="support"} 1`,
		`calls_total{call_type="voip",status="completed",workflow="support"} 1`,
		`calls_total{call_type="sip",status="pending",workflow="_none"} 1`,
		`calls_total{call_type="sip",status="failed",workflow="_none"} 0`,
		`call_duration_seconds_sum{call_type="voip",status="completed",workflow="support"} 42`,
		`call_duration_seconds_bucket{call_type="voip",status="completed",workflow="support",le="30"} 0`,
		`call_duration_seconds_bucket{call_type="voip",status="completed",workflow="support",le="60"} 1`,
		`sip_calls_total 1`,
		`node_announcements_total{topic="deliveries"} 1`,
		`sip_setup_seconds_sum 1.5`,
		`sip_failures_total{reason="busy"} 1`,
		`sip_failures_total{reason="no_trunk"} 0`,
		`provider_latency_seconds_sum{provider="openai",type="llm"} 0.3`,
		`provider_latency_seconds_count{provider="deepgram",type="stt"} 0`)
}

func TestLabelsAreBounded(t *testing.T) {
	m := New()
	for n := range maxWorkflows + 7 {
		m.CallReached(fmt.Sprintf("flow-%d", n), "pending", "voip")
	}
	m.CallReached("flow-0", "pending", "voip") // known before the label was full
	for n := range maxProviders + 3 {
		m.ProviderTook("llm", fmt.Sprintf("model-%d", n), time.Second)
	}
	for n := range 20 {
		m.Answered(fmt.Sprintf("METHOD%d", n), "", 405, time.Millisecond)
	}
	text := m.text(t)
	wantLines(t, text,
		`calls_total{call_type="voip",status="pending",workflow="_other"} 7`,
		`calls_total{call_type="voip",status="pending",workflow="flow-0"} 2`,
		`provider_latency_seconds_count{provider="_other",type="llm"} 3`,
		`http_requests_total{endpoint="_none",method="_other",status="405"} 20`)
	if got := strings.Count(text, `calls_total{call_type="voip",status="pending"`); got != maxWorkflows+2 {
		t.Errorf("%d series of workflows, want %d", got, maxWorkflows+2)
	}
}

// What libraries put into Prometheus's default registry stays there.
func TestDefaultRegistryIsNotShown(t *testing.T) {
	foreign := prometheus.NewCounter(prometheus.CounterOpts{Name: "foreign_total", Help: "Of a library."})
	prometheus.MustRegister(foreign)
	t.Cleanup(func() { prometheus.Unregister(foreign) })
	text := New().text(t)
	if strings.Contains(text, "foreign_total") {
		t.Error("the default registry is shown")
	}
	wantLines(t, text, "# TYPE go_goroutines gauge", "# TYPE process_resident_memory_bytes gauge", "# TYPE sip_calls_total counter", "# TYPE calls_total counter")
}
