package webhook

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/fault"
)

func TestCheckURL(t *testing.T) {
	for _, c := range []struct {
		url                       string
		good, goodIfPrivateIsFine bool
	}{
		{"https://example.com", true, true},
		{"https://example.com:8443/a?b=c", true, true},
		{"https://8.8.8.8/", true, true},
		{"https://[2606:4700::1111]/", true, true},
		{"https://xn--bcher-kva.example/", true, true},
		{"http://example.com/", false, true},
		{"http://127.0.0.1:9000/", false, true},
		{"https://localhost/", false, true},
		{"https://api.localhost./", false, true},
		{"https://metadata.google.internal/", false, true},
		{"", false, false},
		{"example.com/hook", false, false},
		{"/hook", false, false},
		{"https:///hook", false, false},
		{"https:example.com", false, false},
		{"https://u@example.com/", false, false},
		{"https://u:p@example.com/", false, false},
		{"ftp://example.com/", false, false},
		{"file:///etc/passwd", false, false},
		{"gopher://example.com/", false, false},
		{"https://exa mple.com/", false, false},
		{"https://example.com/" + strings.Repeat("a", maxURL), false, false},
	} {
		if problem := checkURL(c.url, false); (problem == "") != c.good {
			t.Errorf("%s: %q", c.url, problem)
		}
		if problem := checkURL(c.url, true); (problem == "") != c.goodIfPrivateIsFine {
			t.Errorf("%s, private networks allowed: %q", c.url, problem)
		}
	}
}

// privateHosts are notations of places that a tenant must not reach.
var privateHosts = []string{
	"127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "10.255.255.254", "172.16.0.1", "172.31.255.1", "192.168.1.1", "169.254.169.254",
	"100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255",
	"[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[::127.0.0.1]", "[::7f00:1]",
	"[64:ff9b::7f00:1]", "[64:ff9b::127.0.0.1]", "[64:ff9b:1::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2001::7f00:1]", "[2001:db8::1]",
	"[fe80::1]", "[fe80::1%25lo]", "[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[ff02::1]", "[100::1]", "[3fff::1]", "[::ffff:0:127.0.0.1]",
	"2130706433", "017700000001", "0x7f000001", "0x7f.0.0.1", "0x7f.1", "0177.0.0.1", "127.1", "127.0.1", "0", "0x0", "127.0.0.1.", "2852039166", "0xa9fea9fe", "169.254.43518", "00000177.0.0.1",
	"rebound.example", "127.0.0.1.nip.io", "localhost", "LOCALHOST", "localhost.", "foo.localhost", "localhost.localdomain", "ip6-localhost.local", "printer.lan", "metadata.google.internal", "1.0.0.127.in-addr.arpa",
}

// rebound is a resolver for which every name is this machine's loopback
// address, as an attacker's name server has it.
var rebound = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		for {
			var size [2]byte // a stream's messages have their length in front: RFC 1035 4.2.2
			if _, err := io.ReadFull(far, size[:]); err != nil {
				return
			}
			query := make([]byte, int(size[0])<<8|int(size[1]))
			if _, err := io.ReadFull(far, query); err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(query) != nil {
				return
			}
			m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
			for _, q := range m.Questions {
				r := dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}}
				switch q.Type {
				case dnsmessage.TypeA:
					r.Body = &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}}
				case dnsmessage.TypeAAAA:
					r.Body = &dnsmessage.AAAAResource{AAAA: [16]byte(net.IPv6loopback)}
				default:
					continue
				}
				m.Answers = append(m.Answers, r)
			}
			answer, err := m.Pack()
			if err != nil {
				return
			}
			if _, err := far.Write(append([]byte{byte(len(answer) >> 8), byte(len(answer))}, answer...)); err != nil {
				return
			}
		}
	}()
	return near, nil
}}

// Neither the check of the URL nor the dialer lets a delivery through to a
// private place: the check is passed by here, as by a name that changes its
// address (DNS rebinding) after it was saved.
func TestPrivateAddressesAreNotReached(t *testing.T) {
	var reached atomic.Int64
	guarded := map[string]string{} // address family → port
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil && address == "[::1]:0" {
			continue // a machine without IPv6
		}
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		_, guarded[address], _ = net.SplitHostPort(l.Addr().String())
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				reached.Add(1)
				c.Close()
			}
		}()
	}
	client := &http.Client{Transport: newTransport(false, rebound), Timeout: 2 * time.Second}
	defer client.CloseIdleConnections()
	if len(privateHosts) < 60 {
		t.Fatalf("only %d notations", len(privateHosts))
	}
	for _, host := range privateHosts {
		name := host == "rebound.example" || strings.HasSuffix(host, ".nip.io") // nothing to be seen from the name
		if problem := checkURL("https://"+host+"/hook", false); problem == "" && !name {
			t.Errorf("%s is taken for a public host", host)
		}
		for _, port := range guarded {
			for _, scheme := range []string{"http", "https"} {
				response, err := client.Post(scheme+"://"+host+":"+port+"/hook", "application/json", strings.NewReader("{}"))
				if err == nil {
					response.Body.Close()
					t.Errorf("%s://%s answered", scheme, host)
				}
			}
		}
	}
	// The listener is there: who may, reaches it, by a name too.
	open := &http.Client{Transport: newTransport(true, rebound), Timeout: 2 * time.Second}
	defer open.CloseIdleConnections()
	before := reached.Load()
	if response, err := open.Get("http://rebound.example:" + guarded["127.0.0.1:0"]); err == nil {
		response.Body.Close()
	}
	for deadline := time.Now().Add(2 * time.Second); reached.Load() == before && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	if before != 0 || reached.Load() == 0 {
		t.Errorf("guarded listener: %d connections where none may be, %d in all", before, reached.Load())
	}
	for _, metadata := range []string{"http://169.254.169.254/", "http://[fe80::1]/", "http://0.0.0.0:" + guarded["127.0.0.1:0"]} {
		if response, err := open.Get(metadata); err == nil {
			response.Body.Close()
			t.Errorf("%s was reached", metadata)
		} else if !strings.Contains(err.Error(), errRefused.Error()) {
			t.Errorf("%s: %v", metadata, err)
		}
	}
}

// A delivery to a refused address fails at once and says no more than that.
func TestRefusedDelivery(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		h := newHouse(t, db)
		r := newReceiver(t)
		h.configure(acme, r, nil)
		h.append(acme, event.CallStarted, 1)
		h.options.AllowPrivate = false
		h.deliver()
		d := h.settled(acme)[0]
		if d.Status != Failed || d.Attempts != 1 || *d.Error != errRefused.Error() || len(r.arrivals) != 0 {
			t.Errorf("%+v", d)
		}
		_, _, err := NewSettings(db, newSealer(t), false).Put(context.Background(), acme, []byte(`{"url":"`+r.url+`"}`))
		if !fault.Is(err, fault.Validation) {
			t.Errorf("saving a private URL: %v", err)
		}
	})
}
