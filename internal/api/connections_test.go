package api

import (
	"bufio"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"testing"

	"parley/internal/fault"
)

func TestConnectionsAreBounded(t *testing.T) {
	proxy := netip.MustParseAddr("10.0.0.1")
	c := newConnections(ConnectionLimits{Total: 6, PerAddress: 2, Proxies: []netip.Prefix{netip.PrefixFrom(proxy, 32)}}, slog.New(slog.DiscardHandler))
	open := func(address string, want fault.Code) (closed func()) {
		t.Helper()
		from, _ := netip.ParseAddr(address)
		closed, err := c.open(from)
		if want == "" && err != nil || want != "" && !fault.Is(err, want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
		return closed
	}
	first := open("192.0.2.1", "")
	open("::ffff:192.0.2.1", "")
	open("192.0.2.1", fault.RateLimitExceeded)
	first()
	first()
	open("192.0.2.1", "")
	open("192.0.2.1", fault.RateLimitExceeded)
	six := open("2001:db8::1", "")
	open("2001:db8::2", "")
	open("2001:db8::3", fault.RateLimitExceeded)
	six()
	for range 3 {
		open("10.0.0.1", "")
	}
	open("198.51.100.1", fault.ServiceUnavailable)
	open("", fault.ServiceUnavailable)
}

// A refused connection is answered, and one that is closed makes room.
func TestListenerRefusesConnections(t *testing.T) {
	s := newThings(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	server := HTTPServer(s, log)
	go func() {
		_ = server.Serve(Listener(l, ConnectionLimits{PerAddress: 1}, nil, log)) // ends with Close
	}()
	t.Cleanup(func() { _ = server.Close() })
	connect := func() (net.Conn, *http.Response) {
		t.Helper()
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = conn.Write([]byte("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"))
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return conn, nil // a reset may overtake the answer
		}
		return conn, answer
	}
	first, answer := connect()
	if answer == nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("the first: %v", answer)
	}
	if _, answer = connect(); answer != nil && (answer.StatusCode != http.StatusTooManyRequests || answer.Header.Get("Retry-After") != "5") {
		t.Errorf("the second: %v", answer)
	}
	_ = first.Close()
	for {
		if _, answer = connect(); answer != nil && answer.StatusCode == http.StatusOK {
			return
		}
	}
}
