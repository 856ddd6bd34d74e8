package api

import (
	"net/http"
	"net/netip"
	"time"

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

// serveMetrics adds /metrics, which answers this machine, and anybody with the
// scope.
func (s *Server) serveMetrics() {
	instruments := s.deps.Metrics.Handler()
	s.mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if !local(r) {
			if err := s.mayReadMetrics(r); err != nil {
				writeProblem(w, r, err)
				return
			}
		}
		instruments.ServeHTTP(w, r)
	})
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
