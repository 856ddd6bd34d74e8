// Package metrics holds the process's Prometheus metrics.
//
// They have their own registry, without those that libraries, such as the embedded media server, add to
// Prometheus's default one. Every label has a limited number of values.
package metrics

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Label values that no slug, method or provider can have.
const (
	// none means no workflow: a call of a single agent.
	none = "_none"
	// other is the value of all further values above a label's limit.
	other = "_other"
)

// Limits of labels that tenants choose.
const (
	maxWorkflows = 100
	maxProviders = 50
)

// maxTenants limits the tenants with their own series: the most recently active ones.
const maxTenants = 1000

// Metrics is a process's metrics: totals, and by tenant.
type Metrics struct {
	all           *series
	announcements *prometheus.CounterVec
	incidents     *prometheus.CounterVec
	refusals      *prometheus.CounterVec
	messageDrops  prometheus.Counter
	evictions     prometheus.Counter
	tenants       *lru.Cache[string, *series]
	making        sync.Mutex
}

// series are the instruments that there are of all tenants and of each.
type series struct {
	registry *prometheus.Registry

	requests       *prometheus.CounterVec
	requestSeconds *prometheus.HistogramVec

	calls           *prometheus.CounterVec
	callSeconds     *prometheus.HistogramVec
	phoneCalls      prometheus.Counter
	phoneFailures   *prometheus.CounterVec
	setupSeconds    prometheus.Histogram
	quality         *qualitySeries
	providerSeconds *prometheus.HistogramVec
	deliveries      *prometheus.CounterVec
	speechLookups   *prometheus.CounterVec

	workflows, providers *bounded
}

// New returns the instruments.
func New() *Metrics {
	tenants, err := lru.New[string, *series](maxTenants)
	if err != nil {
		panic(err) // the size is of this file
	}
	m := &Metrics{all: newSeries(), tenants: tenants, announcements: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "node_announcements_total", Help: "Announcements of other nodes that this process received, by what they are about.",
	}, []string{"topic"}), incidents: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "call_incidents_total", Help: "Incidents of calls, by type and cause; docs/metrics.md lists both.",
	}, []string{"type", "cause"}), refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "dispatches_refused_total", Help: "Dispatches that were refused because of the load, by cause; docs/metrics.md lists them.",
	}, []string{"reason"}), messageDrops: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "sip_messages_dropped_total", Help: "SIP messages that were not stored although PARLEY_SIP_TRACE is set: beyond the limits of a call, too many at once, or the database was not there.",
	}), evictions: prometheus.NewCounter(prometheus.CounterOpts{
		Name: "speech_cache_evictions_total", Help: "Entries of the speech cache that were deleted because it was full.",
	})}
	for _, cause := range []string{"process_died", "lease_lapsed", "server_restart", "given_back"} {
		m.incidents.WithLabelValues("worker_lost", cause)
		m.incidents.WithLabelValues("taken_over", cause)
	}
	for _, cause := range []string{"signalling_lost", "room_lost"} {
		m.incidents.WithLabelValues("agent_rejoined", cause)
		m.incidents.WithLabelValues("caller_rejoined", cause)
	}
	m.all.registry.MustRegister(m.announcements, m.incidents, m.refusals, m.messageDrops, m.evictions, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// of returns the series that an event of a tenant counts in: the totals and its own. "" is no tenant.
func (m *Metrics) of(tenantID string) []*series {
	if tenantID == "" {
		return []*series{m.all}
	}
	return []*series{m.all, m.tenant(tenantID)}
}

func (m *Metrics) tenant(id string) *series {
	if s, known := m.tenants.Get(id); known {
		return s
	}
	m.making.Lock()
	defer m.making.Unlock()
	if s, known := m.tenants.Get(id); known { // added meanwhile
		return s
	}
	s := newSeries()
	m.tenants.Add(id, s)
	return s
}

// newSeries returns the metrics. Series with known labels start with the value 0, because a rate needs a first
// value.
func newSeries() *series {
	s := &series{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "http_requests_total", Help: "Answered HTTP requests. The endpoint is the route's pattern.",
		}, []string{"method", "endpoint", "status"}),
		requestSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "http_request_duration_seconds", Help: "Time from a request's headers to the end of its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "endpoint", "status"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "calls_total", Help: "Calls that reached a status: pending when dispatched, active when answered, or one of the terminal ones.",
		}, []string{"workflow", "status", "call_type"}),
		callSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "call_duration_seconds", Help: "How long answered calls lasted, by the status that they ended in.",
			Buckets: []float64{5, 15, 30, 60, 120, 180, 300, 600, 1200, 1800, 3600},
		}, []string{"workflow", "status", "call_type"}),
		phoneCalls: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "sip_calls_total", Help: "Telephone calls that were dispatched or came in.",
		}),
		phoneFailures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "sip_failures_total", Help: "Telephone calls that came to nothing, by the reason that they ended for.",
		}, []string{"reason"}),
		setupSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "sip_setup_seconds", Help: "Time from the dispatch of a telephone call until it was answered.",
			Buckets: []float64{.1, .25, .5, 1, 2, 3, 5, 8, 13, 21, 34, 55},
		}),
		quality: newQualitySeries(),
		providerSeconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "provider_latency_seconds", Help: "How long a provider took in a turn: its final transcript, first token or first sound.",
			Buckets: []float64{.025, .05, .1, .15, .2, .3, .4, .5, .75, 1, 1.5, 2.5, 5, 10},
		}, []string{"provider", "type"}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "webhook_deliveries_total", Help: "Webhook deliveries that ended, by their status: delivered or failed.",
		}, []string{"status"}),
		speechLookups: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "speech_cache_lookups_total", Help: "Fixed texts that were looked up in the speech cache, by result: hit or miss.",
		}, []string{"result"}),
		workflows: newBounded(maxWorkflows), providers: newBounded(maxProviders),
	}
	s.registry.MustRegister(s.requests, s.requestSeconds, s.calls, s.callSeconds, s.phoneCalls, s.phoneFailures, s.setupSeconds, s.providerSeconds, s.deliveries, s.speechLookups)
	s.registry.MustRegister(s.quality.loss, s.quality.jitter, s.quality.mos, s.quality.roundTrip)
	for _, callType := range []string{"voip", "sip"} {
		for _, status := range []string{"pending", "active", "completed", "failed", "disconnected", "timeout"} {
			s.calls.WithLabelValues(none, status, callType)
		}
		s.callSeconds.WithLabelValues(none, "completed", callType)
	}
	for _, status := range []string{"delivered", "failed"} {
		s.deliveries.WithLabelValues(status)
	}
	for _, result := range []string{"hit", "miss"} {
		s.speechLookups.WithLabelValues(result)
	}
	for _, reason := range []string{"ring_timeout", "busy", "declined", "invalid_number", "unreachable", "no_trunk"} {
		s.phoneFailures.WithLabelValues(reason)
	}
	return s
}

// Expect creates a provider's series in advance. kind is stt, llm or tts.
func (m *Metrics) Expect(kind, name string) {
	m.all.providerSeconds.WithLabelValues(m.all.providers.label(name), kind)
}

// Load is the demand and capacity of all nodes.
type Load struct {
	Waiting, Callers int64 // calls that wait for a worker, and those of them whose callers are present
	Slots, Free      int64 // concurrent calls that the workers accept, and how many of these are free
	Held             int64 // calls that workers hold under leases
}

// Load registers a function that returns the load.
func (m *Metrics) Load(read func() Load) {
	m.gauge("calls_waiting", "Calls of all nodes that wait for a worker, as counted within the last second.", func() float64 { return float64(read().Waiting) })
	m.gauge("callers_waiting", "Of these, calls whose callers are there.", func() float64 { return float64(read().Callers) })
	m.gauge("call_leases", "Calls of all nodes that workers hold under leases.", func() float64 { return float64(read().Held) })
	m.gauge("worker_slots", "Calls that the workers of all nodes run at once.", func() float64 { return float64(read().Slots) })
	m.gauge("worker_slots_free", "Of these, slots in which there is no conversation.", func() float64 { return float64(read().Free) })
}

// WorkerCalls registers a function that returns the number of calls of this process's worker.
func (m *Metrics) WorkerCalls(count func() int) {
	m.gauge("worker_calls", "Calls that the worker in this process runs.", func() float64 { return float64(count()) })
}

func (m *Metrics) gauge(name, help string, read func() float64) {
	m.all.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// Handler serves the process's metrics and the totals, in Prometheus's format.
func (m *Metrics) Handler() http.Handler { return m.all.handler() }

// TenantHandler serves the series of one tenant only.
func (m *Metrics) TenantHandler(tenantID string) http.Handler { return m.tenant(tenantID).handler() }

func (s *series) handler() http.Handler {
	return promhttp.HandlerFor(s.registry, promhttp.HandlerOpts{})
}

// methods are the request methods with their own label, because clients can send any.
var methods = map[string]bool{
	http.MethodGet: true, http.MethodHead: true, http.MethodPost: true, http.MethodPut: true, http.MethodPatch: true,
	http.MethodDelete: true, http.MethodConnect: true, http.MethodOptions: true, http.MethodTrace: true,
}

// Answered counts a request of a tenant, "" if unauthenticated. endpoint is the route's pattern, "" if none
// matched.
func (m *Metrics) Answered(tenantID, method, endpoint string, status int, took time.Duration) {
	if !methods[method] {
		method = other
	}
	if endpoint == "" {
		endpoint = none
	}
	text := strconv.Itoa(status)
	for _, s := range m.of(tenantID) {
		s.requests.WithLabelValues(method, endpoint, text).Inc()
		s.requestSeconds.WithLabelValues(method, endpoint, text).Observe(took.Seconds())
	}
}

// CallStatusChanged counts a call by its new status. workflow is its slug, ""
// for a call of one agent.
func (m *Metrics) CallStatusChanged(tenantID, workflow, status, callType string) {
	for _, s := range m.of(tenantID) {
		s.calls.WithLabelValues(s.workflow(workflow), status, callType).Inc()
		if status == "pending" && callType == "sip" {
			s.phoneCalls.Inc()
		}
	}
}

// CallEnded observes the duration of an answered call.
func (m *Metrics) CallEnded(tenantID, workflow, status, callType string, duration time.Duration) {
	for _, s := range m.of(tenantID) {
		s.callSeconds.WithLabelValues(s.workflow(workflow), status, callType).Observe(duration.Seconds())
	}
}

// PhoneCallAnswered observes the time until a phone call was answered.
func (m *Metrics) PhoneCallAnswered(tenantID string, setup time.Duration) {
	for _, s := range m.of(tenantID) {
		s.setupSeconds.Observe(setup.Seconds())
	}
}

// PhoneCallFailed counts a failed phone call by reason.
func (m *Metrics) PhoneCallFailed(tenantID, reason string) {
	for _, s := range m.of(tenantID) {
		s.phoneFailures.WithLabelValues(reason).Inc()
	}
}

// CallIncident counts an incident by type and cause.
func (m *Metrics) CallIncident(incident, cause string) {
	m.incidents.WithLabelValues(incident, cause).Inc()
}

// ExpectRefusal has the series of a cause begin at 0.
func (m *Metrics) ExpectRefusal(reason string) { m.refusals.WithLabelValues(reason) }

// DispatchRefused counts a dispatch that was refused because of the load.
func (m *Metrics) DispatchRefused(reason string) { m.refusals.WithLabelValues(reason).Inc() }

// SIPMessagesDropped counts SIP messages that were not stored.
func (m *Metrics) SIPMessagesDropped(n int) { m.messageDrops.Add(float64(n)) }

// SpeechCacheSize registers a function that returns the size of the speech cache.
func (m *Metrics) SpeechCacheSize(bytes func() int64) {
	m.gauge("speech_cache_bytes", "Size of the speech cache in this process's data folder.", func() float64 { return float64(bytes()) })
}

// SpeechCacheLookedUp counts a text that was looked up in the speech cache.
func (m *Metrics) SpeechCacheLookedUp(tenantID string, found bool) {
	result := "miss"
	if found {
		result = "hit"
	}
	for _, s := range m.of(tenantID) {
		s.speechLookups.WithLabelValues(result).Inc()
	}
}

// SpeechCacheEvicted counts entries that were deleted because the speech cache was full.
func (m *Metrics) SpeechCacheEvicted(entries int) { m.evictions.Add(float64(entries)) }

// Announced counts a notification of another node by topic.
func (m *Metrics) Announced(topic string) { m.announcements.WithLabelValues(topic).Inc() }

// ProviderResponded observes a provider's latency. kind is stt, llm or tts.
func (m *Metrics) ProviderResponded(tenantID, kind, name string, latency time.Duration) {
	for _, s := range m.of(tenantID) {
		s.providerSeconds.WithLabelValues(s.providers.label(name), kind).Observe(latency.Seconds())
	}
}

func (s *series) workflow(slug string) string {
	if slug == "" {
		return none
	}
	return s.workflows.label(slug)
}

// bounded keeps the first values of a label, and replaces all others by other.
type bounded struct {
	mu    sync.Mutex
	known map[string]bool
	most  int
}

func newBounded(most int) *bounded { return &bounded{known: map[string]bool{}, most: most} }

func (b *bounded) label(value string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.known[value] {
		if len(b.known) >= b.most {
			return other
		}
		b.known[value] = true
	}
	return value
}
