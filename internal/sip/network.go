package sip

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/livekit/sipgo/sip"
	"github.com/livekit/sipgo/transaction"
	"github.com/livekit/sipgo/transport"

	"parley/internal/netguard"
)

// connectTimeout bounds a connection to a trunk, TLS handshake included.
const connectTimeout = 10 * time.Second

// network is how the gateway reaches trunks.
type network struct {
	layer        *transport.Layer
	resolver     *net.Resolver  // nil for the default one
	roots        *x509.CertPool // that TLS trunks are known by; nil for the machine's
	allowPrivate bool
	loopbackOnly bool
	tcp, tls     *lent
}

// permits tells whether a trunk, or the other side of its call, may be at an address: nil, or why not.
func (n network) permits(r Route, address netip.Addr) *Refusal {
	address = address.Unmap()
	switch {
	case !address.Is4():
		return unreachable("The trunk has no IPv4 address, and the SIP gateway uses no other.")
	case n.loopbackOnly && !address.IsLoopback():
		return unreachable("The SIP gateway is bound to the loopback interface, as the server is (PARLEY_ADDR), and reaches trunks on its own machine only.")
	}
	return n.allows(r, address)
}

// allows tells whether a trunk may be at an address, whoever goes there.
func (n network) allows(r Route, address netip.Addr) *Refusal {
	if r.Platform || netguard.Permits(address, n.allowPrivate) {
		return nil
	}
	return unreachable("The trunk's address is not a permitted one: it is private (PARLEY_ALLOW_PRIVATE_NETWORKS).")
}

// guardAnswer has audio go to where the call went when the answer's session description names an address that the trunk
// may not be at.
func (n network) guardAnswer(l *leg, r *sip.Response) {
	l.mu.Lock()
	target := l.target
	l.mu.Unlock()
	if body := r.Body(); len(body) > 0 && target.IsValid() {
		r.SetBody(guardSession(body, target.Addr(), func(a netip.Addr) bool { return n.allows(l.trunk, a) == nil }))
	}
}

// locate finds the address of a leg's trunk, and connects to it where its transport does. The first INVITE decides: those
// that answer a challenge go to the same place. Its error is a refusal, or the end of ctx.
func (n network) locate(ctx context.Context, l *leg) (netip.AddrPort, error) {
	l.mu.Lock()
	target := l.target
	l.mu.Unlock()
	if !target.IsValid() {
		found, refusal := n.resolve(ctx, l.trunk)
		if refusal == nil {
			refusal = n.permits(l.trunk, found.Addr())
		}
		if refusal != nil {
			return target, l.refuse(refusal)
		}
		target = found
		l.mu.Lock()
		l.target = target
		l.mu.Unlock()
	}
	if err := n.connect(ctx, l, target); err != nil {
		if ctx.Err() == nil {
			err = l.refuse(unreached(l.trunk.Transport, err))
		}
		return target, err
	}
	return target, nil
}

// resolve finds where a trunk's address leads: an IPv4 address. A name without a port may name its servers by SRV records
// (RFC 3263 4.2).
func (n network) resolve(ctx context.Context, r Route) (at netip.AddrPort, refusal *Refusal) {
	host, port := r.place()
	if address, err := netip.ParseAddr(host); err == nil {
		return netip.AddrPortFrom(address, portOf(port, r.Transport)), nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	resolver := n.resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	if port == 0 {
		service, proto := "sip", "udp"
		switch r.Transport {
		case TCP:
			proto = "tcp"
		case TLS:
			service, proto = "sips", "tcp"
		}
		if _, servers, err := resolver.LookupSRV(ctx, service, proto, host); err == nil && len(servers) > 0 {
			host, port = strings.TrimSuffix(servers[0].Target, "."), servers[0].Port
		}
	}
	addresses, err := resolver.LookupNetIP(ctx, "ip4", host)
	if err != nil || len(addresses) == 0 {
		return at, unreachable("The trunk's address cannot be found: its name has no IPv4 address.")
	}
	return netip.AddrPortFrom(addresses[0].Unmap(), portOf(port, r.Transport)), nil
}

// place is the trunk's host and port; 0 for a port that is not given.
func (r Route) place() (host string, port uint16) {
	host = r.Address
	if h, p, err := net.SplitHostPort(host); err == nil {
		if number, err := strconv.ParseUint(p, 10, 16); err == nil {
			return h, uint16(number)
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), 0
}

// portOf is the port, or else the one that is usual for the transport (RFC 3261 19.1.2).
func portOf(port uint16, t Transport) uint16 {
	switch {
	case port != 0:
		return port
	case t == TLS:
		return 5061
	}
	return 5060
}

// connect makes the connection that the stack then finds and uses: made here, it goes to the address that was judged,
// ends with ctx, and over TLS is to the trunk that was named.
func (n network) connect(ctx context.Context, l *leg, to netip.AddrPort) error {
	name, lent := "tcp", n.tcp
	switch l.trunk.Transport {
	case UDP:
		return nil
	case TLS:
		name, lent = "tls", n.tls
	}
	host, _ := l.trunk.place()
	if there, err := n.connected(name, to, host); there || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp4", to.String())
	if err != nil {
		return err
	}
	if l.trunk.Transport == TLS {
		secure := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: n.roots, MinVersion: tls.VersionTLS12})
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return err
		}
		conn = secure
	}
	if err := lent.lend(ctx, &measured{Conn: conn}); err != nil {
		_ = conn.Close()
		return err
	}
	for {
		if there, err := n.connected(name, to, host); there || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// connected tells whether the stack has a connection to an address. One over TLS that was made to another name is an error
// unless its certificate is valid for this one too.
func (n network) connected(name string, to netip.AddrPort, host string) (bool, error) {
	c, err := n.layer.GetConnection(name, to.String())
	if err != nil || c == nil {
		return false, nil // there is none, which is what was asked
	}
	defer func() { _, _ = c.TryClose() }() // gives back what GetConnection counted
	if name != "tls" {
		return true, nil
	}
	if tcp, ok := c.(*transport.TCPConnection); ok {
		if ours, ok := tcp.Conn.(*measured); ok {
			if secure, ok := ours.Conn.(*tls.Conn); ok {
				return true, secure.VerifyHostname(host)
			}
		}
	}
	return true, errNotOurs
}

// errNotOurs says that nothing is known of whom a connection over TLS leads to.
var errNotOurs = errors.New("a connection over TLS that was not made here")

// lent is a listener whose connections are made by this side: the stack serves them as it does those that it is given by
// others.
type lent struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newLent() *lent { return &lent{make(chan net.Conn), make(chan struct{})} }

func (l *lent) lend(ctx context.Context, c net.Conn) error {
	select {
	case l.conns <- c:
		return nil
	case <-l.closed:
		return net.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *lent) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *lent) Close() error {
	close(l.closed)
	return nil
}

func (l *lent) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// unreached is the refusal of a trunk that cannot be connected to.
func unreached(t Transport, err error) *Refusal {
	var unknown x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown), errors.As(err, &hostname), errors.As(err, &invalid):
		return unreachable("The trunk cannot prove who it is: its certificate is not valid for its name.")
	case errors.Is(err, context.DeadlineExceeded):
		return unreachable("The trunk cannot be reached over %s: it does not answer.", strings.ToUpper(string(t)))
	}
	return unreachable("The trunk cannot be reached over %s.", strings.ToUpper(string(t)))
}

// unsent is the refusal of an INVITE that the stack could not send.
func unsent(err error) *Refusal {
	if errors.Is(err, transport.ErrUDPMTUCongestion) {
		return unreachable("The call's first message is too large for UDP (%d bytes): give the trunk fewer headers, or the transport tcp.", transport.UDPMTUSize-200)
	}
	if errors.Is(err, transaction.ErrTransport) {
		return unreachable("The trunk cannot be reached: the network refuses to carry the call there.")
	}
	return unreachable("The call cannot be sent to the trunk.")
}
