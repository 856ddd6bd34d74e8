package metrics

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"parley/internal/audio"
)

func (m *Metrics) text(t *testing.T) string {
	t.Helper()
	return served(t, m.Handler())
}

func served(t *testing.T, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
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
	m.Load(func() Load { return Load{Waiting: 7, Callers: 2, Slots: 80, Free: 5, Held: 75} })
	m.WorkerCalls(func() int { return 3 })
	m.CallStatusChanged("acme", "support", "pending", "voip")
	m.CallStatusChanged("acme", "support", "completed", "voip")
	m.CallStatusChanged("acme", "", "pending", "sip")
	m.CallEnded("acme", "support", "completed", "voip", 42*time.Second)
	m.PhoneCallAnswered("acme", 1500*time.Millisecond)
	m.PhoneCallFailed("acme", "busy")
	m.ProviderResponded("acme", "llm", "openai", 300*time.Millisecond)
	m.Announced("deliveries")
	m.DeliveryEnded("acme", "failed")
	m.CallIncident("taken_over", "process_died")
	m.Backlog(func() (Backlog, bool) {
		return Backlog{Waiting: 4, InFlight: 1, Oldest: 90 * time.Second, Overdue: 1500 * time.Millisecond}, true
	})
	m.Database(func() []Pool {
		return []Pool{{Name: "main", InUse: 3, Idle: 2, Max: 16, Waits: 8, Wait: 250 * time.Millisecond}}
	})
	wantLines(t, m.text(t),
		`webhook_deliveries_total{status="failed"} 1`,
		`webhook_deliveries_total{status="delivered"} 0`,
		`webhook_deliveries_waiting 4`,
		`webhook_deliveries_in_flight 1`,
		`webhook_deliveries_oldest_seconds 90`,
		`webhook_deliveries_overdue_seconds 1.5`,
		`database_connections{pool="main",state="in_use"} 3`,
		`database_connections{pool="main",state="idle"} 2`,
		`database_connections_max{pool="main"} 16`,
		`database_connection_waits_total{pool="main"} 8`,
		`database_connection_wait_seconds_total{pool="main"} 0.25`,
		`call_incidents_total{cause="process_died",type="taken_over"} 1`,
		`call_incidents_total{cause="lease_lapsed",type="taken_over"} 0`,
		`call_leases 75`,
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
		m.CallStatusChanged("acme", fmt.Sprintf("flow-%d", n), "pending", "voip")
	}
	m.CallStatusChanged("acme", "flow-0", "pending", "voip") // known before the label was full
	for n := range maxProviders + 3 {
		m.ProviderResponded("acme", "llm", fmt.Sprintf("model-%d", n), time.Second)
	}
	for n := range 20 {
		m.Answered("", fmt.Sprintf("METHOD%d", n), "", 405, time.Millisecond)
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

// While the backlog is not known, nothing receives it.
func TestBacklogUnknown(t *testing.T) {
	m := New()
	m.Backlog(func() (Backlog, bool) { return Backlog{}, false })
	if strings.Contains(m.text(t), "webhook_deliveries_waiting") {
		t.Error("a backlog that nobody knows is shown")
	}
}

// A tenant sees its own series, and neither another's nor the process's.
func TestTenantSeesItsOwn(t *testing.T) {
	m := New()
	m.Load(func() Load { return Load{Waiting: 7} })
	m.WorkerCalls(func() int { return 3 })
	m.Announced("deliveries")
	m.CallStatusChanged("acme", "acme-flow", "pending", "sip")
	m.CallStatusChanged("other", "other-flow", "pending", "voip")
	m.ProviderResponded("other", "llm", "openai", time.Second)
	m.Answered("other", "GET", "/api/v1/agents", 200, time.Millisecond)
	m.Answered("", "GET", "/health", 200, time.Millisecond)
	acme := served(t, m.TenantHandler("acme"))
	wantLines(t, acme, `calls_total{call_type="sip",status="pending",workflow="acme-flow"} 1`, `sip_calls_total 1`)
	for _, foreign := range []string{"other-flow", "openai", "http_requests_total{", "go_", "process_", "worker_", "waiting", "node_"} {
		if strings.Contains(acme, foreign) {
			t.Errorf("the tenant sees %s", foreign)
		}
	}
	wantLines(t, served(t, m.TenantHandler("other")), `sip_calls_total 0`, `http_requests_total{endpoint="/api/v1/agents",method="GET",status="200"} 1`)
	wantLines(t, m.text(t), `calls_total{call_type="sip",status="pending",workflow="acme-flow"} 1`, `calls_total{call_type="voip",status="pending",workflow="other-flow"} 1`)
}

func TestTenantsAreBounded(t *testing.T) {
	m := New()
	for n := range maxTenants + 5 {
		m.CallStatusChanged(fmt.Sprint(n), "flow", "pending", "voip")
	}
	if n := m.tenants.Len(); n != maxTenants {
		t.Errorf("%d tenants are kept", n)
	}
	wantLines(t, m.text(t), fmt.Sprintf(`calls_total{call_type="voip",status="pending",workflow="flow"} %d`, maxTenants+5))
}

// What is known of a phone call's audio is observed once, by direction; what is not known is left out.
func TestPhoneQuality(t *testing.T) {
	m := New()
	m.PhoneQuality("acme", audio.Quality{
		Received:    audio.DirectionQuality{Packets: 1000, Lost: new(int64(15)), JitterMS: new(4.0), MOS: new(4.1)},
		Sent:        audio.DirectionQuality{Packets: 1000},
		RoundTripMS: new(40.0),
	})
	m.PhoneQuality("acme", audio.Quality{})
	for _, text := range []string{m.text(t), served(t, m.TenantHandler("acme"))} {
		wantLines(t, text,
			`sip_packet_loss_ratio_bucket{direction="received",le="0.01"} 0`, `sip_packet_loss_ratio_bucket{direction="received",le="0.02"} 1`,
			`sip_jitter_seconds_sum{direction="received"} 0.004`, `sip_mos_sum{direction="received"} 4.1`, `sip_round_trip_seconds_sum 0.04`,
			`sip_mos_count{direction="received"} 1`, `sip_mos_count{direction="sent"} 0`, `sip_packet_loss_ratio_count{direction="sent"} 0`, `sip_round_trip_seconds_count 1`)
	}
}
