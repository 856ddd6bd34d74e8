package sip

import (
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/fault"
)

// answerOptions answers each OPTIONS over UDP with the texts given, after losing the first request.
func answerOptions(t *testing.T, answers ...string) string {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		packet := make([]byte, 4096)
		for asked := 0; ; asked++ {
			n, from, err := conn.ReadFrom(packet)
			if err != nil {
				return
			}
			if asked == 0 || !strings.HasPrefix(string(packet[:n]), "OPTIONS sip:") {
				continue
			}
			for _, a := range answers {
				_, _ = conn.WriteTo([]byte(a+"\r\nContent-Length: 0\r\n\r\n"), from)
			}
		}
	}()
	return conn.LocalAddr().String()
}

// probe probes a trunk once.
func probe(t *testing.T, o ProberOptions, trunk Trunk) ProbeResult {
	t.Helper()
	p, err := NewProber(o)
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.Probe(t.Context(), "acme", &trunk)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestProbe(t *testing.T) {
	for _, c := range []struct {
		answers []string
		status  int
		detail  string
	}{
		{[]string{"SIP/2.0 100 Trying", "SIP/2.0 200 OK"}, 200, "The trunk responds."},
		{[]string{"SIP/2.0 401 Unauthorized"}, 401, "requires credentials"},
		{[]string{"SIP/2.0 405 Method Not Allowed"}, 405, "rejects OPTIONS"},
	} {
		got := probe(t, ProberOptions{AllowPrivate: true}, Trunk{Address: answerOptions(t, c.answers...), Transport: UDP})
		if !got.Reached || got.Status != c.status || !strings.Contains(got.Detail, c.detail) {
			t.Errorf("%v: got %+v", c.answers, got)
		}
	}
}

func TestProbeOverTCP(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		packet := make([]byte, 4096)
		if n, _ := conn.Read(packet); strings.Contains(string(packet[:n]), "Via: SIP/2.0/TCP ") {
			_, _ = conn.Write([]byte("SIP/2.0 100 Trying\r\nContent-Length: 0\r\n\r\nSIP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n"))
		}
	}()
	if got := probe(t, ProberOptions{AllowPrivate: true}, Trunk{Address: l.Addr().String(), Transport: TCP}); !got.Reached || got.Status != 200 {
		t.Errorf("got %+v", got)
	}
}

// A trunk at an address that is not permitted is not probed; an unreachable trunk is distinguished from one that answers.
func TestProbeRefused(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	_ = l.Close()
	for _, c := range []struct {
		options   ProberOptions
		address   string
		transport Transport
		detail    string
	}{
		{ProberOptions{}, "127.0.0.1:5060", UDP, "not a permitted one"},
		{ProberOptions{LoopbackOnly: true}, "203.0.113.1", UDP, "bound to the loopback interface"},
		{ProberOptions{AllowPrivate: true}, "trunk.invalid", UDP, "cannot be found"},
		{ProberOptions{AllowPrivate: true}, closed, TCP, "cannot be reached over TCP"},
	} {
		got := probe(t, c.options, Trunk{Address: c.address, Transport: c.transport})
		if got.Reached || got.Status != 0 || !strings.Contains(got.Detail, c.detail) {
			t.Errorf("%s: got %+v", c.address, got)
		}
	}
}

// A tenant probes 10 times a minute, all tenants one address 30 times, and nothing is sent beyond.
func TestProbesAreLimited(t *testing.T) {
	p, err := NewProber(ProberOptions{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	trunk := &Trunk{Address: "127.0.0.1:9", Transport: TCP}
	refused := map[string]int{}
	for _, tenant := range []string{"a", "b", "c", "d"} {
		for range maxProbes + 1 {
			if _, err := p.Probe(t.Context(), tenant, trunk); fault.Is(err, fault.RateLimitExceeded) {
				refused[tenant]++
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"a": 1, "b": 1, "c": 1, "d": maxProbes + 1}, refused); diff != "" {
		t.Errorf("refused probes of each tenant (-want +got):\n%s", diff)
	}
}
