package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/api/wire"
	"parley/internal/fault"
	"parley/internal/netguard"
)

// Metrics is the process's instruments.
type Metrics interface {
	// Answered counts a request of a tenant, "" for one without a valid
	// credential. endpoint is the route's pattern, "" when no route matched.
	Answered(tenantID, method, endpoint string, status int, took time.Duration)
	// Handler serves the instruments of the process and of all tenants.
	Handler() http.Handler
	// TenantHandler serves the series of one tenant.
	TenantHandler(tenantID string) http.Handler
}

// forwarding are headers that proxies add; a peer that sends one forwards for another client.
var forwarding = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Cf-Connecting-Ip", "True-Client-Ip", "X-Client-Ip"}

// metricsScope lets a credential read the series of its tenant.
const metricsScope = "metrics:read"

const metricsPath = "/metrics"

// serveMetrics adds /metrics. The operator gets everything: from a process on this machine, or with the token. A
// tenant's credential gets the tenant's series, also on this machine.
func (s *Server) serveMetrics() {
	everything := s.deps.Metrics.Handler()
	s.describeMetrics()
	s.mux.HandleFunc("GET "+metricsPath, func(w http.ResponseWriter, r *http.Request) {
		if s.hasMetricsToken(r) {
			everything.ServeHTTP(w, r)
			return
		}
		who, err := s.authenticate(r)
		if err != nil && local(r) {
			everything.ServeHTTP(w, r)
			return
		}
		if err == nil {
			err = s.limit(w, r, who)
		}
		switch {
		case err != nil:
			wire.WriteProblem(w, r, err)
		case !who.Can(metricsScope):
			wire.WriteProblem(w, r, wire.ScopeRequired(metricsScope))
		case !who.Livemode:
			wire.WriteProblem(w, r, wire.ErrTestKey)
		default:
			s.deps.Metrics.TenantHandler(who.TenantID).ServeHTTP(w, r)
		}
	})
}

// hasMetricsToken reports whether a request has the operator's token, in constant time.
func (s *Server) hasMetricsToken(r *http.Request) bool {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want, got := sha256.Sum256([]byte(s.deps.MetricsToken)), sha256.Sum256([]byte(strings.TrimSpace(given)))
	return s.deps.MetricsToken != "" && strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// Operator serves what the operator's own listener has: /metrics with all there
// is, and the health checks. It asks for no credential.
func (s *Server) Operator() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		wire.WriteProblem(w, r, fault.New(fault.NotFound, "no such route"))
	}))
	mux.Handle("/health", s)
	mux.Handle("/health/", s)
	if s.deps.Metrics != nil {
		mux.Handle("GET "+metricsPath, operatorOnly(s.deps.Metrics.Handler()))
	}
	return mux
}

// operatorOnly refuses requests that tenants cause.
func operatorOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if netguard.ByTenant(r) {
			wire.WriteProblem(w, r, fault.New(fault.Authorization, "this is the operator's: a request of a tool, a webhook or a provider will not do"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// describeMetrics adds /metrics to the API's description.
func (s *Server) describeMetrics() {
	described := s.router.Describe(wire.Operation{
		ID: "metrics", Method: http.MethodGet, Path: metricsPath, Tag: "Health", LiveOnly: true, Scope: metricsScope,
		Summary: "Get metrics", Description: "In the Prometheus text format. A credential gets the series of its own tenant. The operator gets the process and all tenants: with `PARLEY_METRICS_TOKEN` as bearer token, or without a credential from the machine itself, at `localhost` or a loopback address and not through a proxy.",
	}, reflect.TypeFor[struct{}]())
	described.Security = append(described.Security, map[string][]string{})
	delete(described.Responses, strconv.Itoa(http.StatusUnprocessableEntity)) // it looks at no query
	described.Responses[strconv.Itoa(http.StatusOK)] = &huma.Response{
		Description: http.StatusText(http.StatusOK),
		Content: map[string]*huma.MediaType{"text/plain": {
			Schema:  &huma.Schema{Type: huma.TypeString},
			Example: "# HELP http_requests_total Requests answered.\n# TYPE http_requests_total counter\nhttp_requests_total{endpoint=\"/api/v1/agents\",method=\"GET\",status=\"200\"} 42\n",
		}},
	}
	s.huma.OpenAPI().AddOperation(&described)
}

// local reports whether a request comes from the loopback interface and names it as its host. This excludes web pages whose
// name resolves to loopback (DNS rebinding), proxies, and what tenants have this process or another send.
func local(r *http.Request) bool {
	if netguard.ByTenant(r) {
		return false
	}
	named := (&url.URL{Host: r.Host}).Hostname()
	if ip, err := netip.ParseAddr(named); named != "localhost" && (err != nil || !ip.Unmap().IsLoopback()) {
		return false
	}
	for _, name := range forwarding {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr) // not the client named by a proxy
	return err == nil && peer.Addr().Unmap().IsLoopback()
}
