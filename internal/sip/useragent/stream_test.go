package useragent

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emiago/sipgo/sip"
)

func TestFramer(t *testing.T) {
	message := "OPTIONS sip:x SIP/2.0\r\nl: 5\r\n\r\nhello"
	for name, c := range map[string]struct {
		stream   string
		messages int
		pings    int
		fails    bool
	}{
		"one":               {message, 1, 0, false},
		"two":               {message + message, 2, 0, false},
		"between":           {"\r\n" + message + "\r\n\r\n" + message, 2, 1, false},
		"keep-alives":       {"\r\n\r\n\r\n\r\n", 0, 2, false},
		"half":              {message[:20], 0, 0, false},
		"two lengths":       {"OPTIONS sip:x SIP/2.0\r\nl: 5\r\nContent-Length: 5\r\n\r\nhello", 0, 0, true},
		"a negative one":    {"OPTIONS sip:x SIP/2.0\r\nl: -5\r\n\r\nhello", 0, 0, true},
		"a long one":        {"OPTIONS sip:x SIP/2.0\r\nl: 70000\r\n\r\nhello", 0, 0, true},
		"an endless header": {strings.Repeat("x", maxMessage+1), 0, 0, true},
	} {
		for _, step := range []int{1, 7, len(c.stream)} {
			var f framer
			messages, pings := 0, 0
			var failed error
			for part := range slices.Chunk([]byte(c.stream), step) {
				f.pending = append(f.pending, part...)
				for failed == nil {
					m, p, err := f.next()
					pings += p
					if failed = err; m == nil {
						break
					}
					messages++
				}
			}
			if messages != c.messages || pings != c.pings || (failed != nil) != c.fails {
				t.Errorf("%s, %d bytes at once: %d messages, %d pings, %v", name, step, messages, pings, failed)
			}
		}
	}
}

// message reads one from a connection.
func message(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	var m strings.Builder
	for !strings.HasSuffix(m.String(), "\r\n\r\n") {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		m.WriteString(line)
	}
	length, err := bodyLength([]byte(m.String()))
	if err != nil {
		t.Fatal(err)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r, body); err != nil {
		t.Fatal(err)
	}
	return m.String() + string(body)
}

// TestKeepAliveOverTCP pings a connection, and asks over it.
func TestKeepAliveOverTCP(t *testing.T) {
	a := listening(t, Options{})
	c, err := net.Dial("tcp", a.address.String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Write([]byte("\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	pong := make([]byte, 2)
	if _, err := io.ReadFull(c, pong); err != nil || !bytes.Equal(pong, []byte("\r\n")) {
		t.Errorf("%q, %v", pong, err)
	}
	if _, err := c.Write([]byte("OPTIONS sip:x SIP/2.0\r\nVia: SIP/2.0/TCP x;branch=z9hG4bK1\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if m := message(t, bufio.NewReader(c)); !strings.HasPrefix(m, "SIP/2.0 200 OK\r\n") || !strings.Contains(m, "Allow: INVITE, ACK, CANCEL, BYE") {
		t.Error(m)
	}
	if _, err := c.Write([]byte("GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(pong); err == nil {
		t.Errorf("the connection goes on after what is no message: %q", pong[:n])
	}
}

// TestCallOverTCP makes calls between two user agents over TCP, one of which hangs up after its connection was lost.
func TestCallOverTCP(t *testing.T) {
	o := observe()
	callee, calls := answering(t, o, 183, true, func(c *CallOptions) { c.Permits = func(netip.AddrPort) bool { return true } })
	caller, mine := listening(t, Options{}), observe()
	d := dialling(&script{port: int(callee.address.Port())}, mine)
	d.Targets[0].Transport = TCP
	d.Permits = func(netip.AddrPort) bool { return true }
	c, err := caller.Dial(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	other := within(t, calls, "the call")
	if _, err := other.Hold(context.Background(), true); err != nil {
		t.Error(err)
	}
	caller.mu.Lock()
	flows := values(caller.flows)
	caller.mu.Unlock()
	for _, f := range flows {
		f.close()
	}
	c.Hangup(Reason{})
	if e := within(t, o.ended, "the end"); e.Cause != HungUp {
		t.Errorf("the call ended as %+v", e)
	}
}

// TestLongInvitationGoesOverTCP sends an INVITE of more than 1,300 bytes, to a peer with TCP and to one without.
func TestLongInvitationGoesOverTCP(t *testing.T) {
	for name, tcp := range map[string]bool{"with TCP": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			over := make(chan string, 1)
			o := Options{OnInvite: func(i *Invitation) {
				over <- i.Transport
				i.Reject(486, "")
			}}
			var at netip.AddrPort
			if tcp {
				at = listening(t, o).address
			} else {
				packets, err := net.ListenPacket("udp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				u := New(o)
				go func() { _ = u.ServeUDP(packets) }()
				t.Cleanup(u.Close)
				at, _ = addrPort(packets.LocalAddr())
			}
			a := listening(t, Options{})
			d := dialling(&script{port: int(at.Port())}, observe())
			d.Headers = []sip.Header{sip.NewHeader("X-Long", strings.Repeat("x", 1300))}
			if _, err := a.Dial(context.Background(), d); err == nil {
				t.Error("a refused call was answered")
			}
			if got := within(t, over, "the INVITE"); (got == TCP) != tcp {
				t.Errorf("it came over %s", got)
			}
		})
	}
}

// A target at whose port nobody listens is given up at once: TCP refuses the connection, and over UDP the network reports it.
func TestUnreachableTarget(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing, _ := addrPort(l.Addr())
	_ = l.Close()
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	deaf, _ := addrPort(p.LocalAddr())
	_ = p.Close()
	for _, target := range []Target{{Address: refusing, Transport: TCP}, {Address: deaf, Transport: UDP}} {
		t.Run(target.Transport, func(t *testing.T) {
			a, phone := listening(t, Options{}), answers(t, "out_basic")
			d := dialling(phone, observe())
			d.Targets = append([]Target{target}, d.Targets...)
			began := time.Now()
			c, err := a.Dial(context.Background(), d)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > nextTarget/2 {
				t.Errorf("the next target was reached after %v", took)
			}
			c.Hangup(Reason{"Q.850", 16, ""})
			phone.content(t)
		})
	}
}
