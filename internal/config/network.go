package config

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"parley/internal/redis"
)

// AllOrigins in PARLEY_CORS_ORIGINS allows every origin.
const AllOrigins = "*"

// minMetricsToken is the minimum length of PARLEY_METRICS_TOKEN.
const minMetricsToken = 16

// checkNetwork validates the settings of Redis, proxies, CORS and tracing.
func (s *Server) checkNetwork() error {
	if s.RedisURL != "" {
		if _, err := redis.Parse(s.RedisURL); err != nil {
			return wrong("REDIS_URL", "%v", err)
		}
	}
	if s.MaxConnections < 0 {
		return wrong("PARLEY_MAX_CONNECTIONS", "%d is no number of connections, want 0 or more", s.MaxConnections)
	}
	if s.MaxConnectionsPerAddress < 0 {
		return wrong("PARLEY_MAX_CONNECTIONS_PER_ADDRESS", "%d is no number of connections, want 0 or more", s.MaxConnectionsPerAddress)
	}
	for variable, address := range map[string]string{"PARLEY_METRICS_ADDR": s.MetricsAddr, "PARLEY_WORKER_ADDR": s.WorkerAddr} {
		if _, _, err := net.SplitHostPort(address); err != nil && address != "" {
			return wrong(variable, "%q is not host:port", address)
		}
	}
	if n := len(s.MetricsToken); n > 0 && (n < minMetricsToken || !keyForm.MatchString(s.MetricsToken)) {
		return wrong("PARLEY_METRICS_TOKEN", "must have at least %d characters, of visible ASCII", minMetricsToken)
	}
	if s.SessionRateLimit < 0 {
		return wrong("PARLEY_SESSION_RATE_LIMIT", "%d is no number of requests, want 0 or more", s.SessionRateLimit)
	}
	if s.MaxKeyRateLimit < 0 {
		return wrong("PARLEY_MAX_KEY_RATE_LIMIT", "%d is no number of requests, want 1 or more", s.MaxKeyRateLimit)
	}
	if s.StreamsPerTenant < 0 {
		return wrong("PARLEY_SSE_STREAMS_PER_TENANT", "%d is no number of streams, want 1 or more", s.StreamsPerTenant)
	}
	for _, text := range s.TrustedProxies {
		if _, err := network(text); err != nil {
			return wrong("PARLEY_TRUSTED_PROXIES", "%q is no address and no network such as 10.0.0.0/8", text)
		}
	}
	if err := s.checkPhone(); err != nil {
		return err
	}
	if err := s.OIDC.check(); err != nil {
		return err
	}
	for _, text := range s.CORSOrigins {
		if text == AllOrigins && len(s.CORSOrigins) > 1 {
			return wrong("PARLEY_CORS_ORIGINS", "* stands alone, it means every origin")
		}
		if text != AllOrigins && !origin(text) {
			return wrong("PARLEY_CORS_ORIGINS", "%q is no origin such as https://app.example.com", text)
		}
	}
	if s.OTLPEndpoint != "" {
		u, err := url.Parse(s.OTLPEndpoint)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return wrong("OTEL_EXPORTER_OTLP_ENDPOINT", "want an address such as http://127.0.0.1:4318 (OTLP over HTTP)")
		}
	}
	return nil
}

// Proxies returns the networks whose X-Forwarded-For is trusted.
func (s *Server) Proxies() []netip.Prefix {
	var proxies []netip.Prefix
	for _, text := range s.TrustedProxies {
		if n, err := network(text); err == nil {
			proxies = append(proxies, n)
		}
	}
	return proxies
}

// Secure reports whether clients reach the server over https.
func (s *Server) Secure() bool { return strings.HasPrefix(s.Public(), "https://") }

// network parses a network, or an address as a network of one address.
func network(text string) (netip.Prefix, error) {
	text = strings.TrimSpace(text)
	if address, err := netip.ParseAddr(text); err == nil {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	return netip.ParsePrefix(text)
}

// origin reports whether a text is an origin as browsers send it (RFC 6454): scheme, host, and a port unless it is
// the default.
func origin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && u.Hostname() != "" && slices.Contains([]string{"http", "https"}, u.Scheme) &&
		u.Scheme+"://"+u.Host == text && !strings.Contains(text, "*")
}
