package api

import (
	"net/http"
	"net/netip"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/fault"
)

// Metrics is the process's instruments.
type Metrics interface {
	// Answered counts a request. endpoint is the route's pattern, "" when no
	// route matched.
	Answered(method, endpoint string, status int, took time.Duration)
	// Handler serves the instruments.
	Handler() http.Handler
}

// forwarding are the headers that a proxy adds; a peer that sends one speaks
// for somebody else.
var forwarding = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Cf-Connecting-Ip", "True-Client-Ip", "X-Client-Ip"}

// metricsScope lets a credential read the metrics; they hold figures of all
// tenants.
const metricsScope = "metrics:read"

const metricsPath = "/metrics"

// serveMetrics adds /metrics, which answers this machine, and anybody with the
// scope.
func (s *Server) serveMetrics() {
	instruments := s.deps.Metrics.Handler()
	s.describeMetrics()
	s.mux.HandleFunc("GET "+metricsPath, func(w http.ResponseWriter, r *http.Request) {
		if !local(r) {
			if err := s.mayReadMetrics(r); err != nil {
				writeProblem(w, r, err)
				return
			}
		}
		instruments.ServeHTTP(w, r)
	})
}

// describeMetrics adds /metrics to the API's description.
func (s *Server) describeMetrics() {
	described := s.describe(operation{
		ID: "metrics", Method: http.MethodGet, Path: metricsPath, Tag: "Health", Scope: metricsScope,
		Summary: "Read the process's instruments", Description: "In Prometheus's text form. Requests from the machine itself that came through no proxy need no credential.",
	}, reflect.TypeFor[struct{}]())
	described.Security = append(described.Security, map[string][]string{})
	for _, status := range []int{http.StatusTooManyRequests, http.StatusUnprocessableEntity} { // it is not limited, and looks at no query
		delete(described.Responses, strconv.Itoa(status))
	}
	described.Responses[strconv.Itoa(http.StatusOK)] = &huma.Response{
		Description: http.StatusText(http.StatusOK),
		Content: map[string]*huma.MediaType{"text/plain": {
			Schema:  &huma.Schema{Type: huma.TypeString},
			Example: "# HELP http_requests_total Requests answered.\n# TYPE http_requests_total counter\nhttp_requests_total{endpoint=\"/api/v1/agents\",method=\"GET\",status=\"200\"} 42\n",
		}},
	}
	s.huma.OpenAPI().AddOperation(&described)
}

// local reports whether a request comes from this machine itself.
func local(r *http.Request) bool {
	for _, name := range forwarding {
		if len(r.Header.Values(name)) > 0 {
			return false
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr) // not the client that a proxy tells of
	return err == nil && peer.Addr().Unmap().IsLoopback()
}

func (s *Server) mayReadMetrics(r *http.Request) error {
	who, err := s.authenticate(r)
	if err != nil {
		return err
	}
	if !who.Can(metricsScope) {
		return fault.New(fault.ScopeRequired, "the scope %s is needed", metricsScope)
	}
	return nil
}
