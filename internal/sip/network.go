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

// connectTimeout bounds connecting to a trunk, TLS handshake included.
const connectTimeout = 10 * time.Second

// network connects the gateway to trunks.
type network struct {
	layer        *transport.Layer
	resolver     *net.Resolver  // nil for the default
	roots        *x509.CertPool // of TLS trunks; nil for the system's
	allowPrivate bool
	loopbackOnly bool
	tcp, tls     *outboundListener
}

// loopback is the address of a gateway that is bound to the loopback interface.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// checkAddress returns why a trunk, or the other side of its call, may not be at an address; nil if it may.
func (n network) checkAddress(r OutboundRoute, address netip.Addr) *DialError {
	address = address.Unmap()
	switch {
	case n.loopbackOnly && address != loopback:
		return unreachable("The SIP gateway is bound to the loopback interface, as the server is (PARLEY_ADDR), and reaches trunks on its own machine only.")
	}
	return n.checkPermitted(r, address)
}

// checkPermitted is like checkAddress, for the rule about private addresses only.
func (n network) checkPermitted(r OutboundRoute, address netip.Addr) *DialError {
	if r.Platform || netguard.Permits(address, n.allowPrivate) {
		return nil
	}
	return unreachable("The trunk's address is not a permitted one: it is private (PARLEY_ALLOW_PRIVATE_NETWORKS).")
}

// guardAnswer redirects audio to the trunk's address when the answer's session description names an address that is
// not permitted.
func (n network) guardAnswer(l *leg, r *sip.Response) {
	l.mu.Lock()
	target := l.target
	l.mu.Unlock()
	if body := r.Body(); len(body) > 0 && target.IsValid() {
		r.SetBody(guardSession(body, target.Addr(), func(a netip.Addr) bool { return n.checkPermitted(l.trunk, a) == nil }))
	}
}

// connectLeg resolves the address of a leg's trunk and connects to it over a stream transport. The first INVITE
// decides: those that answer a challenge go to the same address. The error is a dial error, or that of ctx.
func (n network) connectLeg(ctx context.Context, l *leg) (netip.AddrPort, error) {
	l.mu.Lock()
	target := l.target
	l.mu.Unlock()
	if !target.IsValid() {
		found, dialErr := n.resolve(ctx, l.trunk)
		if dialErr == nil {
			dialErr = n.checkAddress(l.trunk, found.Addr())
		}
		if dialErr != nil {
			return target, l.recordDialError(dialErr)
		}
		target = found
		l.mu.Lock()
		l.target = target
		l.mu.Unlock()
	}
	if err := n.connect(ctx, l, target); err != nil {
		if ctx.Err() == nil {
			err = l.recordDialError(connectError(l.trunk.Transport, err))
		}
		return target, err
	}
	return target, nil
}

// resolve resolves a trunk's address, to an IPv4 address if its name has one. A name without a port is looked up in SRV records first
// (RFC 3263 4.2).
func (n network) resolve(ctx context.Context, r OutboundRoute) (at netip.AddrPort, dialErr *DialError) {
	host, port := r.hostPort()
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
		addresses, err = resolver.LookupNetIP(ctx, "ip6", host)
	}
	if err != nil || len(addresses) == 0 {
		return at, unreachable("The trunk's address cannot be found: its name has none.")
	}
	return netip.AddrPortFrom(addresses[0].Unmap(), portOf(port, r.Transport)), nil
}

// hostPort returns the trunk's host and port; 0 for no port.
func (r OutboundRoute) hostPort() (host string, port uint16) {
	host = r.Address
	if h, p, err := net.SplitHostPort(host); err == nil {
		if number, err := strconv.ParseUint(p, 10, 16); err == nil {
			return h, uint16(number)
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), 0
}

// portOf returns the port, or else the default of the transport (RFC 3261 19.1.2).
func portOf(port uint16, t Transport) uint16 {
	switch {
	case port != 0:
		return port
	case t == TLS:
		return 5061
	}
	return 5060
}

// connect makes the connection that the stack then uses, so that it goes to the checked address, ends with ctx, and
// over TLS verifies the trunk's name.
func (n network) connect(ctx context.Context, l *leg, to netip.AddrPort) error {
	name, listener := "tcp", n.tcp
	switch l.trunk.Transport {
	case UDP:
		return nil
	case TLS:
		name, listener = "tls", n.tls
	}
	host, _ := l.trunk.hostPort()
	if exists, err := n.findConnection(name, to, host); exists || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", to.String())
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
	if err := listener.offer(ctx, &boundedConn{Conn: conn}); err != nil {
		_ = conn.Close()
		return err
	}
	for {
		if exists, err := n.findConnection(name, to, host); exists || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// findConnection reports whether the stack has a connection to an address. A TLS connection whose certificate is not
// valid for host is an error.
func (n network) findConnection(name string, to netip.AddrPort, host string) (bool, error) {
	c, err := n.layer.GetConnection(name, to.String())
	if err != nil || c == nil {
		return false, nil // no connection: the normal case
	}
	defer func() { _, _ = c.TryClose() }() // releases the reference of GetConnection
	if name != "tls" {
		return true, nil
	}
	if tcp, ok := c.(*transport.TCPConnection); ok {
		if ours, ok := tcp.Conn.(*boundedConn); ok {
			if secure, ok := ours.Conn.(*tls.Conn); ok {
				return true, secure.VerifyHostname(host)
			}
		}
	}
	return true, errUnverifiedTLS
}

// errUnverifiedTLS is the error of a TLS connection whose peer was not verified here.
var errUnverifiedTLS = errors.New("a TLS connection that was not made here")

// outboundListener passes connections that this side has opened to the stack, as if it had accepted them.
type outboundListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func newOutboundListener() *outboundListener {
	return &outboundListener{make(chan net.Conn), make(chan struct{})}
}

// offer waits until Accept returns the connection.
func (l *outboundListener) offer(ctx context.Context, c net.Conn) error {
	select {
	case l.conns <- c:
		return nil
	case <-l.closed:
		return net.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *outboundListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *outboundListener) Close() error {
	close(l.closed)
	return nil
}

func (l *outboundListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// connectError returns the dial error for a trunk that cannot be connected to.
func connectError(t Transport, err error) *DialError {
	var unknown x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown), errors.As(err, &hostname), errors.As(err, &invalid):
		return unreachable("The trunk's certificate is not valid for its name.")
	case errors.Is(err, context.DeadlineExceeded):
		return unreachable("The trunk cannot be reached over %s: it does not answer.", strings.ToUpper(string(t)))
	}
	return unreachable("The trunk cannot be reached over %s.", strings.ToUpper(string(t)))
}

// sendError returns the dial error for an INVITE that the stack could not send.
func sendError(err error) *DialError {
	if errors.Is(err, transport.ErrUDPMTUCongestion) {
		return unreachable("The call's first message is too large for UDP (%d bytes): give the trunk fewer headers, or the transport tcp.", transport.UDPMTUSize-200)
	}
	if errors.Is(err, transaction.ErrTransport) {
		return unreachable("The trunk cannot be reached: the network does not route to its address.")
	}
	return unreachable("The call cannot be sent to the trunk.")
}
