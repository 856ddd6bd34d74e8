package dashboard

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// tlsFront takes TLS off the connections to one port, and tells them apart: those for TURN's name by the name, those for LiveKit by the
// path. The others are Parley's.
type tlsFront struct {
	port        int
	certificate string                                // file; signed by itself
	parley      atomic.Pointer[httputil.ReverseProxy] // nil while it has not started

	turn    string // address
	liveKit *httputil.ReverseProxy
	web     chan net.Conn
	net.Listener
}

func serveTLSFront(t *testing.T, turn int, liveKit string) *tlsFront {
	t.Helper()
	dir := t.TempDir()
	certificate, key := filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	if out, err := exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost",
		"-addext", "subjectAltName=DNS:localhost,DNS:"+turnName, "-out", certificate, "-keyout", key).CombinedOutput(); err != nil {
		t.Fatalf("openssl: %v\n%s", err, out)
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		t.Fatal(err)
	}
	f := &tlsFront{port: l.Addr().(*net.TCPAddr).Port, certificate: certificate, turn: net.JoinHostPort("127.0.0.1", strconv.Itoa(turn)), liveKit: proxyTo(t, liveKit), web: make(chan net.Conn), Listener: l}
	server := &http.Server{Handler: f}
	go f.tellApart()
	go func() { _ = server.Serve(webConnections{f}) }() // until it is closed
	t.Cleanup(func() { server.Close() })
	return f
}

// proxyTo returns a proxy to a server by its URL, http or ws.
func proxyTo(t *testing.T, server string) *httputil.ReverseProxy {
	t.Helper()
	if rest, ok := strings.CutPrefix(server, "ws"); ok {
		server = "http" + rest
	}
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.SetXForwarded()
		r.Out.Host = r.In.Host
	}}
}

// tellApart accepts connections until the listener is closed.
func (f *tlsFront) tellApart() {
	defer close(f.web)
	for {
		near, err := f.Listener.Accept()
		if err != nil {
			return
		}
		go func() {
			secured := near.(*tls.Conn)
			if secured.Handshake() != nil {
				near.Close()
				return
			}
			if secured.ConnectionState().ServerName != turnName {
				f.web <- near
				return
			}
			relay(near, "tcp", f.turn)
		}()
	}
}

// relay forwards a connection to an address until both sides have closed.
func relay(near net.Conn, network, address string) {
	defer near.Close()
	far, err := net.Dial(network, address)
	if err != nil {
		return
	}
	defer far.Close()
	forward := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		_ = to.(interface{ CloseWrite() error }).CloseWrite() // TCP, Unix and TLS have it
	}
	var forwarding sync.WaitGroup
	forwarding.Go(func() { forward(far, near) })
	forward(near, far)
	forwarding.Wait()
}

func (f *tlsFront) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for _, prefix := range []string{"/rtc", "/twirp/", "/agent"} {
		if strings.HasPrefix(r.URL.Path, prefix) && !strings.HasPrefix(r.URL.Path, "/agents") {
			f.liveKit.ServeHTTP(w, r)
			return
		}
	}
	if parley := f.parley.Load(); parley != nil {
		parley.ServeHTTP(w, r)
		return
	}
	w.WriteHeader(http.StatusBadGateway)
}

// webConnections is the listener of those connections that are not TURN's.
type webConnections struct{ *tlsFront }

func (w webConnections) Accept() (net.Conn, error) {
	if c, open := <-w.web; open {
		return c, nil
	}
	return nil, net.ErrClosed
}
