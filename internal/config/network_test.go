package config

import (
	"strings"
	"testing"
	"time"
)

func TestNetworkSettings(t *testing.T) {
	// sound is a server with nothing to refuse.
	sound := func() Server {
		return Server{Addr: "127.0.0.1:8080", RTCPort: 1, RTCTCPPort: 1, RTCUDPPort: 1, SIPPort: new(1), SIPRTPPorts: "10000-20000", JoinTimeout: time.Minute, RingTimeout: time.Minute, MaxCallDuration: time.Minute, SilenceTimeout: time.Minute}
	}
	for _, c := range []struct {
		variable string
		set      func(*Server)
	}{
		{"REDIS_URL", func(s *Server) { s.RedisURL = "localhost:6379" }},
		{"REDIS_URL", func(s *Server) { s.RedisURL = "redis://me:hush@host/base" }},
		{"PARLEY_MAX_CONNECTIONS", func(s *Server) { s.MaxConnections = -1 }},
		{"PARLEY_MAX_CONNECTIONS_PER_ADDRESS", func(s *Server) { s.MaxConnectionsPerAddress = -1 }},
		{"PARLEY_SESSION_RATE_LIMIT", func(s *Server) { s.SessionRateLimit = -1 }},
		{"PARLEY_MAX_KEY_RATE_LIMIT", func(s *Server) { s.MaxKeyRateLimit = -1 }},
		{"PARLEY_SSE_STREAMS_PER_TENANT", func(s *Server) { s.StreamsPerTenant = -1 }},
		{"PARLEY_TRUSTED_PROXIES", func(s *Server) { s.TrustedProxies = []string{"10.0.0.0/8", "proxy"} }},
		{"PARLEY_TRUSTED_PROXIES", func(s *Server) { s.TrustedProxies = []string{"10.0.0.0/33"} }},
		{"PARLEY_CORS_ORIGINS", func(s *Server) { s.CORSOrigins = []string{"app.example.com"} }},
		{"PARLEY_CORS_ORIGINS", func(s *Server) { s.CORSOrigins = []string{"https://app.example.com/"} }},
		{"PARLEY_CORS_ORIGINS", func(s *Server) { s.CORSOrigins = []string{"https://*.example.com"} }},
		{"PARLEY_CORS_ORIGINS", func(s *Server) { s.CORSOrigins = []string{"*", "https://app.example.com"} }},
		{"PARLEY_CORS_ORIGINS", func(s *Server) { s.CORSOrigins = []string{"null"} }},
		{"PARLEY_CORS_ORIGINS", func(s *Server) { s.CORSOrigins = []string{"https://"} }},
		{"OTEL_EXPORTER_OTLP_ENDPOINT", func(s *Server) { s.OTLPEndpoint = "localhost:4317" }},
	} {
		s := sound()
		c.set(&s)
		err := s.Check()
		if err == nil || !strings.HasPrefix(err.Error(), c.variable+": ") || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "hush") {
			t.Errorf("got %v, want one line about %s", err, c.variable)
		}
	}
	s := sound()
	s.RedisURL, s.SessionRateLimit, s.OTLPEndpoint = "redis://me:hush@host:6379/1", 100, "http://127.0.0.1:4318"
	s.TrustedProxies = []string{"10.0.0.0/8", " 192.0.2.1", "2001:db8::/32"}
	s.CORSOrigins = []string{"https://app.example.com", "http://localhost:3000", "https://[2001:db8::1]:8443"}
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	if got := s.Proxies(); len(got) != 3 || got[1].String() != "192.0.2.1/32" {
		t.Errorf("proxies %v", got)
	}
	if s.Secure() {
		t.Error("plain http is taken for https")
	}
	s.PublicURL, s.CORSOrigins = "https://voice.example.com", []string{AllOrigins}
	if err := s.Check(); err != nil || !s.Secure() {
		t.Errorf("https: %v, %v", s.Secure(), err)
	}
}

func TestKeysOfAPIKeysFollowTheEncryptionKeys(t *testing.T) {
	one, two := strings.Repeat("1", 32), strings.Repeat("2", 32)
	prepare := func(current string, old ...string) [][]byte {
		s := Store{DataDir: t.TempDir(), EncryptionKey: current, EncryptionKeysOld: old}
		secrets, err := s.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		return secrets.APIKeys
	}
	before, after := prepare(one), prepare(two, one)
	if len(before) != 1 || len(after) != 2 || string(after[1]) != string(before[0]) || string(after[0]) == string(after[1]) || string(before[0]) == one {
		t.Errorf("keys %x, after the rotation %x", before, after)
	}
}

func TestReachable(t *testing.T) {
	for _, c := range []struct{ addr, public, want string }{
		{"127.0.0.1:8080", "", "http://127.0.0.1:8080"},
		{":8080", "", ""},
		{"0.0.0.0:8080", "", ""},
		{"[::]:8080", "", ""},
		{"voice.local:8080", "", "http://voice.local:8080"},
		{":8080", "https://voice.example.com/", "https://voice.example.com"},
	} {
		s := Server{Addr: c.addr, PublicURL: c.public}
		if got := s.Reachable(); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
