package api

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"parley/internal/fault"
)

func TestClientAddress(t *testing.T) {
	inner := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:aa::/48"), netip.MustParsePrefix("127.0.0.1/32")}
	for _, c := range []struct {
		name, peer string
		forwarded  []string
		trusted    []netip.Prefix
		want       string
	}{
		{"no proxy", "192.0.2.1:1234", nil, inner, "192.0.2.1"},
		{"nobody is trusted", "127.0.0.1:1", []string{"203.0.113.9"}, nil, "127.0.0.1"},
		{"a stranger makes it up", "192.0.2.1:1234", []string{"203.0.113.9"}, inner, "192.0.2.1"},
		{"one proxy", "10.1.2.3:1", []string{"203.0.113.9"}, inner, "203.0.113.9"},
		{"what the client sent along", "10.1.2.3:1", []string{"198.51.100.7, 203.0.113.9"}, inner, "203.0.113.9"},
		{"two proxies, two lines", "10.1.2.3:1", []string{"198.51.100.7, 203.0.113.9", "10.9.9.9"}, inner, "203.0.113.9"},
		{"all are proxies", "10.1.2.3:1", []string{"10.0.0.8,10.0.0.9"}, inner, "10.0.0.8"},
		{"no header", "10.1.2.3:1", nil, inner, "10.1.2.3"},
		{"nonsense", "10.1.2.3:1", []string{"203.0.113.9, unknown"}, inner, "10.1.2.3"},
		{"nonsense before a proxy", "10.1.2.3:1", []string{"' OR 1, 10.0.0.9"}, inner, "10.0.0.9"},
		{"with a port", "10.1.2.3:1", []string{"203.0.113.9:4711"}, inner, "203.0.113.9"},
		{"IPv6", "[2001:db8:aa::1]:1", []string{"2001:db8:bb::7"}, inner, "2001:db8:bb::7"},
		{"IPv6 with a port", "[2001:db8:aa::1]:1", []string{"[2001:db8:bb::7]:80"}, inner, "2001:db8:bb::7"},
		{"IPv4 in IPv6", "[::ffff:10.1.2.3]:1", []string{"::ffff:203.0.113.9"}, inner, "203.0.113.9"},
		{"no peer", "@", []string{"203.0.113.9"}, inner, "invalid IP"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		r.Header["X-Forwarded-For"] = c.forwarded
		if got := clientAddress(r, c.trusted); got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Behind a trusted proxy each client has its own count of failed sign-ins.
func TestSignInsBehindAProxy(t *testing.T) {
	s := newService(t, func(d *Deps) { d.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")} }) // httptest's peer
	fail := func(i int, from string) int {
		return s.do("", http.MethodPost, "/api/v1/auth/login", `{"email":"u`+string(rune('a'+i%26))+string(rune('a'+i/26))+`@example.org","password":"wrong"}`, "X-Forwarded-For", from).Code
	}
	failures := 0
	for failures < 26*26 && fail(failures, "203.0.113.9") == http.StatusUnauthorized {
		failures++
	}
	if failures < 30 || failures == 26*26 { // Redis counts by its own clock: some may have been forgotten meanwhile
		t.Errorf("refused after %d failures from one address", failures)
	}
	w := s.do("", http.MethodPost, "/api/v1/auth/login", `{"email":"z@example.org","password":"wrong"}`, "X-Forwarded-For", "203.0.113.10")
	s.refused(w, http.StatusUnauthorized, fault.Authentication)
}
