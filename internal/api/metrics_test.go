package api

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/fault"
	"parley/internal/metrics"
)

func newMeasured(t *testing.T) *service {
	return newService(t, func(d *Deps) { d.Metrics, d.MetricsToken = metrics.New(), "the operator's token" })
}

// from sends a request as from a peer's address. Headers come in pairs.
func (s *service) from(peer, target, credential string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.RemoteAddr, r.Host = peer, "localhost:8080"
	if credential != "" {
		r.Header.Set("X-API-Key", s.credentials[credential])
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	r.Host = cmp.Or(r.Header.Get("Host"), r.Host)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestWhoReadsMetrics(t *testing.T) {
	s := newMeasured(t)
	s.key("reader", acme, "metrics:read")
	s.key("caller", acme, "calls:*", "analytics:read")
	for _, c := range []struct {
		peer, credential string
		headers          []string
		status           int
		code             fault.Code
		tenant           bool // sees its own series alone
	}{
		{peer: "127.0.0.1:1234", status: 200},
		{peer: "[::1]:1234", status: 200},
		{peer: "[::ffff:127.0.0.9]:1234", status: 200},
		{peer: "127.0.0.1:1234", headers: []string{"Host", "127.0.0.9:8080"}, status: 200},
		{peer: "[::1]:1234", headers: []string{"Host", "[::1]:8080"}, status: 200},
		{peer: "127.0.0.1:1234", headers: []string{"Host", "rebinding.example.com:8080"}, status: 401, code: fault.Authentication},
		{peer: "127.0.0.1:1234", headers: []string{"Host", "192.0.2.9"}, status: 401, code: fault.Authentication},
		{peer: "127.0.0.1:1234", headers: []string{"X-Forwarded-For", ""}, status: 401, code: fault.Authentication},
		{peer: "127.0.0.1:1234", headers: []string{"Forwarded", "for=127.0.0.1"}, status: 401, code: fault.Authentication},
		{peer: "127.0.0.1:1234", headers: []string{"X-Real-IP", "127.0.0.1"}, status: 401, code: fault.Authentication},
		{peer: "127.0.0.1:1234", headers: []string{"Via", "1.1 proxy"}, status: 401, code: fault.Authentication},
		{peer: "127.0.0.1:1234", credential: "reader", headers: []string{"Via", "1.1 proxy"}, status: 200, tenant: true},
		{peer: "127.0.0.1:1234", credential: "reader", status: 200, tenant: true},
		{peer: "127.0.0.1:1234", credential: "caller", status: 403, code: fault.ScopeRequired},
		{peer: "192.0.2.1:1234", headers: []string{"Authorization", "Bearer the operator's token"}, status: 200},
		{peer: "192.0.2.1:1234", headers: []string{"Authorization", "Bearer the operator's"}, status: 401, code: fault.InvalidToken},
		{peer: "192.0.2.1:1234", headers: []string{"Authorization", "Basic the operator's token"}, status: 401, code: fault.Authentication},
		{peer: "192.0.2.1:1234", headers: []string{"Authorization", "Bearer "}, status: 401, code: fault.Authentication},
		{peer: "192.0.2.1:1234", status: 401, code: fault.Authentication},
		{peer: "192.0.2.1:1234", headers: []string{"X-Forwarded-For", "127.0.0.1"}, status: 401, code: fault.Authentication},
		{peer: "not an address", status: 401, code: fault.Authentication},
		{peer: "192.0.2.1:1234", credential: "reader", status: 200, tenant: true},
		{peer: "192.0.2.1:1234", credential: "full", status: 200, tenant: true},
		{peer: "192.0.2.1:1234", credential: "caller", status: 403, code: fault.ScopeRequired},
	} {
		w := s.from(c.peer, "/metrics", c.credential, c.headers...)
		if c.code != "" {
			s.refused(w, c.status, c.code)
			continue
		}
		s.want(w, c.status, nil)
		if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/plain; version=0.0.4") || strings.Contains(w.Body.String(), "\ngo_goroutines ") == c.tenant || !strings.Contains(w.Body.String(), "\ncalls_total{") {
			t.Errorf("%s: %s %.80s", c.peer, kind, w.Body)
		}
	}
}

func TestRequestsAreCountedByRoute(t *testing.T) {
	s := newMeasured(t)
	const loopback = "127.0.0.1:1"
	s.want(s.from(loopback, "/health/live", ""), http.StatusOK, nil)
	s.want(s.from(loopback, "/api/v1/auth/me", "nobody"), http.StatusUnauthorized, nil)
	s.want(s.from(loopback, "/secret-path-of-a-user", ""), http.StatusNotFound, nil)
	s.want(s.from(loopback, "/another", ""), http.StatusNotFound, nil)
	s.want(s.from(loopback, "/docs/app.js?token=1", ""), http.StatusOK, nil)
	s.want(s.do("full", "BREW", "/health/live", ""), http.StatusMethodNotAllowed, nil)
	text := s.from(loopback, "/metrics", "").Body.String()
	for _, line := range []string{
		`http_requests_total{endpoint="/health/live",method="GET",status="200"} 1`,
		`http_requests_total{endpoint="/api/v1/auth/me",method="GET",status="401"} 1`,
		`http_requests_total{endpoint="/docs/{name}",method="GET",status="200"} 1`,
		`http_requests_total{endpoint="_none",method="GET",status="404"} 2`,
		`http_requests_total{endpoint="_none",method="_other",status="405"} 1`,
		`http_request_duration_seconds_count{endpoint="/health/live",method="GET",status="200"} 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("no %s in\n%s", line, text)
		}
	}
	if strings.Contains(text, "secret-path") {
		t.Error("a raw path is a label")
	}
}

// A tenant's requests are in its own series, and nobody else's are.
func TestTenantReadsItsOwnMetrics(t *testing.T) {
	s := newMeasured(t)
	s.want(s.do("full", http.MethodGet, "/api/v1/auth/me", ""), http.StatusOK, nil)
	s.want(s.do("stranger", http.MethodGet, "/api/v1/agents", ""), http.StatusOK, nil)
	own := s.from("192.0.2.1:1", "/metrics", "full").Body.String()
	if !strings.Contains(own, `endpoint="/api/v1/auth/me"`) || strings.Contains(own, `endpoint="/api/v1/agents"`) {
		t.Errorf("the tenant sees %s", own)
	}
}

func TestOperatorListener(t *testing.T) {
	s := newMeasured(t)
	for path, status := range map[string]int{"/metrics": 200, "/health": 200, "/health/live": 200, "/health/ready": 200, "/api/v1/agents": 404, "/docs": 404, "/": 404} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		w := httptest.NewRecorder()
		s.Operator().ServeHTTP(w, r)
		if w.Code != status {
			t.Errorf("%s: %d, want %d", path, w.Code, status)
		}
	}
}
