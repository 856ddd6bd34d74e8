package netguard

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
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
		{"https://example.com:65535/", true, true},
		{"https://example.com:65536/", false, false},
		{"https://example.com:99999/", false, false},
		{"https://example.com:0/", false, false},
		{"https://example.com:18446744073709551617/", false, false},
	} {
		if problem := CheckURL(c.url, false); (problem == "") != c.good {
			t.Errorf("%s: %q", c.url, problem)
		}
		if problem := CheckURL(c.url, true); (problem == "") != c.goodIfPrivateIsFine {
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
	"localhost", "LOCALHOST", "localhost.", "foo.localhost", "localhost.localdomain", "ip6-localhost.local", "printer.lan", "metadata.google.internal", "1.0.0.127.in-addr.arpa",
}

// privateNames resolve to private addresses, which their spelling does not show.
var privateNames = []string{"rebound.example", "127.0.0.1.nip.io", "rebound.example."}

var (
	v4here = netip.MustParseAddr("127.0.0.1")
	// elsewhere is a public address. No test connects to it.
	elsewhere = netip.MustParseAddr("93.184.215.14")
)

// resolver is a name server for which each name has the address that answer
// gives, asked for the nth time, and is this machine in IPv6. Nothing of it
// leaves the process.
func resolver(answer func(n int64) netip.Addr) *net.Resolver {
	var asked atomic.Int64
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
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
						r.Body = &dnsmessage.AResource{A: answer(asked.Add(1)).As4()}
					case dnsmessage.TypeAAAA:
						if answer(0) != v4here {
							continue
						}
						r.Body = &dnsmessage.AAAAResource{AAAA: [16]byte(net.IPv6loopback)}
					default:
						continue
					}
					m.Answers = append(m.Answers, r)
				}
				packed, err := m.Pack()
				if err != nil {
					return
				}
				if _, err := far.Write(append([]byte{byte(len(packed) >> 8), byte(len(packed))}, packed...)); err != nil {
					return
				}
			}
		}()
		return near, nil
	}}
}

// always answers with this machine, as an attacker's name server has it.
func always(int64) netip.Addr { return v4here }

var errKept = errors.New("kept on this machine")

// kept is the guard, and behind it a wall: what the guard permits and is not
// this machine is counted and goes no further.
func kept(allowPrivate bool, permitted *atomic.Int64) control {
	guarded := guard(allowPrivate)
	return func(network, address string, c syscall.RawConn) error {
		if err := guarded(network, address, c); err != nil {
			return err
		}
		if to, err := netip.ParseAddrPort(address); err != nil || !to.Addr().Unmap().IsLoopback() {
			permitted.Add(1)
			return errKept
		}
		return nil
	}
}

// listener is a place that must not be reached: it counts who does. Its ports
// are those of this machine in IPv4 and, where there is one, IPv6.
func listener(t *testing.T) (reached *atomic.Int64, ports []string) {
	reached = new(atomic.Int64)
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil && address == "[::1]:0" {
			continue // a machine without IPv6
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		_, port, _ := net.SplitHostPort(l.Addr().String())
		ports = append(ports, port)
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
	return reached, ports
}

func client(t *testing.T, o Options, permitted *atomic.Int64) *http.Client {
	c := NewClient(newTransport(o, kept(o.AllowPrivate, permitted)))
	c.Timeout = 5 * time.Second
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// Neither the check of the URL nor the dialer lets a request through to a
// private place: the check is passed by here, as by a name that changes its
// address (DNS rebinding) after it was saved.
func TestPrivateAddressesAreNotReached(t *testing.T) {
	reached, ports := listener(t)
	var permitted atomic.Int64
	closed := client(t, Options{Resolver: resolver(always)}, &permitted)
	if n := len(privateHosts) + len(privateNames); n < 60 {
		t.Fatalf("only %d notations", n)
	}
	for _, host := range privateHosts {
		if CheckURL("https://"+host+"/hook", false) == "" {
			t.Errorf("%s is taken for a public host", host)
		}
	}
	for _, host := range append(privateHosts, privateNames...) {
		for _, port := range ports {
			for _, scheme := range []string{"http", "https"} {
				response, err := closed.Post(scheme+"://"+host+":"+port+"/hook", "application/json", strings.NewReader("{}"))
				if err == nil {
					response.Body.Close()
					t.Errorf("%s://%s answered", scheme, host)
				}
			}
		}
	}
	if n := permitted.Load(); n != 0 {
		t.Errorf("%d requests were let out", n)
	}
	// The listener is there: who may, reaches it, by a name too.
	open := client(t, Options{AllowPrivate: true, Resolver: resolver(always)}, &permitted)
	before := reached.Load()
	if response, err := open.Get("http://rebound.example:" + ports[0]); err == nil {
		response.Body.Close()
	}
	for deadline := time.Now().Add(10 * time.Second); reached.Load() == before && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	}
	if before != 0 || reached.Load() == 0 {
		t.Errorf("guarded listener: %d connections where none may be, %d in all", before, reached.Load())
	}
}

// Where private networks are allowed, the places where clouds keep their
// credentials stay closed.
func TestMetadataStaysClosed(t *testing.T) {
	var permitted atomic.Int64
	open := client(t, Options{AllowPrivate: true}, &permitted)
	for _, host := range []string{"169.254.169.254", "[fe80::1]", "0.0.0.0", "[::]", "224.0.0.1", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]"} {
		response, err := open.Get("http://" + host + ":9/")
		if err == nil {
			response.Body.Close()
		}
		if !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", host, err)
		}
	}
	for _, host := range []string{"10.1.2.3", "192.168.0.9", "100.64.7.7", "[fd00::1]"} {
		response, err := open.Get("http://" + host + ":9/")
		if err == nil {
			response.Body.Close()
		}
		if !errors.Is(err, errKept) {
			t.Errorf("%s, a private network: %v", host, err)
		}
	}
	if permitted.Load() == 0 {
		t.Error("no private address was permitted")
	}
}

// A name that is public when it is first asked for and private from then on
// is judged by the address that is dialled, each time.
func TestRebinding(t *testing.T) {
	reached, ports := listener(t)
	var permitted atomic.Int64
	c := client(t, Options{Resolver: resolver(func(n int64) netip.Addr {
		if n <= 1 {
			return elsewhere
		}
		return v4here
	})}, &permitted)
	for n, want := range []error{errKept, ErrRefused, ErrRefused} {
		response, err := c.Get("http://turns.example:" + ports[0])
		if err == nil {
			response.Body.Close()
		}
		if !errors.Is(err, want) {
			t.Errorf("request %d: %v, want %v", n+1, err, want)
		}
	}
	if permitted.Load() != 1 || reached.Load() != 0 {
		t.Errorf("%d requests were let out, %d reached the listener", permitted.Load(), reached.Load())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	reached, ports := listener(t)
	server := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:"+ports[0]+"/", http.StatusTemporaryRedirect))
	defer server.Close()
	var permitted atomic.Int64
	response, err := client(t, Options{AllowPrivate: true}, &permitted).Post(server.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusTemporaryRedirect || reached.Load() != 0 {
		t.Errorf("status %d, %d connections behind the redirect", response.StatusCode, reached.Load())
	}
}

// A proxy in the environment is not asked: it would connect on our behalf,
// behind the guard.
func TestNoProxy(t *testing.T) {
	if NewTransport(Options{}).Proxy != nil {
		t.Error("the transport asks for a proxy")
	}
}

// A query is sent encoded: Node's server rejects one that has letters beyond ASCII.
func TestQueriesAreEncoded(t *testing.T) {
	var sent string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { sent = r.RequestURI }))
	defer server.Close()
	client := NewClient(NewTransport(Options{AllowPrivate: true}))
	defer client.CloseIdleConnections()
	for query, want := range map[string]string{
		"stadt=München": "stadt=M%C3%BCnchen", "a=%C3%BC&b=1+2": "a=%C3%BC&b=1+2", "a=x y\"<>|": "a=x%20y%22%3C%3E%7C", "a[]=1&b='(c)'": "a[]=1&b='(c)'", "😊": "%F0%9F%98%8A",
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/pfäd?"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if sent != "/pf%C3%A4d?"+want {
			t.Errorf("%s is sent as %s", query, sent)
		}
	}
}
